#include "check.hpp"

// Files: create, write, read, truncate, unlink while open, limits.
namespace {

char buffer[5000];

void WriteAndReadBack() {
  int file = open("file", kOpenCreate | kOpenReadWrite);
  CHECK(file == 3);
  for (int i = 0; i < 5000; ++i) buffer[i] = static_cast<char>(i * 13);
  for (int i = 0; i < 5; ++i) CHECK(write(file, buffer, 5000) == 5000);
  CHECK(read(file, buffer, 1) == 0);  // At its end.
  close(file);
  file = open("./file");
  CHECK(file == 3);
  CHECK(write(file, buffer, 1) == -1);
  memset(buffer, 0, sizeof(buffer));
  for (int i = 0; i < 25000; i += 5000) {
    CHECK(read(file, buffer, 5000) == 5000);
    for (int j = 0; j < 5000; ++j) CHECK(buffer[j] == static_cast<char>(j * 13));
  }
  CHECK(read(file, buffer, 5000) == 0);
  close(file);
}

void SharePositions() {
  const int file = open("file"), same = dup(file), other = open("file");
  char byte;
  CHECK(read(file, &byte, 1) == 1 && read(same, &byte, 1) == 1);
  CHECK(byte == 13);
  CHECK(read(other, &byte, 1) == 1 && byte == 0);
  close(file);
  CHECK(read(same, &byte, 1) == 1 && byte == 26);
  close(same);
  close(other);
  CHECK(read(other, &byte, 1) == -1 && close(other) == -1);
}

void TruncateAndRemove() {
  const int reader = open("file");
  const int late = open("file", kOpenReadWrite);
  CHECK(read(late, buffer, 5000) == 5000);
  const int writer = open("file", kOpenWrite | kOpenTruncate);
  CHECK(read(reader, buffer, 10) == 0);
  CHECK(write(writer, "new", 3) == 3);
  CHECK(write(late, "far", 3) == 3);  // Leaves a hole of zeros.
  CHECK(unlink("file") == 0 && unlink("file") == -1);
  CHECK(open("file") == -1);
  CHECK(read(reader, buffer, 5000) == 5000);
  CHECK(memcmp(buffer, "new", 3) == 0 && buffer[4000] == 0);
  CHECK(read(reader, buffer, 5000) == 3 && memcmp(buffer, "far", 3) == 0);
  close(reader);
  close(late);
  close(writer);
}

void Limits() {
  char name[kMaxName + 2];
  memset(name, 'n', sizeof(name));
  name[kMaxName + 1] = 0;
  CHECK(open(name, kOpenCreate | kOpenWrite) == -1);
  name[kMaxName] = 0;
  const int file = open(name, kOpenCreate | kOpenWrite);
  CHECK(file >= 0);
  static char chunk[65536];
  int total = 0, size;
  while ((size = write(file, chunk, sizeof(chunk))) > 0) total += size;
  CHECK(total == 4 << 20);
  close(file);
  CHECK(unlink(name) == 0);
  CHECK(open("", kOpenCreate | kOpenWrite) == -1);
  CHECK(open("/", kOpenWrite) == -1 && open("console", 3) == -1 && open("echo", 0x8000) == -1);
  CHECK(open("echo", kOpenTruncate) == -1);
  // Every name there is room for, and one more.
  int made = 0;
  for (;; ++made) {
    const char each[] = {'t', static_cast<char>('a' + made / 26),
                         static_cast<char>('a' + made % 26), 0};
    const int descriptor = open(each, kOpenCreate | kOpenWrite);
    if (descriptor < 0) break;
    close(descriptor);
    CHECK(made < 500);
  }
  CHECK(made > 10);
  while (made-- > 0) {
    const char each[] = {'t', static_cast<char>('a' + made / 26),
                         static_cast<char>('a' + made % 26), 0};
    CHECK(unlink(each) == 0);
  }
}

}  // namespace

void Test() {
  WriteAndReadBack();
  SharePositions();
  TruncateAndRemove();
  Limits();
}
