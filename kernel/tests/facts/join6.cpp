#include "check.hpp"

// proj3 join6: a forked child cannot join its parent's thread.
namespace {

void Child(void* /*argument*/) {
  sleep(20);
  exit();
}

}  // namespace

void Test() {
  const int thread = thread_create(Child, nullptr);
  CHECK(thread > 0);
  const int child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    void* stack;
    exit(join(&stack) == -1 && wait() == -1 ? 0 : 1);
  }
  int status = -1;
  CHECK(wait(&status) == child);
  CHECK(status == 0);
  CHECK(thread_join() == thread);
}
