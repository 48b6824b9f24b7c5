#include "check.hpp"

// A thread is inside exec() while the owner ends the program: the owner does not wait for ever.
namespace {

const char* const kNothing[] = {"kill", nullptr};
volatile int executing = 0;
int ends[2];

// A program of many pages, so that exec() takes longer than a tick.
void MakeLargeProgram() {
  static uint8_t image[32768];
  const int original = open("cat");
  const int size = read(original, image, sizeof(image));
  close(original);
  CHECK(size > 100 && size < static_cast<int>(sizeof(image)));
  uint32_t header;  // Of the second segment: 32 bytes each; its size in memory is the sixth word.
  memcpy(&header, image + 28, sizeof(header));
  uint32_t memory_size;
  memcpy(&memory_size, image + header + 32 + 20, sizeof(memory_size));
  memory_size += 4 << 20;
  memcpy(image + header + 32 + 20, &memory_size, sizeof(memory_size));
  const int file = open("large", kOpenCreate | kOpenWrite | kOpenTruncate);
  CHECK(write(file, image, size) == size);
  close(file);
}

void Executes(void* /*argument*/) {
  close(0);  // It ends when it finds nothing to read.
  executing = 1;
  exec("large", kNothing);
  Fail(__FILE__, __LINE__, "exec failed");
}

enum class End { kExit, kExec, kKilled };

void RunProgram(End end, int delay) {
  CHECK(pipe(ends) == 0);
  const int child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    if (thread_create(Executes, nullptr) < 0) exit(1);
    while (executing == 0) sleep(0);
    for (int i = 0; i < delay; ++i) asm volatile("pause");
    write(ends[1], "x", 1);
    if (end == End::kExec) exec("kill", kNothing);
    if (end == End::kKilled) sleep(1 << 30);
    exit(0);
  }
  char byte;
  CHECK(read(ends[0], &byte, 1) == 1);
  if (end == End::kKilled) CHECK(kill(child) == 0);
  int status = 1;
  CHECK(wait(&status) == child && status == (end == End::kKilled ? -1 : 0));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace

void Test() {
  MakeLargeProgram();
  for (int i = 0; i < 8; ++i) {
    RunProgram(End::kExit, i * 2000);
    RunProgram(End::kExec, i * 2000);
    RunProgram(End::kKilled, i * 2000);
  }
  CHECK(unlink("large") == 0);
}
