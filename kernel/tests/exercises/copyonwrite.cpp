#include "exercise.hpp"

// fork shares the pages until one side writes: a program larger than half the memory can fork.
namespace {

constexpr uint32_t kPages = 10000;  // Of about 15,800.

char* memory;

char& Page(uint32_t i) { return memory[i * kPageSize]; }
char Mark(uint32_t i) { return static_cast<char>(i * 7 + 1); }

void CheckMarks(uint32_t begin) {
  for (uint32_t i = begin; i < kPages; ++i) CHECK(Page(i) == Mark(i));
}

// Forks, lets the child do something, and checks that it ends with the status 0.
template <typename Body>
void InChild(Body body) {
  const int child = fork();
  RequireBegun(child >= 0, "fork() copies all pages at once, and there is no room for that");
  if (child == 0) {
    body();
    exit(0);
  }
  int status = -1;
  CHECK(wait(&status) == child && status == 0);
}

}  // namespace

void Test() {
  memory = NewStack();
  CHECK(sbrk(kPages * kPageSize) == memory + kPageSize);
  for (uint32_t i = 0; i < kPages; ++i) Page(i) = Mark(i);
  // The child's writes are its own.
  InChild([] {
    CheckMarks(0);
    for (uint32_t i = 0; i < 1000; ++i) Page(i) = 'c';
    CheckMarks(1000);
  });
  CheckMarks(0);
  // Those of the kernel too: it reads from a pipe into pages that are shared.
  InChild([] {
    int ends[2];
    CHECK(pipe(ends) == 0 && write(ends[1], "abcd", 4) == 4);
    CHECK(read(ends[0], &Page(5) - 2, 4) == 4 && Page(5) == 'c');
    CHECK(wait(reinterpret_cast<int*>(&Page(6))) == -1 && Page(6) == Mark(6));
  });
  CheckMarks(0);
  // The parent's writes are not seen by the child, nor by the child's child.
  int ends[2];
  CHECK(pipe(ends) == 0);
  const int child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    InChild([&ends] {
      char byte;
      CHECK(read(ends[0], &byte, 1) == 1);  // Until the parent has written.
      CheckMarks(0);
    });
    exit(0);
  }
  for (uint32_t i = 0; i < 1000; ++i) Page(i) = 'p';
  CHECK(write(ends[1], "x", 1) == 1);
  int status = -1;
  CHECK(wait(&status) == child && status == 0);
  for (uint32_t i = 0; i < 1000; ++i) CHECK(Page(i) == 'p');
  // Pages that nobody shares any more are not copied: there would be no memory for that.
  for (uint32_t i = 0; i < kPages; ++i) Page(i) = Mark(i);
  CheckMarks(0);
  // A child that writes everything finds no memory, and is ended; the parent keeps all of its own.
  const int greedy = fork();
  CHECK(greedy >= 0);
  if (greedy == 0) {
    for (uint32_t i = 0; i < kPages; ++i) Page(i) = 'g';
    exit(0);
  }
  CHECK(wait(&status) == greedy && status == -1);
  CheckMarks(0);
}
