#pragma once

#include <stdint.h>

#include "abi.hpp"

namespace kernel {

struct Inode;
struct Pipe;
struct Process;

/// What a descriptor stands for: a file with a position, one end of a pipe, the console, or the
/// directory. fork, clone and dup give a second reference to the same one, position included;
/// the last Release() closes it.
class OpenFile {
 public:
  /// Opens "console", the directory "/" or ".", or a file; null if that cannot be.
  static OpenFile* Open(const char* path, uint32_t flags);

  /// Makes a pipe; false, and nothing changed, if there is no room.
  static bool OpenPipe(OpenFile** reader, OpenFile** writer);

  OpenFile* Retain();
  void Release();

  /// Both return the number of bytes, or -1. Reading 0 bytes means the end.
  int Read(uint8_t* to, int size);
  int Write(const uint8_t* from, int size);

  static int CountOpen();

 private:
  enum class Kind : uint8_t { kConsole, kDirectory, kFile, kPipe };

  static OpenFile* Allocate(Kind kind, bool readable, bool writable);

  int references_ = 0;  // 0: this slot is free.
  Kind kind_ = Kind::kConsole;
  bool readable_ = false;
  bool writable_ = false;
  uint32_t offset_ = 0;  // Guarded by the file system's lock.
  Inode* inode_ = nullptr;
  Pipe* pipe_ = nullptr;
};

/// Puts `file` at the lowest free descriptor of the current process; -1 if all are taken.
int AssignDescriptor(OpenFile* file);

void CloseAllFiles(Process& process);

}  // namespace kernel
