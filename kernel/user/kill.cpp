#include "user.hpp"

int main(int argc, char** argv) {
  int failures = 0;
  for (int i = 1; i < argc; ++i) {
    int pid = 0;
    for (const char* at = argv[i]; *at >= '0' && *at <= '9'; ++at) pid = pid * 10 + (*at - '0');
    if (kill(pid) == 0) continue;
    printf("kill: no process %s\n", argv[i]);
    ++failures;
  }
  return failures;
}
