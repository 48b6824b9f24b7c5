#include "store/cdxj.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/json.hpp"
#include "model/headers.hpp"
#include "store/warc_reader.hpp"
#include "store/warc_writer.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePtr = std::unique_ptr<std::FILE, CloseFile>;

// A new file, never one that a link of that name leads to: `mode` must contain "x".
std::FILE* CreateFile(const std::filesystem::path& path, const char* mode) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);  // The rest of a process that was killed.
  return std::fopen(path.c_str(), mode);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// `url` without a "www." or "www<digits>." in front of its host.
std::string WithoutWww(std::string_view url) {
  const std::size_t host = url.find("://") + 3;
  std::size_t end = host;
  if (url.substr(end).starts_with("www")) end += 3;
  while (end > host && end < url.size() && url[end] >= '0' && url[end] <= '9') ++end;
  if (end == host || !url.substr(end).starts_with('.')) return std::string(url);
  return std::string(url.substr(0, host)).append(url.substr(end + 1));
}

// "org,example" of "example.org".
std::string ReversedLabels(std::string_view host) {
  std::string reversed;
  for (;;) {
    const std::size_t dot = host.rfind('.');
    reversed += host.substr(dot + 1);  // npos + 1 is 0.
    if (dot == std::string_view::npos) return reversed;
    reversed.push_back(',');
    host = host.substr(0, dot);
  }
}

std::string SortedQuery(std::string_view query) {
  std::vector<std::string_view> arguments;
  for (;;) {
    const std::size_t end = query.find('&');
    arguments.push_back(query.substr(0, end));
    if (end == std::string_view::npos) break;
    query.remove_prefix(end + 1);
  }
  std::sort(arguments.begin(), arguments.end());
  std::string sorted;
  for (const std::string_view argument : arguments) {
    sorted.append(sorted.empty() ? "?" : "&").append(argument);
  }
  return sorted;
}

// Removes blanks and line ends, which separate the parts of a line and end it.
std::string WithoutBlanks(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string clean;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte != 0x7F) {
      clean.push_back(c);
    } else {
      clean.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  return clean;
}

void AppendMember(std::string_view name, std::string_view value, std::string* out) {
  if (value.empty()) return;
  if (out->back() != '{') out->push_back(',');
  AppendJsonBytes(name, out);
  out->push_back(':');
  AppendJsonBytes(value, out);
}

bool IsIndexed(const WarcRecord& record) {
  if (record.uri.empty() || record.type == "warcinfo" || record.type == "request") return false;
  const bool is_description = record.type == "metadata" || record.type == "resource";
  return !is_description || record.Field("Content-Type") != "application/warc-fields";
}

}  // namespace

std::string SurtKey(std::string_view url) {
  if (!url.starts_with("http://") && !url.starts_with("https://")) return WithoutBlanks(url);
  const std::string bare = WithoutWww(url);
  Url parsed;
  if (ParseUrl(Lower(bare), nullptr, &parsed) != UrlKind::kFollowable) return WithoutBlanks(bare);
  std::string key = ReversedLabels(parsed.host());
  if (parsed.has_port()) key.append(":").append(std::to_string(parsed.port()));
  key.append(")").append(Lower(parsed.path()));
  if (!parsed.query().empty()) key += SortedQuery(parsed.query());
  return key;
}

std::string CdxjLine(const CdxjEntry& entry) {
  std::string line = SurtKey(entry.url);
  line.push_back(' ');
  std::string digits;
  std::copy_if(entry.date.begin(), entry.date.end(), std::back_inserter(digits),
               [](char c) { return c >= '0' && c <= '9'; });
  digits.resize(14, '0');
  line.append(digits).append(" {");
  AppendMember("url", entry.url, &line);
  AppendMember("mime", TrimBlanks(entry.mime.substr(0, entry.mime.find(';'))), &line);
  AppendMember("status", entry.status > 0 ? std::to_string(entry.status) : "", &line);
  AppendMember("digest", entry.digest.substr(entry.digest.find(':') + 1), &line);
  AppendMember("length", std::to_string(entry.length), &line);
  AppendMember("offset", std::to_string(entry.offset), &line);
  AppendMember("filename", entry.filename, &line);
  line.push_back('}');
  return line;
}

/// A temporary file of sorted lines; the destructor removes it.
class CdxjWriter::Run {
 public:
  Run(std::filesystem::path path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  ~Run() {
    file_.reset();
    std::free(buffer_);
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  std::FILE* file() { return file_.get(); }
  /// Reads the next line, with its line feed; false at the end.
  bool Advance() {
    const ssize_t size = getline(&buffer_, &capacity_, file_.get());
    line_ = std::string_view(buffer_, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return size > 0;
  }
  std::string_view line() const { return line_; }

 private:
  const std::filesystem::path path_;
  FilePtr file_;
  char* buffer_ = nullptr;
  std::size_t capacity_ = 0;
  std::string_view line_;
};

CdxjWriter::CdxjWriter(std::filesystem::path file, std::size_t max_memory)
    : file_(std::move(file)), temporary_(file_.string() + ".tmp"), max_memory_(max_memory) {}

CdxjWriter::~CdxjWriter() {
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

Status CdxjWriter::Failure(std::string_view action, int error) const {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return Status(full ? StatusCode::kResourceExhausted : StatusCode::kIoError,
                "cannot " + std::string(action) + " the index " + file_.string() + ": " +
                    std::generic_category().message(error));
}

Status CdxjWriter::Add(const CdxjEntry& entry) {
  lines_.push_back(CdxjLine(entry));
  lines_.back().push_back('\n');
  memory_ += lines_.back().size() + sizeof(std::string);
  return memory_ < max_memory_ ? Status::Ok() : Spill();
}

// Writes the lines at hand, sorted, to a temporary file.
Status CdxjWriter::Spill() {
  const std::filesystem::path path = temporary_.string() + std::to_string(runs_.size());
  std::FILE* file = CreateFile(path, "w+xe");
  if (file == nullptr) return Failure("sort", errno);
  runs_.push_back(std::make_unique<Run>(path, file));
  std::sort(lines_.begin(), lines_.end());
  for (const std::string& line : lines_) std::fwrite(line.data(), 1, line.size(), file);
  if (std::fflush(file) != 0 || std::ferror(file) != 0) return Failure("sort", errno);
  std::rewind(file);
  lines_.clear();
  memory_ = 0;
  return Status::Ok();
}

// Writes the lines of all runs, and those at hand, in order.
Status CdxjWriter::Merge(std::FILE* out) {
  std::sort(lines_.begin(), lines_.end());
  std::vector<Run*> heap;
  for (const auto& run : runs_) {
    if (run->Advance()) heap.push_back(run.get());
  }
  const auto later = [](const Run* a, const Run* b) { return a->line() > b->line(); };
  std::make_heap(heap.begin(), heap.end(), later);
  auto next = lines_.begin();
  while (!heap.empty()) {
    Run* const first = heap.front();
    for (; next != lines_.end() && *next <= first->line(); ++next) {
      std::fwrite(next->data(), 1, next->size(), out);
    }
    std::fwrite(first->line().data(), 1, first->line().size(), out);
    std::pop_heap(heap.begin(), heap.end(), later);
    heap.pop_back();
    if (first->Advance()) {
      heap.push_back(first);
      std::push_heap(heap.begin(), heap.end(), later);
    }
  }
  for (; next != lines_.end(); ++next) std::fwrite(next->data(), 1, next->size(), out);
  // A line for which there is no memory ends a run, too, but not at the end of its file.
  const bool unread = std::any_of(runs_.begin(), runs_.end(),
                                  [](const auto& run) { return std::feof(run->file()) == 0; });
  return unread ? Failure("sort", EIO) : Status::Ok();
}

Status CdxjWriter::Finish() {
  FilePtr out(CreateFile(temporary_, "wxe"));
  if (out == nullptr) return Failure("create", errno);
  if (Status status = Merge(out.get()); !status.ok()) return status;
  // On the disk before it takes the name: after a crash the index is whole or not there.
  if (std::fflush(out.get()) != 0 || std::ferror(out.get()) != 0 || fdatasync(fileno(out.get()))) {
    return Failure("write", errno);
  }
  out.reset();
  std::error_code error;
  std::filesystem::rename(temporary_, file_, error);
  return error ? Failure("rename", error.value()) : Status::Ok();
}

std::filesystem::path CdxjPath(const std::filesystem::path& warc) {
  std::filesystem::path path = warc;
  if (path.extension() == ".gz") path.replace_extension();
  return path.replace_extension(".cdxj");
}

Status IndexWarc(const std::filesystem::path& warc) {
  Result<std::unique_ptr<WarcReader>> reader = WarcReader::Open(warc);
  if (!reader.ok()) return reader.status();
  CdxjWriter writer(CdxjPath(warc));
  const std::string filename = warc.filename().string();
  WarcRecord record;
  WarcRead outcome = (*reader)->Next(&record);
  for (; outcome == WarcRead::kRecord; outcome = (*reader)->Next(&record)) {
    if (!IsIndexed(record)) continue;
    CdxjEntry entry;
    entry.url = record.uri;
    entry.date = record.date;
    std::string mime = record.http.Joined("content-type");
    if (record.type == "revisit") mime = "warc/revisit";
    if (record.http.empty() && mime.empty()) mime = record.Field("Content-Type");
    entry.mime = mime;
    entry.status = record.status;
    entry.digest = record.Field("WARC-Payload-Digest");
    entry.length = record.length;
    entry.offset = record.offset;
    entry.filename = filename;
    if (Status status = writer.Add(entry); !status.ok()) return status;
  }
  if (outcome == WarcRead::kDamaged) {
    return Status(StatusCode::kCorruption, warc.string() + ": " + (*reader)->problem());
  }
  return writer.Finish();
}

Status IndexWarcFolder(const std::filesystem::path& folder) {
  const Result<std::vector<std::filesystem::path>> files = ListWarcFiles(folder);
  if (!files.ok()) return files.status();
  for (const std::filesystem::path& path : *files) {
    std::error_code error;
    const auto indexed = std::filesystem::last_write_time(CdxjPath(path), error);
    if (!error && indexed >= std::filesystem::last_write_time(path, error) && !error) continue;
    if (Status status = IndexWarc(path); !status.ok()) return status;
  }
  return Status::Ok();
}

}  // namespace crawler
