#include "user.hpp"

// Lines, words and bytes of the standard input.
int main(int /*argc*/, char** /*argv*/) {
  int lines = 0, words = 0, bytes = 0, size;
  bool in_word = false;
  char buffer[512];
  while ((size = read(0, buffer, sizeof(buffer))) > 0) {
    bytes += size;
    for (int i = 0; i < size; ++i) {
      const bool blank = buffer[i] == ' ' || buffer[i] == '\n' || buffer[i] == '\t';
      if (buffer[i] == '\n') ++lines;
      if (!blank && !in_word) ++words;
      in_word = !blank;
    }
  }
  printf("%d %d %d\n", lines, words, bytes);
  return 0;
}
