#include "check.hpp"

// fork while another thread grows the memory: the copy has every page below its size.
namespace {

volatile int started = 0;

void Grows(void* /*argument*/) {
  for (int i = 0; i < 6; ++i) {
    started = 1;
    CHECK(sbrk(1 << 20) != reinterpret_cast<char*>(-1));  // Long enough for a fork in the middle.
  }
  exit();
}

}  // namespace

void Test() {
  for (int round = 0; round < 10; ++round) {
    const int program = fork();
    CHECK(program >= 0);
    if (program != 0) {
      int status = -1;
      CHECK(wait(&status) == program && status == 0);
      continue;
    }
    char* const begin = NewStack();
    CHECK(clone(Grows, nullptr, NewStack()) > 0);
    while (started == 0) sleep(0);
    for (int i = 0; i < 4; ++i) {
      const int child = fork();
      if (child < 0) exit(2);
      if (child == 0) {
        for (volatile char* at = begin; at < sbrk(0); at += kPageSize) {
          static_cast<void>(*at);  // A page that is missing ends the program with status -1.
        }
        exit(0);
      }
      int status = -1;
      if (wait(&status) != child || status != 0) exit(3);
    }
    exit(0);
  }
}
