/* A library for LD_PRELOAD that makes calls of a program fail. What fails is in the environment:
 *
 *   FAULTS=KIND:FIRST[:COUNT[:ERRNO]],...   the calls FIRST to FIRST+COUNT-1 of a kind fail;
 *                                           COUNT 0: all from FIRST on. Default 1.
 *   FAULTS_COUNTS=FILE                      at the end: a line per kind, its calls and failures
 *   FAULTS_TRACE=1                          the stacks of the first failure and of a crash go to
 *                                           stderr
 *
 * Kinds: malloc, write, sync, rename, open, socket, connect, recv, send, thread; and clock, where
 * ERRNO is the number of seconds by which the clock is wrong; the monotonic clock jumps once, at
 * most by an hour forward.
 * Calls are counted from main() on, over all threads. The failed call has no effect, except for a
 * write of several bytes, which may fail half-way: every second one does.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum Kind {
  kMalloc,
  kWrite,
  kSync,
  kRename,
  kOpen,
  kSocket,
  kConnect,
  kRecv,
  kSend,
  kThread,
  kClock,
  kKinds
};
static const char* const kNames[kKinds] = {"malloc",  "write", "sync", "rename", "open", "socket",
                                           "connect", "recv",  "send", "thread", "clock"};
static const int kErrors[kKinds] = {ENOMEM,       EIO,        EIO,   EIO,    EMFILE, EMFILE,
                                    ECONNREFUSED, ECONNRESET, EPIPE, EAGAIN, 0};

struct Plan {
  long first, count;
  int error;
};
static struct Plan plans[kKinds];
static atomic_long calls[kKinds];
static atomic_long failed[kKinds];
static atomic_bool armed;
static int trace;

/* Whether this call of the kind fails. Sets errno if so. */
static int Fails(enum Kind kind) {
  if (!atomic_load_explicit(&armed, memory_order_relaxed)) return 0;
  const long call = atomic_fetch_add(&calls[kind], 1) + 1;
  const struct Plan* const plan = &plans[kind];
  if (plan->first == 0 || call < plan->first) return 0;
  if (plan->count != 0 && call >= plan->first + plan->count) return 0;
  if (atomic_fetch_add(&failed[kind], 1) == 0 && trace) {
    void* frames[64];
    atomic_store(&armed, 0);
    dprintf(2, "faults: %s call %ld fails\n", kNames[kind], call);
    backtrace_symbols_fd(frames, backtrace(frames, 64), 2);
    atomic_store(&armed, 1);
  }
  errno = plan->error;
  return 1;
}

static void Parse(const char* text) {
  for (const char* at = text; at != NULL && *at != '\0';) {
    char name[16] = "";
    struct Plan plan = {0, 1, -1};
    if (sscanf(at, "%15[a-z]:%ld:%ld:%d", name, &plan.first, &plan.count, &plan.error) < 2) break;
    for (int kind = 0; kind < kKinds; ++kind) {
      if (strcmp(name, kNames[kind]) != 0) continue;
      if (plan.error < 0 && kind != kClock) plan.error = kErrors[kind];
      plans[kind] = plan;
    }
    at = strchr(at, ',');
    if (at != NULL) ++at;
  }
}

static void Report(void) {
  atomic_store(&armed, 0);
  const char* const path = getenv("FAULTS_COUNTS");
  if (path == NULL) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  for (int kind = 0; kind < kKinds; ++kind) {
    dprintf(file, "%s %ld %ld\n", kNames[kind], atomic_load(&calls[kind]),
            atomic_load(&failed[kind]));
  }
  close(file);
}

#define NEXT(result, name, ...)              \
  static result (*next_##name)(__VA_ARGS__); \
  if (next_##name == NULL) *(void**)&next_##name = dlsym(RTLD_NEXT, #name)

static void PrintStack(int signal) {
  void* frames[64];
  atomic_store(&armed, 0);
  dprintf(2, "faults: signal %d\n", signal);
  backtrace_symbols_fd(frames, backtrace(frames, 64), 2);
  _exit(128 + signal);
}

/* Everything before main() is left alone. */
static int (*real_main)(int, char**, char**);
static int Main(int argc, char** argv, char** environment) {
  Parse(getenv("FAULTS"));
  trace = getenv("FAULTS_TRACE") != NULL;
  if (trace) {
    void* frame;
    backtrace(&frame, 1); /* Loads its library. */
    signal(SIGSEGV, PrintStack);
    signal(SIGABRT, PrintStack);
  }
  atexit(Report);
  atomic_store(&armed, 1);
  return real_main(argc, argv, environment);
}
int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void* stack_end) {
  NEXT(int, __libc_start_main, int (*)(int, char**, char**), int, char**, void (*)(void),
       void (*)(void), void (*)(void), void*);
  real_main = main;
  return next___libc_start_main(Main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* Memory. glibc has names for its own functions, so none is looked up, which would need memory. */
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) { return Fails(kMalloc) ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) {
  return Fails(kMalloc) ? NULL : __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  return Fails(kMalloc) ? NULL : __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return Fails(kMalloc) ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  if (Fails(kMalloc)) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory == NULL ? ENOMEM : 0;
}

/* Files. */
static int IsTerminalOutput(int file) { return file == 1 || file == 2; }

ssize_t write(int file, const void* bytes, size_t size) {
  NEXT(ssize_t, write, int, const void*, size_t);
  if (IsTerminalOutput(file) || !Fails(kWrite)) return next_write(file, bytes, size);
  return size > 1 && atomic_load(&failed[kWrite]) % 2 == 0 ? next_write(file, bytes, size / 2) : -1;
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  NEXT(ssize_t, pwrite, int, const void*, size_t, off_t);
  if (!Fails(kWrite)) return next_pwrite(file, bytes, size, offset);
  const int half = size > 1 && atomic_load(&failed[kWrite]) % 2 == 0;
  return half ? next_pwrite(file, bytes, size / 2, offset) : -1;
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  return pwrite(file, bytes, size, offset);
}
size_t fwrite(const void* bytes, size_t size, size_t count, FILE* file) {
  NEXT(size_t, fwrite, const void*, size_t, size_t, FILE*);
  if (IsTerminalOutput(fileno(file)) || !Fails(kWrite)) {
    return next_fwrite(bytes, size, count, file);
  }
  return 0;
}
int fsync(int file) {
  NEXT(int, fsync, int);
  return Fails(kSync) ? -1 : next_fsync(file);
}
int fdatasync(int file) {
  NEXT(int, fdatasync, int);
  return Fails(kSync) ? -1 : next_fdatasync(file);
}
int rename(const char* from, const char* to) {
  NEXT(int, rename, const char*, const char*);
  return Fails(kRename) ? -1 : next_rename(from, to);
}

#define WITH_MODE(flags)                 \
  mode_t mode = 0;                       \
  if ((flags) & (O_CREAT | O_TMPFILE)) { \
    va_list rest;                        \
    va_start(rest, flags);               \
    mode = va_arg(rest, mode_t);         \
    va_end(rest);                        \
  }

int open(const char* path, int flags, ...) {
  WITH_MODE(flags)
  NEXT(int, open, const char*, int, ...);
  return Fails(kOpen) ? -1 : next_open(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  WITH_MODE(flags)
  NEXT(int, open64, const char*, int, ...);
  return Fails(kOpen) ? -1 : next_open64(path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  WITH_MODE(flags)
  NEXT(int, openat, int, const char*, int, ...);
  return Fails(kOpen) ? -1 : next_openat(folder, path, flags, mode);
}
FILE* fopen(const char* path, const char* how) {
  NEXT(FILE*, fopen, const char*, const char*);
  return Fails(kOpen) ? NULL : next_fopen(path, how);
}

/* The network. */
int socket(int domain, int type, int protocol) {
  NEXT(int, socket, int, int, int);
  return Fails(kSocket) ? -1 : next_socket(domain, type, protocol);
}
int connect(int file, const struct sockaddr* address, socklen_t size) {
  NEXT(int, connect, int, const struct sockaddr*, socklen_t);
  return Fails(kConnect) ? -1 : next_connect(file, address, size);
}
ssize_t recv(int file, void* bytes, size_t size, int flags) {
  NEXT(ssize_t, recv, int, void*, size_t, int);
  return Fails(kRecv) ? -1 : next_recv(file, bytes, size, flags);
}
ssize_t send(int file, const void* bytes, size_t size, int flags) {
  NEXT(ssize_t, send, int, const void*, size_t, int);
  return Fails(kSend) ? -1 : next_send(file, bytes, size, flags);
}

/* Threads and clocks. */
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
  NEXT(int, pthread_create, pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  return Fails(kThread) ? errno : next_pthread_create(thread, attributes, run, argument);
}
int clock_gettime(clockid_t clock, struct timespec* time) {
  NEXT(int, clock_gettime, clockid_t, struct timespec*);
  const int result = next_clock_gettime(clock, time);
  const int saved = errno;
  const int fails = Fails(kClock);
  const int is_real = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (is_real && fails) time->tv_sec += plans[kClock].error;
  /* The monotonic clock never goes back, nor forward by years. */
  const int is_over =
      plans[kClock].first != 0 && atomic_load(&calls[kClock]) >= plans[kClock].first;
  if (!is_real && is_over && plans[kClock].error > 0 && plans[kClock].error <= 3600) {
    time->tv_sec += plans[kClock].error;
  }
  errno = saved;
  return result;
}
