#include "check.hpp"

// kill ends a process wherever it is; and a busy one does not keep others from running.
namespace {

int ends[2], held[2];

void Spin() {
  for (;;) asm volatile("pause");
}
void Sleep() { sleep(1 << 30); }
void Read() {
  char byte;
  read(ends[0], &byte, 1);
}
void Write() {
  static char bytes[10000];
  write(ends[1], bytes, sizeof(bytes));
}
void WaitForChild() {
  const int child = fork();
  if (child == 0) {
    // Until the test is over and its end closed, however late that is.
    char byte;
    close(held[1]);
    read(held[0], &byte, 1);
    exit(0);
  }
  wait();
}
void CallForever() {
  for (;;) getpid();
}

}  // namespace

void Test() {
  CHECK(pipe(ends) == 0 && pipe(held) == 0);
  void (*const functions[])() = {Spin, Sleep, Read, Write, WaitForChild, CallForever};
  for (auto* function : functions) {
    const int child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      function();
      exit(0);
    }
    sleep(3);
    CHECK(kill(child) == 0);
    int status = 0;
    CHECK(wait(&status) == child && status == -1);
  }
  CHECK(kill(0) == -1 && kill(-1) == -1 && kill(1 << 30) == -1);
  CHECK(kill(1) == -1);  // The first process stays.

  // More busy processes than processors.
  int busy[6];
  for (int& child : busy) {
    child = fork();
    CHECK(child >= 0);
    if (child == 0) Spin();
  }
  const int start = uptime();
  sleep(10);
  CHECK(uptime() - start >= 10);
  for (int child : busy) CHECK(kill(child) == 0);
  for (int i = 0; i < 6; ++i) CHECK(wait() > 0);
  CHECK(sleep(-1) == -1);
}
