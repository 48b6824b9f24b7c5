#include "base/memory_group.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace crawler {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

/// A group without a limit of its own has the largest number of pages in version 1.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60;

std::optional<std::uint64_t> ReadNumber(const fs::path& path) {
  std::ifstream file(path);
  std::string text;
  file >> text;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;  // "max".
  return number;
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool Lists(const std::string& names, std::string_view name) {
  const std::vector<std::string> all = Split(names, ',');
  return std::find(all.begin(), all.end(), name) != all.end();
}

// Where a hierarchy of groups is seen: the folder, and the group that the folder shows.
struct Mount {
  fs::path folder;
  fs::path group;
};

// Lines of mountinfo: "36 35 98:0 ROOT FOLDER OPTIONS… - TYPE SOURCE OPTIONS".
std::optional<Mount> FindMount(const fs::path& process, bool unified) {
  std::ifstream file(process / "mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> fields = Split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.size() < 5 || fields.end() - dash < 4) continue;
    const bool found =
        unified ? dash[1] == "cgroup2" : dash[1] == "cgroup" && Lists(dash[3], "memory");
    if (found) return Mount{fields[4], fields[3]};
  }
  return std::nullopt;
}

// The path of the process's group. Lines of cgroup: "4:memory:/a/b", of version 2 "0::/a/b".
std::optional<fs::path> FindPath(const fs::path& process, bool unified) {
  std::ifstream file(process / "cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos || line[second + 1] != '/') continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (unified ? controllers.empty() : Lists(controllers, "memory"))
      return line.substr(second + 1);
  }
  return std::nullopt;
}

// The folders of the group and of all groups around it. In a container the path may be that outside
// of it; the mounted folder is the group then.
std::vector<fs::path> GroupFolders(const fs::path& process, bool unified) {
  const std::optional<Mount> mount = FindMount(process, unified);
  const std::optional<fs::path> path = FindPath(process, unified);
  if (!mount || !path) return {};
  std::vector<fs::path> folders{mount->folder};
  const fs::path inside = path->lexically_relative(mount->group);
  if (inside.empty() || *inside.begin() == "..") return folders;
  for (const fs::path& part : inside) {
    if (part != ".") folders.push_back(folders.back() / part);
  }
  return folders;
}

// The sum of some lines of memory.stat, "NAME BYTES" each.
std::uint64_t SumOf(const fs::path& path, const std::vector<std::string_view>& names) {
  std::ifstream file(path);
  std::uint64_t sum = 0, bytes = 0;
  for (std::string name; file >> name >> bytes;) {
    if (std::find(names.begin(), names.end(), name) != names.end()) sum += bytes;
  }
  return sum;
}

}  // namespace

std::optional<MemoryGroup> MemoryGroup::Find(const fs::path& process) {
  std::optional<MemoryGroup> lowest;
  for (const bool unified : {false, true}) {
    for (fs::path& folder : GroupFolders(process, unified)) {
      const std::optional<std::uint64_t> limit =
          ReadNumber(folder / (unified ? "memory.max" : "memory.limit_in_bytes"));
      if (!limit || *limit >= kNoLimit || (lowest && lowest->limit() <= *limit)) continue;
      lowest = MemoryGroup(std::move(folder), unified, *limit);
    }
  }
  return lowest;
}

std::uint64_t MemoryGroup::Used() const {
  const std::uint64_t all =
      ReadNumber(folder_ / (unified_ ? "memory.current" : "memory.usage_in_bytes")).value_or(0);
  const std::uint64_t files =
      unified_
          ? SumOf(folder_ / "memory.stat", {"active_file", "inactive_file", "slab_reclaimable"})
          : SumOf(folder_ / "memory.stat", {"total_active_file", "total_inactive_file"});
  return all - std::min(all, files);
}

Status MemoryGroup::CheckRoom() const {
  const std::uint64_t reserve = std::clamp(limit_ / 8, 16 * kMebibyte, 128 * kMebibyte);
  const std::uint64_t used = Used();
  if (used + reserve <= limit_) return Status::Ok();
  return Status(StatusCode::kOutOfMemory,
                "out of memory: of the " + std::to_string(limit_ / kMebibyte) +
                    " MiB that the control group of this process may use (" + folder_.string() +
                    "), " + std::to_string(used / kMebibyte) + " MiB are used");
}

std::uint64_t WithinMemoryGroup(std::uint64_t wanted) {
  const std::optional<MemoryGroup> group = MemoryGroup::Find();
  return group ? std::min(wanted, group->limit() / 4 * 3) : wanted;
}

}  // namespace crawler
