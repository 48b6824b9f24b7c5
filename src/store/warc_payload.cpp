#include "store/warc_payload.hpp"

#include <algorithm>
#include <utility>

namespace crawler {
namespace {

bool StartsWithIgnoringCase(std::string_view text, std::string_view prefix) {
  return EqualsIgnoringCase(text.substr(0, prefix.size()), prefix);
}

bool EndsWithIgnoringCase(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         EqualsIgnoringCase(text.substr(text.size() - suffix.size()), suffix);
}

// The three digits behind the first blank of a status line; 0 if there are none.
int StatusOf(std::string_view head) {
  if (!head.starts_with("HTTP/")) return 0;
  const std::size_t blank = head.find(' ');
  if (blank == std::string_view::npos || head.size() < blank + 4) return 0;
  int status = 0;
  for (const char c : head.substr(blank + 1, 3)) {
    if (c < '0' || c > '9') return 0;
    status = status * 10 + (c - '0');
  }
  return status;
}

// Where the head that `text` begins with ends, behind its empty line; npos if it does not end.
// Nothing before `from` needs to be looked at again.
std::size_t HeadEnd(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find('\n', from); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    if (rest.starts_with('\n')) return at + 2;
    if (rest.starts_with("\r\n")) return at + 3;
  }
  return std::string_view::npos;
}

}  // namespace

void ChunkScanner::Step(char c) {
  switch (state_) {
    case State::kSize: {
      const bool digit = c >= '0' && c <= '9';
      const char lower = static_cast<char>(c | 0x20);
      if (digit || (lower >= 'a' && lower <= 'f')) {
        left_ = left_ << 4 | static_cast<std::uint64_t>(digit ? c - '0' : lower - 'a' + 10);
        // Leading zeros are fine; what no longer fits is no size.
        if (++digits_ > 1 && left_ >> 56 != 0) state_ = State::kBad;
      } else if (digits_ == 0) {
        state_ = State::kBad;
      } else if (c == '\n') {
        EndSizeLine();
      } else if (c == ';' || c == ' ' || c == '\t' || c == '\r') {
        state_ = State::kExtension;
      } else {
        state_ = State::kBad;
      }
      break;
    }
    case State::kExtension:
      if (c == '\n') EndSizeLine();
      break;
    case State::kDataEnd:
      if (c == '\n') {
        state_ = State::kSize;
      } else if (c != '\r') {
        state_ = State::kBad;
      }
      break;
    case State::kTrailer:
      if (c == '\n') {
        if (line_empty_) state_ = State::kDone;
        line_empty_ = true;
      } else if (c != '\r') {
        line_empty_ = false;
      }
      break;
    case State::kData:
    case State::kDone:
    case State::kBad:
      break;
  }
}

void ChunkScanner::EndSizeLine() {
  state_ = left_ > 0 ? State::kData : State::kTrailer;
  digits_ = 0;
}

bool BlockInspector::Check::Passes() {
  const std::span<const std::uint8_t> digest = hasher.Finish();
  return std::equal(digest.begin(), digest.end(), expected.bytes.begin(), expected.bytes.end(),
                    [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); });
}

BlockInspector::BlockInspector(const WarcReader::Limits& limits, WarcRecord* record)
    : limits_(limits), record_(*record) {
  const auto prepare = [this](std::string_view name, std::optional<Check>* check) {
    const std::string_view text = record_.Field(name);
    if (text.empty()) return DigestCheck::kAbsent;
    std::optional<LabelledDigest> digest = LabelledDigest::Parse(text);
    if (digest) check->emplace(std::move(*digest));
    return DigestCheck::kUnknown;
  };
  record_.block_digest = prepare("WARC-Block-Digest", &block_);
  if (record_.type != "revisit") {
    record_.payload_digest = prepare("WARC-Payload-Digest", &payload_);
  }
  in_http_head_ =
      StartsWithIgnoringCase(record_.Field("Content-Type"), "application/http") &&
      (record_.type == "response" || record_.type == "request" || record_.type == "revisit");
}

void BlockInspector::Feed(std::string_view bytes) {
  if (block_) block_->hasher.Update(bytes);
  if (record_.block.size() < limits_.keep_block) {
    record_.block += bytes.substr(0, limits_.keep_block - record_.block.size());
  }
  if (!in_http_head_) return FeedPayload(bytes);
  // The end may lie across two pieces: an empty line is at most "\n\r\n".
  const std::size_t looked_at = http_head_.size() < 2 ? 0 : http_head_.size() - 2;
  const std::size_t room = limits_.max_http_head - http_head_.size();
  const std::size_t before = http_head_.size();
  http_head_ += bytes.substr(0, room);
  const std::size_t end = HeadEnd(http_head_, looked_at);
  if (end != std::string::npos) {
    http_head_.resize(end);
    BeginPayload(std::move(http_head_));
    FeedPayload(bytes.substr(end - before));
  } else if (http_head_.size() >= limits_.max_http_head) {
    in_http_head_ = payload_known_ = false;
  }
}

void BlockInspector::BeginPayload(std::string http_head) {
  in_http_head_ = false;
  record_.status = StatusOf(http_head);
  record_.http = HeaderBlock(std::move(http_head));
  if (record_.status == 0) return;
  if (EndsWithIgnoringCase(record_.http.Joined("transfer-encoding"), "chunked")) {
    chunks_.emplace();
    if (payload_) framed_payload_.emplace(payload_->expected);
  }
}

void BlockInspector::FeedPayload(std::string_view bytes) {
  if (!payload_known_) return;
  if (framed_payload_) framed_payload_->hasher.Update(bytes);
  const auto take = [this](std::string_view piece) {
    record_.payload_size += piece.size();
    if (payload_) payload_->hasher.Update(piece);
  };
  if (chunks_) {
    chunks_->Feed(bytes, take);
  } else {
    take(bytes);
  }
}

void BlockInspector::Finish() {
  if (in_http_head_) BeginPayload(std::move(http_head_));  // All of it is head.
  if (block_) record_.block_digest = block_->Passes() ? DigestCheck::kPass : DigestCheck::kFail;
  if (payload_ && payload_known_) {
    const bool passes = payload_->Passes() || (framed_payload_ && framed_payload_->Passes());
    record_.payload_digest = passes ? DigestCheck::kPass : DigestCheck::kFail;
  }
}

}  // namespace crawler
