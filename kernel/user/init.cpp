#include "user.hpp"

// The first process of an interactive boot: starts the shell, reaps orphans, and turns the machine
// off when the shell ends.
int main(int /*argc*/, char** /*argv*/) {
  open("console", kOpenReadWrite);
  dup(0);
  dup(0);
  printf("Type a command; `help` lists them, Ctrl-P the processes, `exit` ends.\n");
  const int shell = fork();
  if (shell == 0) {
    const char* const arguments[] = {"sh", nullptr};
    exec("sh", arguments);
    exit(1);
  }
  for (int pid = 0; pid != shell;) {
    pid = wait();
    if (pid < 0) break;
  }
  return halt(0);
}
