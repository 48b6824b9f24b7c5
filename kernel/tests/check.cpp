#include "check.hpp"

constinit int test_pid = 0;

void Fail(const char* file, int line, const char* what) {
  printf("%s:%d: not true: %s\nTEST FAILED\n", file, line, what);
  kill(test_pid);
  exit(1);
}

int main(int /*argc*/, char** /*argv*/) {
  test_pid = getpid();
  Test();
  printf("TEST PASSED\n");
  return 0;
}
