#include "index/link_graph.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace crawler {
namespace {

constexpr std::uint32_t kElsewhere = 0x80000000;
/// Redirects of redirects that are followed.
constexpr int kMaxHops = 32;

void AppendUtf8(std::uint32_t c, std::string* text) {
  if (c < 0x80) {
    text->push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    text->push_back(static_cast<char>(0xc0 | c >> 6));
    text->push_back(static_cast<char>(0x80 | (c & 0x3f)));
  } else {
    text->push_back(static_cast<char>(0xe0 | c >> 12));
    text->push_back(static_cast<char>(0x80 | (c >> 6 & 0x3f)));
    text->push_back(static_cast<char>(0x80 | (c & 0x3f)));
  }
}

}  // namespace

std::string FolderOf(const Database& db) {
  const std::string folder = std::filesystem::path(db.path()).parent_path().string();
  return folder.empty() ? "." : folder;
}

Result<UrlPages> UrlPages::Load(Database& db) {
  Result<SpillFile> file = SpillFile::Create(FolderOf(db));
  if (!file.ok()) return file.status();
  UrlPages urls(std::move(file).value());
  const Result<std::int64_t> last = db.QueryInt("SELECT max(id) FROM urls");
  if (!last.ok()) return last.status();
  if (Status status = urls.file_.Map(static_cast<std::size_t>(*last) + 1); !status.ok()) {
    return status;
  }
  const std::span<std::uint32_t> places = urls.file_.numbers();
  const auto known = [&](std::int64_t url) {
    return url > 0 && static_cast<std::size_t>(url) < places.size() && url < kElsewhere;
  };

  // The last visit counts: what was a redirect once may have come to something else.
  Result<Statement> redirects = db.Prepare(
      "SELECT url_id, redirect_to FROM visits WHERE redirect_to IS NOT NULL OR final ORDER BY id");
  if (!redirects.ok()) return redirects.status();
  Result<bool> row = redirects->Step();
  for (; row.ok() && *row; row = redirects->Step()) {
    const std::int64_t from = redirects->Int(0), to = redirects->Int(1);
    if (!known(from)) continue;
    places[static_cast<std::size_t>(from)] =
        known(to) ? kElsewhere | static_cast<std::uint32_t>(to) : 0;
  }
  if (!row.ok()) return row.status();

  Result<Statement> pages = db.Prepare("SELECT id, url_id, duplicate_of FROM pages ORDER BY id");
  if (!pages.ok()) return pages.status();
  for (row = pages->Step(); row.ok() && *row; row = pages->Step()) {
    const std::int64_t page = pages->Int(0), url = pages->Int(1), original = pages->Int(2);
    if (!known(url) || page >= kElsewhere) continue;
    urls.last_page_ = static_cast<std::uint32_t>(page);
    // The first of its content is written before the others.
    const bool elsewhere =
        known(original) && original != url && places[static_cast<std::size_t>(original)] != 0;
    places[static_cast<std::size_t>(url)] = elsewhere
                                                ? kElsewhere | static_cast<std::uint32_t>(original)
                                                : static_cast<std::uint32_t>(page);
  }
  if (!row.ok()) return row.status();
  return urls;
}

std::uint32_t UrlPages::PageOf(std::uint64_t url) const {
  const std::span<const std::uint32_t> places = file_.numbers();
  for (int hop = 0; hop < kMaxHops && url < places.size(); ++hop) {
    const std::uint32_t place = places[url];
    if ((place & kElsewhere) == 0) return place;
    url = place & ~kElsewhere;
  }
  return 0;
}

std::uint32_t UrlPages::OwnPageOf(std::uint64_t url) const {
  const std::span<const std::uint32_t> places = file_.numbers();
  return url < places.size() && (places[url] & kElsewhere) == 0 ? places[url] : 0;
}

bool LinkListReader::Take(char c) {
  if (json_.empty() || json_.front() != c) return false;
  json_.remove_prefix(1);
  return true;
}

template <typename T>
bool LinkListReader::Number(T* number) {
  const char* const end = json_.data() + json_.size();
  const auto [stopped, error] = std::from_chars(json_.data(), end, *number);
  json_.remove_prefix(static_cast<std::size_t>(stopped - json_.data()));
  return error == std::errc();
}

bool LinkListReader::Escape(std::string* text) {
  if (json_.empty()) return false;
  const char c = json_.front();
  json_.remove_prefix(1);
  constexpr std::string_view kShort = "bfnrt", kMeans = "\b\f\n\r\t";
  if (const std::size_t i = kShort.find(c); i != std::string_view::npos) {
    text->push_back(kMeans[i]);
    return true;
  }
  if (c != 'u') {
    text->push_back(c);
    return true;
  }
  if (json_.size() < 4) return false;
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    const char digit = json_[static_cast<std::size_t>(i)];
    const int low = digit | 0x20;
    if (digit >= '0' && digit <= '9') {
      value = value * 16 + static_cast<std::uint32_t>(digit - '0');
    } else if (low >= 'a' && low <= 'f') {
      value = value * 16 + static_cast<std::uint32_t>(low - 'a' + 10);
    } else {
      return false;
    }
  }
  json_.remove_prefix(4);
  AppendUtf8(value, text);
  return true;
}

bool LinkListReader::String(std::string* text) {
  if (!Take('"')) return false;
  for (;;) {
    const std::size_t end = json_.find_first_of("\"\\");
    if (end == std::string_view::npos) return false;
    text->append(json_.substr(0, end));
    const bool over = json_[end] == '"';
    json_.remove_prefix(end + 1);
    if (over) return true;
    if (!Escape(text)) return false;
  }
}

// 12, [34,1,"text"] or [56,0,"text",789].
bool LinkListReader::Read(Link* link) {
  link->nofollow = false;
  link->text.clear();
  link->worth = 0;
  if (!Take('[')) return Number(&link->to);
  unsigned nofollow = 0;
  if (!Number(&link->to) || !Take(',') || !Number(&nofollow) || !Take(',')) return false;
  link->nofollow = nofollow != 0;
  if (!String(&link->text)) return false;
  return (!Take(',') || Number(&link->worth)) && Take(']');
}

bool LinkListReader::Next(Link* link) {
  if (!open_) return false;
  const bool read = Read(link);
  open_ = read && Take(',');
  if (!open_) damaged_ = !read || !Take(']') || !json_.empty();
  return read;
}

}  // namespace crawler
