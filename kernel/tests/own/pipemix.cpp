#include "check.hpp"

// Many write lines into one pipe, faster than they are read: no line is torn by another.
namespace {

constexpr int kWriters = 6, kLines = 100, kLength = 23;  // 23 divides no size of a buffer.

}  // namespace

void Test() {
  int ends[2];
  CHECK(pipe(ends) == 0);
  for (int i = 0; i < kWriters; ++i) {
    const int child = fork();
    CHECK(child >= 0);
    if (child != 0) continue;
    close(ends[0]);
    char line[kLength];
    memset(line, 'a' + i, sizeof(line));
    for (int j = 0; j < kLines; ++j) {
      if (write(ends[1], line, kLength) != kLength) exit(1);
    }
    exit(0);
  }
  close(ends[1]);
  char byte, first = 0;
  int received = 0;
  for (; read(ends[0], &byte, 1) == 1; ++received) {
    if (received % kLength == 0) first = byte;
    CHECK(byte == first);
    if (received % 500 == 0) sleep(1);  // Time to fill it.
  }
  CHECK(received == kWriters * kLines * kLength);
  close(ends[0]);
  int status = -1;
  for (int i = 0; i < kWriters; ++i) CHECK(wait(&status) > 0 && status == 0);
}
