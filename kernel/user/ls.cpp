#include "user.hpp"

// ls: names in columns, as many as fit a terminal of 80. ls -l: one name with its size per line.
namespace {

constexpr int kWidth = 80, kMaxFiles = 256;

DirectoryEntry entries[kMaxFiles];

void Sort(int count) {
  for (int i = 1; i < count; ++i) {
    const DirectoryEntry entry = entries[i];
    int at = i;
    for (; at > 0 && strcmp(entries[at - 1].name, entry.name) > 0; --at) {
      entries[at] = entries[at - 1];
    }
    entries[at] = entry;
  }
}

// Down the first column, then down the second: as a reader looks for a name.
void PrintColumns(int count) {
  int width = 1;
  for (int i = 0; i < count; ++i) {
    const int needed = static_cast<int>(strlen(entries[i].name)) + 2;
    if (needed > width) width = needed;
  }
  const int columns = kWidth / width > 0 ? kWidth / width : 1;
  const int rows = (count + columns - 1) / columns;
  for (int row = 0; row < rows; ++row) {
    char line[kWidth + 1];
    int used = 0;
    for (int i = row; i < count; i += rows) {
      const char* name = entries[i].name;
      while (*name != 0 && used < kWidth) line[used++] = *name++;
      const int next = (i / rows + 1) * width;
      while (i + rows < count && used < next && used < kWidth) line[used++] = ' ';
    }
    line[used] = 0;
    printf("%s\n", line);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int directory = open("/");
  int count = 0;
  while (count < kMaxFiles &&
         read(directory, &entries[count], sizeof(entries[0])) == sizeof(entries[0])) {
    ++count;
  }
  Sort(count);
  if (argc < 2 || strcmp(argv[1], "-l") != 0) {
    PrintColumns(count);
    return 0;
  }
  for (int i = 0; i < count; ++i) printf("%s %u\n", entries[i].name, entries[i].size);
  return 0;
}
