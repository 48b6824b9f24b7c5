#include "user.hpp"

int main(int /*argc*/, char** /*argv*/) {
  const int directory = open("/");
  DirectoryEntry entry;
  while (read(directory, &entry, sizeof(entry)) == sizeof(entry)) {
    printf("%s %u\n", entry.name, entry.size);
  }
  return 0;
}
