#include "user.hpp"

// A small shell: `a b < in | c > out &`, words separated by blanks; `help` and `exit`. The kernel's
// console does the line editing (core/console.cpp).
namespace {

constexpr int kMaxWords = 32;
// What ran in the background keeps its place in the table of processes until the shell waits for
// it. With so many, half of the table is left to the longest pipeline there can be.
constexpr int kMaxJobs = 16;

// Reads a line without its end; false at the end of input.
bool ReadLine(char* line, int size) {
  int length = read(0, line, size - 1);
  if (length <= 0) return false;
  if (line[length - 1] == '\n') --length;
  line[length] = 0;
  return true;
}

int Split(char* line, char** words) {
  int count = 0;
  while (count < kMaxWords - 1) {
    while (*line == ' ' || *line == '\t') *line++ = 0;
    if (*line == 0) break;
    words[count++] = line;
    while (*line != 0 && *line != ' ' && *line != '\t') ++line;
  }
  words[count] = nullptr;
  return count;
}

void Redirect(int descriptor, const char* path, uint32_t flags) {
  close(descriptor);
  if (path != nullptr && open(path, flags) == descriptor) return;
  printf("sh: cannot open %s\n", path);
  exit(1);
}

// Runs words[0..count) as one command, in this process.
[[noreturn]] void RunCommand(char** words, int count) {
  const char* arguments[kMaxArguments + 1];
  int used = 0;
  for (int i = 0; i < count; ++i) {
    if (strcmp(words[i], "<") == 0) {
      Redirect(0, words[++i], kOpenRead);
    } else if (strcmp(words[i], ">") == 0) {
      Redirect(1, words[++i], kOpenWrite | kOpenCreate | kOpenTruncate);
    } else if (used < kMaxArguments) {
      arguments[used++] = words[i];
    }
  }
  arguments[used] = nullptr;
  if (used == 0) exit(0);
  exec(arguments[0], arguments);
  printf("sh: no program %s; `help` lists them\n", arguments[0]);
  exit(1);
}

// Runs a pipeline, in this process: the last command here, what is before it in a child.
[[noreturn]] void RunPipeline(char** words, int count) {
  int bar = count - 1;
  while (bar >= 0 && strcmp(words[bar], "|") != 0) --bar;
  if (bar < 0) RunCommand(words, count);
  int ends[2];
  if (pipe(ends) < 0) exit(1);
  const int left = fork();
  if (left < 0) {
    printf("sh: cannot fork\n");
    exit(1);
  }
  const int own = left == 0 ? 1 : 0;  // The left side writes, the right side reads.
  close(own);
  dup(ends[own]);
  close(ends[0]);
  close(ends[1]);
  words[bar] = nullptr;
  if (left == 0) RunPipeline(words, bar);
  RunCommand(words + bar + 1, count - bar - 1);
}

// Prints the file "help" or, for the word `tests`, "help-tests": both are made by the build.
void PrintHelp(const char* topic) {
  const bool tests = topic != nullptr && strcmp(topic, "tests") == 0;
  const int file = open(tests ? "help-tests" : "help");
  char text[512];
  for (int size; (size = read(file, text, sizeof(text))) > 0;) write(1, text, size);
  close(file);
}

}  // namespace

int main(int /*argc*/, char** /*argv*/) {
  char line[256];
  char* words[kMaxWords];
  int jobs = 0;  // In the background, and not waited for.
  for (;;) {
    foreground(0);  // At the prompt Ctrl-C drops the line, and nothing else.
    printf("$ ");
    if (!ReadLine(line, sizeof(line))) return 0;
    int count = Split(line, words);
    if (count == 0) continue;
    if (strcmp(words[0], "exit") == 0) return 0;
    if (strcmp(words[0], "help") == 0) {
      PrintHelp(words[1]);
      continue;
    }
    const bool background = strcmp(words[count - 1], "&") == 0;
    if (background) words[--count] = nullptr;
    while (jobs >= kMaxJobs && wait() > 0) --jobs;
    const int child = fork();
    if (child == 0) RunPipeline(words, count);
    if (child < 0) printf("sh: cannot fork\n");
    if (child > 0 && background) ++jobs;
    if (child < 0 || background) continue;
    foreground(child);
    int status = 0;
    for (int pid = 0; pid != child && pid >= 0;) {
      pid = wait(&status);
      if (pid > 0 && pid != child) --jobs;
    }
    if (status != 0) printf("[status %d]\n", status);
  }
}
