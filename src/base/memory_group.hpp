#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/status.hpp"

namespace crawler {

/// The control group of Linux (version 1 or 2) that limits the memory of this process, as that of a
/// container does. The kernel kills a process of the group when more is needed.
/// Threads: safe from any thread.
class MemoryGroup {
 public:
  /// The group of this process, or one that contains it, with the lowest limit; empty if there is
  /// no limit, or none that can be read. `process` is a folder with `cgroup` and `mountinfo`.
  static std::optional<MemoryGroup> Find(const std::filesystem::path& process = "/proc/self");

  /// In bytes.
  std::uint64_t limit() const { return limit_; }
  /// Bytes that all processes of the group use, without cached files, which the kernel drops when
  /// memory runs out. 0 if it cannot be read.
  std::uint64_t Used() const;
  /// kOutOfMemory if so little is left that the kernel may soon kill a process: less than an eighth
  /// of the limit, at least 16 and at most 128 MiB.
  Status CheckRoom() const;

 private:
  MemoryGroup(std::filesystem::path folder, bool unified, std::uint64_t limit)
      : folder_(std::move(folder)), unified_(unified), limit_(limit) {}

  std::filesystem::path folder_;
  bool unified_;  // Version 2.
  std::uint64_t limit_;
};

/// `wanted` bytes of memory, or as much as is safe to plan with in the group of this process: three
/// quarters of its limit.
std::uint64_t WithinMemoryGroup(std::uint64_t wanted);

}  // namespace crawler
