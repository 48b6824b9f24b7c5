#include "check.hpp"

// Pipes: everything arrives in order, ends are noticed, and descriptors run out cleanly.
namespace {

constexpr int kTotal = 50000;

uint8_t Expected(int i) { return static_cast<uint8_t>(i * 7 + i / 256); }

void Transfer() {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const int child = fork();
  CHECK(child >= 0);
  static uint8_t buffer[3000];
  if (child == 0) {
    close(ends[0]);
    for (int sent = 0; sent < kTotal;) {
      int part = 0;
      while (part < 2999 && sent + part < kTotal) buffer[part] = Expected(sent + part), ++part;
      if (write(ends[1], buffer, part) != part) exit(1);
      sent += part;
    }
    exit(0);
  }
  close(ends[1]);
  int received = 0, size, want = 1;
  while ((size = read(ends[0], buffer, want)) > 0) {
    for (int i = 0; i < size; ++i) CHECK(buffer[i] == Expected(received + i));
    received += size;
    want = want * 2 > 1500 ? 1 : want * 2;
  }
  CHECK(size == 0 && received == kTotal);
  close(ends[0]);
  int status = -1;
  CHECK(wait(&status) == child && status == 0);
}

// A reader that waits is woken by a single byte, while both ends stay open.
void Answer() {
  int there[2], back[2];
  CHECK(pipe(there) == 0 && pipe(back) == 0);
  const int child = fork();
  CHECK(child >= 0);
  char byte = 0;
  if (child == 0) {
    while (read(there[0], &byte, 1) == 1 && byte != 0) write(back[1], &byte, 1);
    exit(0);
  }
  for (char sent = 10; sent > 0; --sent) {
    sleep(sent % 3);
    CHECK(write(there[1], &sent, 1) == 1);
    CHECK(read(back[0], &byte, 1) == 1 && byte == sent);
  }
  byte = 0;
  CHECK(write(there[1], &byte, 1) == 1 && wait() == child);
  const int all[] = {there[0], there[1], back[0], back[1]};
  for (int each : all) close(each);
}

}  // namespace

void Test() {
  Transfer();
  Answer();
  int ends[2];
  CHECK(pipe(ends) == 0);
  char byte = 'x';
  CHECK(read(ends[1], &byte, 1) == -1 && write(ends[0], &byte, 1) == -1);
  CHECK(read(ends[0], &byte, 0) == 0);  // Without waiting.
  CHECK(write(ends[1], &byte, 1) == 1);
  close(ends[1]);
  CHECK(read(ends[0], &byte, 1) == 1 && read(ends[0], &byte, 1) == 0);
  close(ends[0]);
  CHECK(pipe(ends) == 0);
  close(ends[0]);
  CHECK(write(ends[1], &byte, 1) == -1);  // Nobody can read it.
  close(ends[1]);

  int made = 0;
  int pairs[kMaxDescriptors][2];
  while (pipe(pairs[made]) == 0) ++made;
  CHECK(made == (kMaxDescriptors - 3) / 2);
  const int last = dup(0);
  CHECK(last == kMaxDescriptors - 1 && dup(0) == -1 && open("console") == -1);
  close(last);
  while (made-- > 0) CHECK(close(pairs[made][0]) == 0 && close(pairs[made][1]) == 0);
}
