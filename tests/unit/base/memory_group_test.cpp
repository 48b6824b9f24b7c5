#include "base/memory_group.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace crawler {
namespace {

namespace fs = std::filesystem;

/// Files as those of a kernel with control groups, in a folder of their own.
class FakeSystem {
 public:
  FakeSystem() {
    std::string name = (fs::temp_directory_path() / "memory-group-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~FakeSystem() { fs::remove_all(root_); }

  void Write(const fs::path& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  /// A mounted hierarchy that shows `group`, in the folder `at`.
  std::string Mounted(const std::string& at, const std::string& group, const std::string& type) {
    return "36 35 0:31 " + group + " " + (root_ / at).string() + " rw shared:9 - " + type + "\n";
  }
  std::optional<MemoryGroup> Find() const { return MemoryGroup::Find(root_ / "proc"); }

 private:
  fs::path root_;
};

TEST(MemoryGroup, Version2TakesTheLowestLimitOfTheGroupsAround) {
  FakeSystem system;
  system.Write("proc/mountinfo", "1 0 8:1 / / rw - ext4 /dev/sda rw\n" +
                                     system.Mounted("sys", "/", "cgroup2 cgroup2 rw"));
  system.Write("proc/cgroup", "0::/a/b/c\n");
  system.Write("sys/memory.stat", "anon 1\n");
  system.Write("sys/a/memory.max", "500000000\n");
  system.Write("sys/a/memory.current", "300000000\n");
  system.Write("sys/a/memory.stat",
               "anon 7\nactive_file 50000000\ninactive_file 25000000\nslab_reclaimable 5000000\n");
  system.Write("sys/a/b/memory.max", "600000000\n");
  system.Write("sys/a/b/c/memory.max", "max\n");
  const std::optional<MemoryGroup> group = system.Find();
  ASSERT_TRUE(group);
  EXPECT_EQ(group->limit(), 500'000'000u);
  EXPECT_EQ(group->Used(), 220'000'000u);
}

TEST(MemoryGroup, Version1) {
  FakeSystem system;
  system.Write("proc/mountinfo", system.Mounted("cpu", "/", "cgroup cgroup rw,cpu,cpuacct") +
                                     system.Mounted("memory", "/", "cgroup cgroup rw,memory"));
  system.Write("proc/cgroup", "5:cpu,cpuacct:/x\n4:memory:/jobs/one\n0::/\n");
  system.Write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  system.Write("memory/jobs/memory.limit_in_bytes", "9223372036854771712\n");
  system.Write("memory/jobs/one/memory.limit_in_bytes", "268435456\n");
  system.Write("memory/jobs/one/memory.usage_in_bytes", "100000000\n");
  system.Write("memory/jobs/one/memory.stat",
               "active_file 9\ntotal_active_file 1000\ntotal_inactive_file 2000\n");
  const std::optional<MemoryGroup> group = system.Find();
  ASSERT_TRUE(group);
  EXPECT_EQ(group->limit(), 268'435'456u);
  EXPECT_EQ(group->Used(), 99'997'000u);
}

// A container sees its own group in place of the root, and may see its path outside.
TEST(MemoryGroup, InAContainer) {
  for (const char* const path : {"/docker/abc", "/elsewhere", "/"}) {
    FakeSystem system;
    system.Write("proc/mountinfo",
                 system.Mounted("memory", "/docker/abc", "cgroup cgroup rw,memory"));
    system.Write("proc/cgroup", "4:memory:" + std::string(path) + "\n");
    system.Write("memory/memory.limit_in_bytes", "1000000\n");
    const std::optional<MemoryGroup> group = system.Find();
    ASSERT_TRUE(group) << path;
    EXPECT_EQ(group->limit(), 1'000'000u);
    EXPECT_EQ(group->Used(), 0u) << "it cannot be read";
  }
}

TEST(MemoryGroup, WithoutALimitThereIsNone) {
  FakeSystem system;
  EXPECT_FALSE(system.Find()) << "no files";
  system.Write("proc/mountinfo",
               "\n- -\n1 2 3 4 5 - cgroup2\n" + system.Mounted("sys", "/", "cgroup2 cgroup2 rw"));
  system.Write("proc/cgroup", "::\n0\n0::/a\n");
  EXPECT_FALSE(system.Find());
  system.Write("sys/a/memory.max", "max\n");
  EXPECT_FALSE(system.Find());
  system.Write("sys/a/memory.max", "12 apples");
  EXPECT_EQ(system.Find()->limit(), 12u);
  system.Write("sys/a/memory.max", "-5");
  EXPECT_FALSE(system.Find());
}

TEST(MemoryGroup, SaysWhenLittleIsLeft) {
  FakeSystem system;
  system.Write("proc/mountinfo", system.Mounted("sys", "/", "cgroup2 cgroup2 rw"));
  system.Write("proc/cgroup", "0::/a\n");
  system.Write("sys/a/memory.max", std::to_string(256 << 20));
  const std::optional<MemoryGroup> group = system.Find();
  ASSERT_TRUE(group);
  EXPECT_TRUE(group->CheckRoom().ok()) << "unknown";
  system.Write("sys/a/memory.current", std::to_string(224 << 20));
  EXPECT_TRUE(group->CheckRoom().ok());
  system.Write("sys/a/memory.current", std::to_string(225 << 20));
  const Status status = group->CheckRoom();
  EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
  EXPECT_NE(status.message().find("of the 256 MiB"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("225 MiB are used"), std::string::npos) << status.message();
  system.Write("sys/a/memory.stat", "inactive_file 2000000\n");
  EXPECT_TRUE(group->CheckRoom().ok()) << "cached files can go";
}

TEST(MemoryGroup, ThisProcess) {
  const std::optional<MemoryGroup> group = MemoryGroup::Find();
  if (group) {
    EXPECT_GT(group->Used(), 0u);
    EXPECT_EQ(WithinMemoryGroup(std::uint64_t{1} << 60), group->limit() / 4 * 3);
  }
  EXPECT_EQ(WithinMemoryGroup(1), 1u);
}

}  // namespace
}  // namespace crawler
