// The facts of the exercise that hold on Linux too; numbers are those of kernel/README.md.
#include "threads.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using raw::cond_t;
using raw::kPageSize;
using raw::lock_t;

// In a thread stdio is not allowed: the failure is stored, and main tells.
const char* volatile failure = nullptr;
#define CHECK_IN_THREAD(condition) \
  if (!(condition)) failure = #condition
#define CHECK(condition)                                         \
  do {                                                           \
    if (!(condition)) failure = #condition;                      \
    if (failure != nullptr) {                                    \
      std::printf("line %d: not true: %s\n", __LINE__, failure); \
      std::exit(1);                                              \
    }                                                            \
  } while (false)

volatile int global = 1;
lock_t lock;
cond_t condition, other_condition;
volatile int waiting = 0, woken = 0;

char* NewStack() {
  void* page = mmap(nullptr, kPageSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return static_cast<char*>(page);
}

void SleepShortly() { usleep(20000); }

void SetGlobal(void* argument) {
  CHECK_IN_THREAD(*static_cast<int*>(argument) == 42);
  CHECK_IN_THREAD(global == 1);
  global = 2;
  raw::exit();
}

// Facts 1, 2, 6: shared memory, the argument, pid and stack.
void TestJoin() {
  int argument = 42;
  char* stack = NewStack();
  const int pid = raw::clone(SetGlobal, &argument, stack);
  CHECK(pid > 0);
  void* joined = nullptr;
  CHECK(raw::join(&joined) == pid);
  CHECK(joined == stack && global == 2);
  CHECK(raw::join(&joined) == -1);
  munmap(stack, kPageSize);
}

volatile int thread_descriptor = -1;
void UseDescriptors(void* argument) {
  CHECK_IN_THREAD(write(*static_cast<int*>(argument), "hello", 5) == 5);
  thread_descriptor = dup(*static_cast<int*>(argument));
}

// Facts 3 and 14: copied descriptors; a function that returns.
void TestDescriptors() {
  int ends[2];
  CHECK(pipe(ends) == 0);
  CHECK(raw::thread_create(UseDescriptors, &ends[1]) > 0);
  CHECK(raw::thread_join() > 0);
  CHECK(thread_descriptor > ends[1]);
  CHECK(fcntl(thread_descriptor, F_GETFD) == -1);
  char text[8];
  CHECK(read(ends[0], text, sizeof(text)) == 5);
  close(ends[0]);
  close(ends[1]);
}

void ChangeDirectory(void* /*argument*/) { CHECK_IN_THREAD(chdir("/proc") == 0); }

// The working directory is shared, unlike the descriptors.
void TestDirectory() {
  CHECK(raw::thread_create(ChangeDirectory, nullptr) > 0);
  CHECK(raw::thread_join() > 0);
  char directory[16];
  CHECK(getcwd(directory, sizeof(directory)) != nullptr);
  CHECK(std::strcmp(directory, "/proc") == 0);
}

// Fact 4: bad stacks. Fact 7: bad pointers, and nobody is reaped.
void TestBadArguments() {
  int argument = 42;
  char* stack = NewStack();
  CHECK(raw::clone(SetGlobal, &argument, stack + 8) == -1);
  CHECK(raw::clone(SetGlobal, &argument, nullptr) == -1);
  CHECK(raw::clone(SetGlobal, &argument, reinterpret_cast<void*>(~uintptr_t{kPageSize - 1})) == -1);
  mprotect(stack, kPageSize, PROT_READ);
  CHECK(raw::clone(SetGlobal, &argument, stack) == -1);
  mprotect(stack, kPageSize, PROT_READ | PROT_WRITE);
  global = 1;
  const int pid = raw::clone(SetGlobal, &argument, stack);
  CHECK(pid > 0);
  CHECK(raw::join(nullptr) == -1);
  CHECK(raw::join(reinterpret_cast<void**>(-4)) == -1);
  void* pages =
      mmap(nullptr, 2 * kPageSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char* edge = static_cast<char*>(pages) + kPageSize;
  munmap(edge, kPageSize);
  CHECK(raw::join(reinterpret_cast<void**>(edge - 4)) == -1);  // Half of it lies outside.
  void* joined = nullptr;
  CHECK(raw::join(&joined) == pid && joined == stack);
  munmap(pages, kPageSize);
  munmap(stack, kPageSize);
}

// Facts 8 and 9: join does not see a process, wait does not see a thread, __WCLONE does.
void TestWait() {
  const int child = fork();
  if (child == 0) _exit(0);
  void* stack;
  CHECK(raw::join(&stack) == -1);
  CHECK(wait(nullptr) == child);
  global = 1;
  int argument = 42;
  const int pid = raw::thread_create(SetGlobal, &argument);
  CHECK(pid > 0);
  SleepShortly();
  CHECK(wait(nullptr) == -1 && errno == ECHILD);
  siginfo_t info = {};
  CHECK(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | __WCLONE) == 0 && info.si_pid == pid);
  CHECK(raw::thread_join() == pid);
}

void Increment(void* /*argument*/) {
  for (int i = 0; i < 1000; ++i) {
    raw::lock_acquire(&lock);
    global = global + 1;
    raw::lock_release(&lock);
  }
}

// Facts 11, 12, 13: many threads, one after the other and at once.
void TestMany() {
  global = 0;
  for (int i = 0; i < 600; ++i) {  // More than there are slots.
    const int pid = raw::thread_create([](void*) { global = global + 1; }, nullptr);
    CHECK(pid > 0 && raw::thread_join() == pid);
  }
  CHECK(global == 600);
  global = 0;
  for (int i = 0; i < 30; ++i) CHECK(raw::thread_create(Increment, nullptr) > 0);
  for (int i = 0; i < 30; ++i) CHECK(raw::thread_join() > 0);
  CHECK(global == 30000);
}

void WaitForSignal(void* /*argument*/) {
  raw::lock_acquire(&lock);
  waiting = waiting + 1;
  raw::cv_wait(&condition, &lock);
  woken = woken + 1;
  raw::lock_release(&lock);
}

// Facts 16, 17, 18: the lock is held again, other conditions do nothing, one signal wakes one.
void TestConditions() {
  constexpr int kThreads = 10;
  for (int i = 0; i < kThreads; ++i) CHECK(raw::thread_create(WaitForSignal, nullptr) > 0);
  for (bool all = false; !all;) {
    raw::lock_acquire(&lock);
    all = waiting == kThreads;
    raw::lock_release(&lock);
    usleep(100);
  }
  raw::cv_signal(&other_condition);
  SleepShortly();
  CHECK(woken == 0);
  raw::lock_acquire(&lock);
  raw::cv_signal(&condition);
  SleepShortly();
  CHECK(woken == 0);  // Not before the lock is free.
  raw::lock_release(&lock);
  for (int i = 1; i <= kThreads; ++i) {
    while (woken < i) usleep(100);
    usleep(2000);
    CHECK(woken == i);
    raw::cv_signal(&condition);
  }
  for (int i = 0; i < kThreads; ++i) CHECK(raw::thread_join() > 0);
}

volatile int turn = 0;
void Player(void* argument) {
  const int me = *static_cast<int*>(argument);
  raw::lock_acquire(&lock);
  for (int i = 0; i < 5000; ++i) {
    while (turn != me) raw::cv_wait(&condition, &lock);
    turn = 1 - me;
    raw::cv_signal(&condition);
  }
  raw::lock_release(&lock);
}

// Fact 19: no signal is lost, or this would not end.
void TestRace() {
  int names[] = {0, 1};
  for (int& name : names) CHECK(raw::thread_create(Player, &name) > 0);
  for (int i = 0; i < 2; ++i) CHECK(raw::thread_join() > 0);
}

void JoinOther(void* argument) {
  const int pid = raw::thread_create([](void*) {}, nullptr);
  CHECK_IN_THREAD(pid > 0 && raw::thread_join() == pid);
  *static_cast<volatile int*>(argument) = 1;
}

// proj3 clone4 and join5: a thread clones and joins.
void TestNested() {
  volatile int done = 0;
  CHECK(raw::thread_create(JoinOther, const_cast<int*>(&done)) > 0);
  CHECK(raw::thread_join() > 0);
  CHECK(done == 1);
}

}  // namespace

int main() {
  alarm(300);
  TestJoin();
  TestDescriptors();
  TestDirectory();
  TestBadArguments();
  TestWait();
  TestMany();
  TestConditions();
  TestRace();
  TestNested();
  std::puts("TEST PASSED");
}
