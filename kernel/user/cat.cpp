#include "user.hpp"

namespace {

int Copy(int from) {
  char buffer[512];
  int size;
  while ((size = read(from, buffer, sizeof(buffer))) > 0) {
    if (write(1, buffer, size) != size) return 1;
  }
  return size == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return Copy(0);
  for (int i = 1; i < argc; ++i) {
    const int file = open(argv[i]);
    if (file < 0 || Copy(file) != 0) {
      printf("cat: cannot read %s\n", argv[i]);
      return 1;
    }
    close(file);
  }
  return 0;
}
