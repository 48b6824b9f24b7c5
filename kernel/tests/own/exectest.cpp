#include "check.hpp"

// exec: arguments arrive, failures change nothing, and no broken program hurts the kernel.
namespace {

const char* const kNone[] = {"x", nullptr};

// Runs a command with its output into a pipe, and compares.
void ExpectOutput(const char* const* arguments, const char* expected) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const int child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    close(1);
    dup(ends[1]);
    close(ends[0]);
    close(ends[1]);
    exec(arguments[0], arguments);
    exit(1);
  }
  close(ends[1]);
  char text[128];
  int length = 0, size;
  while ((size = read(ends[0], text + length, static_cast<int>(sizeof(text)) - length)) > 0) {
    length += size;
  }
  close(ends[0]);
  CHECK(wait() == child);
  CHECK(length == static_cast<int>(strlen(expected)) &&
        memcmp(text, expected, strlen(expected)) == 0);
}

// Copies `cat`, with some bytes of its head changed, and runs that.
void RunMutant(uint32_t seed) {
  static uint8_t image[32768];
  const int original = open("cat");
  const int size = read(original, image, sizeof(image));
  close(original);
  CHECK(size > 100);
  for (int i = 0; i < 3; ++i) {
    seed = seed * 1664525 + 1013904223;
    image[(seed >> 8) % 116] = static_cast<uint8_t>(seed >> 24);  // The two headers.
  }
  const int file = open("mutant", kOpenCreate | kOpenWrite | kOpenTruncate);
  CHECK(write(file, image, size) == size);
  close(file);
  const int child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    close(0);
    close(1);  // If it works after all, it finds nothing to do.
    exec("mutant", kNone);
    exit(1);
  }
  sleep(1);
  kill(child);
  CHECK(wait() == child);
  CHECK(unlink("mutant") == 0);
}

}  // namespace

void Test() {
  const char* const echo[] = {"echo", "a", "b c", "", "d", nullptr};
  ExpectOutput(echo, "a b c  d\n");
  const char* const slash[] = {"/echo", nullptr};
  ExpectOutput(slash, "\n");
  CHECK(exec("no such file", kNone) == -1);
  CHECK(exec("site/index", kNone) == -1);  // Not a program.
  CHECK(exec("", kNone) == -1);
  CHECK(exec("/", kNone) == -1);
  static char long_text[5000];
  memset(long_text, 'x', sizeof(long_text) - 1);
  const char* const too_long[] = {"echo", long_text, nullptr};
  CHECK(exec("echo", too_long) == -1);
  const char* too_many[kMaxArguments + 2] = {};
  for (int i = 0; i <= kMaxArguments; ++i) too_many[i] = "x";
  CHECK(exec("echo", too_many) == -1);
  for (uint32_t seed = 1; seed <= 40; ++seed) RunMutant(seed);
}
