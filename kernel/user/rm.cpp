#include "user.hpp"

int main(int argc, char** argv) {
  int failures = 0;
  for (int i = 1; i < argc; ++i) {
    if (unlink(argv[i]) == 0) continue;
    printf("rm: no file %s\n", argv[i]);
    ++failures;
  }
  return failures;
}
