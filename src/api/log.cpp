// The log file and the levels of the C++ interface: base/ behind public names. No logic.
#include "crawler/log.hpp"

#include <utility>

#include "base/log.hpp"
#include "base/log_file.hpp"

namespace crawler {

static_assert(static_cast<int>(CrawlLogLevel::kDebug) == static_cast<int>(LogLevel::kDebug));
static_assert(static_cast<int>(CrawlLogLevel::kInfo) == static_cast<int>(LogLevel::kInfo));
static_assert(static_cast<int>(CrawlLogLevel::kWarn) == static_cast<int>(LogLevel::kWarn));
static_assert(static_cast<int>(CrawlLogLevel::kError) == static_cast<int>(LogLevel::kError));

std::optional<CrawlLogLevel> ParseCrawlLogLevel(std::string_view name) {
  const std::optional<LogLevel> level = ParseLogLevel(name);
  if (!level) return std::nullopt;
  return static_cast<CrawlLogLevel>(*level);
}

class CrawlLogFile::Impl {
 public:
  explicit Impl(Result<std::unique_ptr<LogFile>> opened)
      : error_(opened.status().message()),
        file_(opened.ok() ? std::move(opened).value() : nullptr) {}

  const std::string& error() const { return error_; }
  LogFile* file() const { return file_.get(); }

 private:
  const std::string error_;
  const std::unique_ptr<LogFile> file_;
};

CrawlLogFile::CrawlLogFile(const std::string& path)
    : impl_(std::make_unique<Impl>(LogFile::Open(path))) {}
CrawlLogFile::~CrawlLogFile() = default;

const std::string& CrawlLogFile::error() const { return impl_->error(); }

void CrawlLogFile::Write(std::string_view line) {
  if (impl_->file() != nullptr) impl_->file()->Write(line);
}

std::string CrawlLogFile::Reopen() {
  return impl_->file() != nullptr ? impl_->file()->Reopen().message() : impl_->error();
}

std::uint64_t CrawlLogFile::lost_lines() const {
  return impl_->file() != nullptr ? impl_->file()->lost_lines() : 0;
}

}  // namespace crawler
