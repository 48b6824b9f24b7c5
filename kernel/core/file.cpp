#include "file.hpp"

#include "console.hpp"
#include "fs.hpp"
#include "lock.hpp"
#include "pipe.hpp"
#include "process.hpp"
#include "text.hpp"

namespace kernel {
namespace {

constexpr int kMaxOpenFiles = 128;

constinit OpenFile files[kMaxOpenFiles] = {};
constinit SpinLock files_lock{"open files"};

}  // namespace

OpenFile* OpenFile::Allocate(Kind kind, bool readable, bool writable) {
  SpinGuard guard(files_lock);
  for (OpenFile& file : files) {
    if (file.references_ != 0) continue;
    file = OpenFile{};
    file.references_ = 1;
    file.kind_ = kind;
    file.readable_ = readable;
    file.writable_ = writable;
    return &file;
  }
  return nullptr;
}

OpenFile* OpenFile::Open(const char* path, uint32_t flags) {
  const uint32_t mode = flags & 3;
  if (mode == 3 || (flags & ~(3u | kOpenCreate | kOpenTruncate)) != 0) return nullptr;
  const bool readable = mode != kOpenWrite, writable = mode != kOpenRead;
  if (strcmp(path, "console") == 0) return Allocate(Kind::kConsole, readable, writable);
  if (strcmp(path, "/") == 0 || strcmp(path, ".") == 0) {
    return flags == kOpenRead ? Allocate(Kind::kDirectory, true, false) : nullptr;
  }
  OpenFile* file = Allocate(Kind::kFile, readable, writable);
  if (file == nullptr) return nullptr;
  const bool truncate = (flags & kOpenTruncate) != 0;
  file->inode_ =
      truncate && !writable ? nullptr : OpenInode(path, (flags & kOpenCreate) != 0, truncate);
  if (file->inode_ != nullptr) return file;
  file->Release();
  return nullptr;
}

bool OpenFile::OpenPipe(OpenFile** reader, OpenFile** writer) {
  Pipe* pipe = NewPipe();
  *reader = Allocate(Kind::kPipe, true, false);
  *writer = Allocate(Kind::kPipe, false, true);
  if (pipe != nullptr && *reader != nullptr && *writer != nullptr) {
    (*reader)->pipe_ = pipe;
    (*writer)->pipe_ = pipe;
    return true;
  }
  if (pipe != nullptr) FreePipe(pipe);
  if (*reader != nullptr) (*reader)->Release();
  if (*writer != nullptr) (*writer)->Release();
  return false;
}

OpenFile* OpenFile::Retain() {
  SpinGuard guard(files_lock);
  ++references_;
  return this;
}

void OpenFile::Release() {
  Inode* inode;
  Pipe* pipe;
  bool writer;
  {
    SpinGuard guard(files_lock);
    if (references_ > 1) {
      --references_;
      return;
    }
    inode = inode_;
    pipe = pipe_;
    writer = writable_;
    references_ = 0;
  }
  if (inode != nullptr) CloseInode(inode);
  if (pipe != nullptr) ClosePipe(pipe, writer);
}

int OpenFile::Read(uint8_t* to, int size) {
  if (!readable_) return -1;
  switch (kind_) {
    case Kind::kConsole:
      return ReadConsole(to, size);
    case Kind::kDirectory:
      return ReadDirectory(&offset_, to, static_cast<uint32_t>(size));
    case Kind::kFile:
      return ReadInode(inode_, &offset_, to, static_cast<uint32_t>(size));
    case Kind::kPipe:
      return ReadPipe(pipe_, to, size);
  }
  return -1;
}

int OpenFile::Write(const uint8_t* from, int size) {
  if (!writable_) return -1;
  switch (kind_) {
    case Kind::kConsole:
      return WriteConsole(from, size);
    case Kind::kFile:
      return WriteInode(inode_, &offset_, from, static_cast<uint32_t>(size));
    case Kind::kPipe:
      return WritePipe(pipe_, from, size);
    case Kind::kDirectory:
      break;
  }
  return -1;
}

int OpenFile::CountOpen() {
  SpinGuard guard(files_lock);
  int count = 0;
  for (const OpenFile& file : files) count += file.references_ != 0 ? 1 : 0;
  return count;
}

int AssignDescriptor(OpenFile* file) {
  Process& me = CurrentProcess();
  for (int i = 0; i < kMaxDescriptors; ++i) {
    if (me.files[i] != nullptr) continue;
    me.files[i] = file;
    return i;
  }
  return -1;
}

void CloseAllFiles(Process& process) {
  for (OpenFile*& file : process.files) {
    if (file != nullptr) file->Release();
    file = nullptr;
  }
}

}  // namespace kernel
