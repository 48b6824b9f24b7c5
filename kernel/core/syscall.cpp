#include "audit.hpp"
#include "console.hpp"
#include "file.hpp"
#include "fs.hpp"
#include "pages.hpp"
#include "process.hpp"
#include "text.hpp"

// System calls: every argument is checked here, and nothing below this file sees a bad one.
namespace kernel {
namespace {

constexpr uint32_t kMaxPath = kMaxName + 3;  // With "./" in front, and the zero.

bool Readable(uint32_t address, uint32_t size) {
  return CurrentProcess().space->Allows(address, size, false);
}

bool Writable(uint32_t address, uint32_t size) {
  return CurrentProcess().space->Allows(address, size, true);
}

template <typename T>
T* Pointer(uint32_t address) {
  return reinterpret_cast<T*>(address);
}

// Copies a string, because another thread could change it after the check. Returns its length
// with the terminating zero; 0 if it is not readable to its end or does not fit.
uint32_t CopyString(uint32_t from, char* to, uint32_t size) {
  for (uint32_t i = 0; i < size; ++i) {
    if (!Readable(from + i, 1)) return 0;
    to[i] = *Pointer<const char>(from + i);
    if (to[i] == 0) return i + 1;
  }
  return 0;
}

OpenFile* Descriptor(uint32_t number) {
  return number < kMaxDescriptors ? CurrentProcess().files[number] : nullptr;
}

int SysRead(uint32_t descriptor, uint32_t address, int size) {
  OpenFile* file = Descriptor(descriptor);
  if (file == nullptr || size < 0 || !Writable(address, static_cast<uint32_t>(size))) return -1;
  return size == 0 ? 0 : file->Read(Pointer<uint8_t>(address), size);
}

int SysWrite(uint32_t descriptor, uint32_t address, int size) {
  OpenFile* file = Descriptor(descriptor);
  if (file == nullptr || size < 0 || !Readable(address, static_cast<uint32_t>(size))) return -1;
  return file->Write(Pointer<const uint8_t>(address), size);
}

int SysClose(uint32_t descriptor) {
  OpenFile* file = Descriptor(descriptor);
  if (file == nullptr) return -1;
  CurrentProcess().files[descriptor] = nullptr;
  file->Release();
  return 0;
}

int AssignOrRelease(OpenFile* file) {
  const int descriptor = AssignDescriptor(file);
  if (descriptor < 0) file->Release();
  return descriptor;
}

int SysDup(uint32_t descriptor) {
  OpenFile* file = Descriptor(descriptor);
  return file == nullptr ? -1 : AssignOrRelease(file->Retain());
}

int SysOpen(uint32_t path_address, uint32_t flags) {
  char path[kMaxPath];
  if (CopyString(path_address, path, sizeof(path)) == 0) return -1;
  OpenFile* file = OpenFile::Open(path, flags);
  return file == nullptr ? -1 : AssignOrRelease(file);
}

int SysUnlink(uint32_t path_address) {
  char path[kMaxPath];
  return CopyString(path_address, path, sizeof(path)) == 0 ? -1 : RemoveName(path);
}

int SysPipe(uint32_t address) {
  if (!Writable(address, 8)) return -1;
  OpenFile* reader;
  OpenFile* writer;
  if (!OpenFile::OpenPipe(&reader, &writer)) return -1;
  const int read_descriptor = AssignDescriptor(reader);
  const int write_descriptor = AssignDescriptor(writer);
  if (write_descriptor < 0) {
    if (read_descriptor >= 0) CurrentProcess().files[read_descriptor] = nullptr;
    reader->Release();
    writer->Release();
    return -1;
  }
  Pointer<int>(address)[0] = read_descriptor;
  Pointer<int>(address)[1] = write_descriptor;
  return 0;
}

// Copies the strings of an argument vector one behind the other; -1 if one is bad or they are too
// many or too long, else their number.
int CopyArguments(uint32_t vector, char* to, uint32_t size) {
  for (int count = 0; count <= kMaxArguments; ++count, vector += 4) {
    if (!Readable(vector, 4)) return -1;
    const uint32_t string = *Pointer<const uint32_t>(vector);
    if (string == 0) return count;
    if (count == kMaxArguments) return -1;
    const uint32_t length = CopyString(string, to, size);
    if (length == 0) return -1;
    to += length;
    size -= length;
  }
  return -1;
}

int SysExec(uint32_t path_address, uint32_t vector) {
  char path[kMaxPath];
  if (CopyString(path_address, path, sizeof(path)) == 0) return -1;
  char* arguments = reinterpret_cast<char*>(AllocatePage());
  if (arguments == nullptr) return -1;
  const int count = CopyArguments(vector, arguments, kPageSize);
  const int result = count < 0 ? -1 : Exec(path, arguments, count);
  FreePage(arguments);
  return result;
}

int SysWait(uint32_t status) {
  if (status != 0 && !Writable(status, 4)) return -1;
  return Wait(Pointer<int>(status));
}

int SysJoin(uint32_t stack) { return Writable(stack, 4) ? Join(Pointer<uint32_t>(stack)) : -1; }

int SysCondSleep(uint32_t condition, uint32_t lock) {
  if (!Readable(condition, 4) || !Writable(lock, 4)) return -1;
  return CondSleep(Pointer<const void>(condition), Pointer<uint32_t>(lock));
}

int SysCondWake(uint32_t condition) {
  return Readable(condition, 4) ? CondWake(Pointer<const void>(condition)) : -1;
}

// The machine belongs to the first process.
int SysHalt(uint32_t status) {
  if (CurrentProcess().pid != 1) return -1;
  PowerOff(static_cast<uint8_t>(status));
}

int SysAudit(uint32_t step) { return CurrentProcess().pid == 1 ? Audit(step) : -1; }

int Dispatch(uint32_t number, uint32_t a, uint32_t b, uint32_t c) {
  switch (number) {
    case kSysFork:
      return Fork();
    case kSysExit:
      Exit(static_cast<int>(a));
    case kSysWait:
      return SysWait(a);
    case kSysKill:
      return Kill(static_cast<int>(a));
    case kSysGetpid:
      return CurrentProcess().pid;
    case kSysSleep:
      return SleepTicks(static_cast<int>(a));
    case kSysUptime:
      return Uptime();
    case kSysSbrk:
      return CurrentProcess().space->Resize(static_cast<int>(a));
    case kSysExec:
      return SysExec(a, b);
    case kSysOpen:
      return SysOpen(a, b);
    case kSysRead:
      return SysRead(a, b, static_cast<int>(c));
    case kSysWrite:
      return SysWrite(a, b, static_cast<int>(c));
    case kSysClose:
      return SysClose(a);
    case kSysDup:
      return SysDup(a);
    case kSysPipe:
      return SysPipe(a);
    case kSysUnlink:
      return SysUnlink(a);
    case kSysClone:
      return Clone(a, b, c);
    case kSysJoin:
      return SysJoin(a);
    case kSysCondSleep:
      return SysCondSleep(a, b);
    case kSysCondWake:
      return SysCondWake(a);
    case kSysForeground:
      return SetForeground(static_cast<int>(a));
    case kSysAudit:
      return SysAudit(a);
    case kSysHalt:
      return SysHalt(a);
    default:
      return -1;
  }
}

}  // namespace

void RunSystemCall(TrapFrame& frame) {
  // exec() replaces the frame, and its result with it; nobody is left to see that.
  frame.eax = static_cast<uint32_t>(Dispatch(frame.eax, frame.ebx, frame.ecx, frame.edx));
}

}  // namespace kernel
