#include "exercise.hpp"

// thread_join_pid waits for one thread, and leaves all others to be joined.
namespace {

constexpr int kThreads = 6;

int delays[kThreads];

void Sleeps(void* argument) {
  sleep(*static_cast<int*>(argument));
  exit();
}

void Ends(void* /*argument*/) { exit(); }

}  // namespace

void Test() {
  RequireBegun(thread_join_pid != nullptr, "define thread_join_pid() in user/thread.cpp");
  int pids[kThreads];
  // The first one made is the last one to end.
  for (int i = 0; i < kThreads; ++i) {
    delays[i] = (kThreads - i) * 5;
    pids[i] = thread_create(Sleeps, &delays[i]);
    CHECK(pids[i] > 0);
  }
  for (int i = 0; i < kThreads - 1; ++i) CHECK(thread_join_pid(pids[i]) == pids[i]);
  CHECK(thread_join_pid(pids[0]) == -1);       // Joined before.
  CHECK(thread_join() == pids[kThreads - 1]);  // The one left over.
  CHECK(thread_join_pid(pids[kThreads - 1]) == -1);
  CHECK(thread_join_pid(getpid()) == -1 && thread_join_pid(1) == -1 && thread_join_pid(-1) == -1);
  CHECK(thread_join_pid(0) == -1);

  const int child = fork();  // A process is no thread.
  CHECK(child >= 0);
  if (child == 0) exit(4);
  CHECK(thread_join_pid(child) == -1);
  int status = 0;
  CHECK(wait(&status) == child && status == 4);

  char* const end = sbrk(0);
  for (int i = 0; i < 300; ++i) {
    const int pid = thread_create(Ends, nullptr);
    CHECK(pid > 0 && thread_join_pid(pid) == pid);
  }
  CHECK(sbrk(0) == end);  // Stacks are freed.
}
