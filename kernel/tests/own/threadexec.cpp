#include "check.hpp"

// exec by the owner ends its threads. exec by another thread takes that one out of the group: it
// becomes an ordinary child, which wait() sees and join() does not.
namespace {

const char* const kEcho[] = {"echo", "from exec", nullptr};
const char* const kCat[] = {"cat", nullptr};
volatile int pings = 0, leave = 0;
int ends[2];

void Ping(void* /*argument*/) {
  for (;;) {
    pings = pings + 1;
    sleep(1);
  }
}

void Execute(void* /*argument*/) {
  while (leave == 0) sleep(1);
  sleep(5);  // So that the owner is waiting in thread_join(), most likely.
  // From its descriptors, which are its own: a program that runs until the writing end is closed.
  close(0);
  dup(ends[0]);
  close(ends[0]);
  close(ends[1]);
  exec("cat", kCat);
  Fail(__FILE__, __LINE__, "exec failed");
}

}  // namespace

void Test() {
  int status = -1;
  const int child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    for (int i = 0; i < 5; ++i) CHECK(thread_create(Ping, nullptr) > 0);
    CHECK(exec("no such program", kEcho) == -1);  // And then nobody is ended.
    const int before = pings;
    while (pings == before) sleep(1);
    exec("echo", kEcho);
    exit(1);
  }
  CHECK(wait(&status) == child);
  CHECK(status == 0);

  CHECK(pipe(ends) == 0);
  const int pinging = thread_create(Ping, nullptr);
  const int executing = thread_create(Execute, nullptr);
  CHECK(pinging > 0 && executing > 0);
  CHECK(wait(&status) == -1);  // Still a thread.
  kill(pinging);
  CHECK(thread_join() == pinging);
  leave = 1;
  // Waits for `executing`, until it leaves the group; which it does long before it ends.
  CHECK(thread_join() == -1);
  close(ends[1]);
  CHECK(wait(&status) == executing);
  CHECK(status == 0);
}
