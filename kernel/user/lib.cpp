#include "user.hpp"

int main(int argc, char** argv);

/// Where exec() lets a program begin, with the arguments as if it had been called.
extern "C" void Start(int argc, char** argv) { exit(main(argc, argv)); }

namespace {

template <typename T>
uint32_t Word(T* pointer) {
  return reinterpret_cast<uint32_t>(pointer);
}
uint32_t Word(int number) { return static_cast<uint32_t>(number); }

}  // namespace

int fork() { return SystemCall(kSysFork); }

void exit(int status) {
  SystemCall(kSysExit, Word(status));
  __builtin_unreachable();
}

int wait(int* status) { return SystemCall(kSysWait, Word(status)); }
int kill(int pid) { return SystemCall(kSysKill, Word(pid)); }
int getpid() { return SystemCall(kSysGetpid); }
int sleep(int ticks) { return SystemCall(kSysSleep, Word(ticks)); }
int uptime() { return SystemCall(kSysUptime); }
char* sbrk(int bytes) { return reinterpret_cast<char*>(SystemCall(kSysSbrk, Word(bytes))); }
int exec(const char* path, const char* const* arguments) {
  return SystemCall(kSysExec, Word(path), Word(arguments));
}
int open(const char* path, uint32_t flags) { return SystemCall(kSysOpen, Word(path), flags); }
int read(int descriptor, void* to, int size) {
  return SystemCall(kSysRead, Word(descriptor), Word(to), Word(size));
}
int write(int descriptor, const void* from, int size) {
  return SystemCall(kSysWrite, Word(descriptor), Word(from), Word(size));
}
int close(int descriptor) { return SystemCall(kSysClose, Word(descriptor)); }
int dup(int descriptor) { return SystemCall(kSysDup, Word(descriptor)); }
int pipe(int descriptors[2]) { return SystemCall(kSysPipe, Word(descriptors)); }
int unlink(const char* path) { return SystemCall(kSysUnlink, Word(path)); }
int clone(void (*function)(void*), void* argument, void* stack) {
  return SystemCall(kSysClone, reinterpret_cast<uint32_t>(function), Word(argument), Word(stack));
}
int join(void** stack) { return SystemCall(kSysJoin, Word(stack)); }
int foreground(int pid) { return SystemCall(kSysForeground, Word(pid)); }
int audit(AuditStep step) { return SystemCall(kSysAudit, step); }
int halt(int status) { return SystemCall(kSysHalt, Word(status)); }

void printf(const char* format, ...) {
  struct Buffer {
    char text[256];
    int used;
    void Flush() {
      write(1, text, used);
      used = 0;
    }
  } buffer;
  buffer.used = 0;
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  FormatText(
      [](char c, void* context) {
        auto* to = static_cast<Buffer*>(context);
        if (to->used == sizeof(to->text)) to->Flush();
        to->text[to->used++] = c;
      },
      &buffer, format, arguments);
  __builtin_va_end(arguments);
  buffer.Flush();
}
