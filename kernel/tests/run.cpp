#include "user.hpp"

// The first process of a test boot: `run program program,argument @list ...` runs each program,
// then waits until every orphan it left behind has ended too, and has the kernel compare what is
// in use with what was before. Ends the machine with the number of failures.
namespace {

bool Run(char* command) {
  const char* arguments[kMaxArguments + 1] = {command};
  int count = 1;
  printf("RUN %s\n", command);
  for (char* at = command; *at != 0; ++at) {
    if (*at != ',' || count == kMaxArguments) continue;
    *at = 0;
    arguments[count++] = at + 1;
  }
  audit(kAuditNote);
  const int start = uptime();
  const int test = fork();
  if (test == 0) {
    exec(arguments[0], arguments);
    printf("no program %s\n", arguments[0]);
    exit(127);
  }
  int result = -1, status = 0, pid;
  while ((pid = wait(&status)) > 0) {
    if (pid == test) result = status;
  }
  const bool clean = audit(kAuditCompare) == 0;
  const bool passed = result == 0 && clean;
  printf("%s %s (%d ticks)\n", passed ? "PASS" : "FAIL", command, uptime() - start);
  return passed;
}

// Runs the lines of a file.
int RunList(const char* path) {
  static char text[4096];
  const int file = open(path);
  const int size = read(file, text, sizeof(text) - 1);
  close(file);
  if (size <= 0) return 1;
  int failures = 0;
  for (char* line = text; *line != 0;) {
    char* end = line;
    while (*end != 0 && *end != '\n') ++end;
    const bool last = *end == 0;
    *end = 0;
    if (*line != 0) failures += Run(line) ? 0 : 1;
    line = last ? end : end + 1;
  }
  return failures;
}

}  // namespace

int main(int argc, char** argv) {
  open("console", kOpenReadWrite);
  dup(0);
  dup(0);
  int failures = argc < 2 ? 1 : 0;
  for (int i = 1; i < argc; ++i) {
    failures += argv[i][0] == '@' ? RunList(argv[i] + 1) : (Run(argv[i]) ? 0 : 1);
  }
  printf("%d failed\n", failures);
  return halt(failures < 100 ? failures : 100);
}
