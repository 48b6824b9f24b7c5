#include "exercise.hpp"

// Under the stack of a thread lies a page that is not mapped: overrunning the stack is a fault.
namespace {

volatile int finished = 0;

char* PageOfStack() {
  char local;
  return reinterpret_cast<char*>(reinterpret_cast<uint32_t>(&local) & ~(kPageSize - 1));
}

// Writes just below its stack, and at the far end of the page below.
void Overruns(void* argument) {
  volatile char* const stack = PageOfStack();
  stack[-reinterpret_cast<int>(argument)] = 'x';
  RequireBegun(false, "a thread wrote below its stack and lived; leave the page there unmapped");
}

void Asks(void* /*argument*/) {
  // The kernel does not write there either.
  int ends[2];
  CHECK(pipe(ends) == 0 && write(ends[1], "ab", 2) == 2);
  CHECK(read(ends[0], PageOfStack() - 1, 1) == -1);
  CHECK(read(ends[0], PageOfStack() - 1, 2) == -1);
  CHECK(read(ends[0], PageOfStack(), 2) == 2);
  exit();
}

void Ends(void* argument) {
  finished = reinterpret_cast<int>(argument);
  exit();
}

}  // namespace

void Test() {
  const int distances[] = {1, 4, 100, kPageSize};
  for (int distance : distances) {
    const int pid = thread_create(Overruns, reinterpret_cast<void*>(distance));
    CHECK(pid > 0 && thread_join() == pid);
  }
  CHECK(thread_create(Asks, nullptr) > 0 && thread_join() > 0);
  // Stacks are used again, and a fork copies a space with such holes.
  for (int i = 0; i < 30; ++i) CHECK(thread_create(Ends, nullptr) > 0);
  for (int i = 0; i < 30; ++i) CHECK(thread_join() > 0);
  char* const end = sbrk(0);
  for (int i = 1; i <= 300; ++i) {
    CHECK(thread_create(Ends, reinterpret_cast<void*>(i)) > 0 && thread_join() > 0 &&
          finished == i);
  }
  CHECK(sbrk(0) == end);
  const int child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    const int pid = thread_create(Overruns, reinterpret_cast<void*>(1));
    exit(pid > 0 && thread_join() == pid ? 0 : 1);
  }
  int status = -1;
  CHECK(wait(&status) == child && status == 0);
}
