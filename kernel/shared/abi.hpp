#pragma once

#include <stddef.h>
#include <stdint.h>

/// What the kernel and its user programs agree on. A system call is `int $0x40` with its number in
/// eax and up to three arguments in ebx, ecx, edx; the result comes back in eax, -1 for every
/// error.

inline constexpr uint32_t kPageSize = 4096;
inline constexpr uint32_t kTicksPerSecond = 250;

/// Where a thread's function returns to. Nothing is ever mapped there, so returning is a page
/// fault, and that ends the thread.
inline constexpr uint32_t kFakeReturnAddress = 0xffffffff;

inline constexpr int kMaxProcesses = 64;  ///< Processes and threads together.
inline constexpr int kMaxDescriptors = 16;
inline constexpr int kMaxArguments = 16;
inline constexpr int kMaxName = 59;  ///< Longest file name, without the terminating zero.

enum SystemCallNumber : uint32_t {
  kSysFork = 1,
  kSysExit,
  kSysWait,
  kSysKill,
  kSysGetpid,
  kSysSleep,
  kSysUptime,
  kSysSbrk,
  kSysExec,
  kSysOpen,
  kSysRead,
  kSysWrite,
  kSysClose,
  kSysDup,
  kSysPipe,
  kSysUnlink,
  kSysClone,
  kSysJoin,
  kSysCondSleep,
  kSysCondWake,
  kSysForeground,
  kSysAudit,
  kSysHalt,
  kSysLast = kSysHalt,
};

/// Flags of open(). Reading, writing, or both; then what to do to the file.
enum OpenFlags : uint32_t {
  kOpenRead = 0,
  kOpenWrite = 1,
  kOpenReadWrite = 2,
  kOpenCreate = 0x200,
  kOpenTruncate = 0x400,
};

/// What reading the directory "/" gives: one of these for each file.
struct DirectoryEntry {
  char name[kMaxName + 1];
  uint32_t size;
};

/// The argument of audit(): note what is in use, or compare with what was noted.
enum AuditStep : uint32_t { kAuditNote = 0, kAuditCompare = 1 };
