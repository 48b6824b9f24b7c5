#include "engine/sitemap_budget.hpp"

#include <algorithm>

namespace crawler {
namespace {

std::size_t Take(std::size_t count, std::uint64_t limit, std::uint64_t* used) {
  std::uint64_t taken = count;
  if (limit != 0) taken = std::min<std::uint64_t>(taken, limit - std::min(limit, *used));
  *used += taken;
  return static_cast<std::size_t>(taken);
}

std::string Describe(std::uint64_t limit, std::string_view what) {
  return std::to_string(limit) + std::string(what);
}

}  // namespace

std::size_t SitemapBudget::TakeFiles(HostId host, std::size_t count) {
  const MutexLock lock(mutex_);
  return Take(count, limits_.max_files, &used_[host].files);
}

void SitemapBudget::GiveBackFiles(HostId host, std::size_t count) {
  const MutexLock lock(mutex_);
  std::uint64_t& files = used_[host].files;
  files -= std::min<std::uint64_t>(files, count);
}

std::size_t SitemapBudget::TakeEntries(HostId host, std::size_t count) {
  const MutexLock lock(mutex_);
  return Take(count, limits_.max_entries, &used_[host].entries);
}

void SitemapBudget::AddBytes(HostId host, std::size_t bytes) {
  const MutexLock lock(mutex_);
  used_[host].bytes += bytes;
}

std::string SitemapBudget::Spent(HostId host) const {
  const MutexLock lock(mutex_);
  const auto found = used_.find(host);
  if (found == used_.end()) return {};
  const Used& used = found->second;
  if (limits_.max_entries != 0 && used.entries >= limits_.max_entries) return EntryLimit();
  if (limits_.max_bytes != 0 && used.bytes >= limits_.max_bytes) {
    return Describe(limits_.max_bytes, " bytes of sitemaps per host (--max-sitemap-bytes)");
  }
  return {};
}

std::string SitemapBudget::FileLimit() const {
  return Describe(limits_.max_files, " sitemaps per host (--max-sitemaps)");
}

std::string SitemapBudget::EntryLimit() const {
  return Describe(limits_.max_entries, " entries of sitemaps per host (--max-sitemap-entries)");
}

}  // namespace crawler
