#include "store/warc_record.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <iterator>

#include "base/hash.hpp"
#include "base/release.hpp"

namespace crawler {
namespace {

constexpr std::string_view kRevisitSamePayload =
    "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
constexpr std::string_view kRevisitNotModified =
    "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

void AppendNumber(std::uint64_t number, std::string* out) {
  char digits[20];
  const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), number);
  out->append(digits, end);
}

// Appends `value` as one line: control characters become blanks.
void AppendOneLine(std::string_view value, std::string* out) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  const std::size_t begin = out->size();
  out->append(value);
  std::replace_if(out->begin() + static_cast<std::ptrdiff_t>(begin), out->end(), is_control, ' ');
}

// Why the stored body is incomplete; empty if it is complete.
std::string_view TruncationReason(const FetchResult& result) {
  if (result.truncated != Truncation::kNone) return TruncationName(result.truncated);
  switch (result.failure) {
    case FetchFailure::kProtocol:
    case FetchFailure::kUnwantedType:
    case FetchFailure::kCancelled:
    case FetchFailure::kLocal:
      return "unspecified";
    default:
      return {};
  }
}

// Whether `body` does not compress: its bytes are about equally frequent, as in gzip, images and
// encrypted files. Checks the bytes, not the headers.
bool LooksCompressed(std::string_view body) {
  constexpr std::size_t kSampleBytes = 1024;
  if (body.size() < 2 * kSampleBytes) return false;
  std::array<std::uint16_t, 256> counts{};
  for (const char c : body.substr(body.size() / 2, kSampleBytes))
    ++counts[static_cast<std::uint8_t>(c)];
  std::uint32_t coincidences = 0;
  for (const std::uint32_t count : counts) coincidences += count * count;
  // Random bytes have about n + n²/256 = 5,120 of them, text of any language over 30,000.
  return coincidences < 8'000;
}

}  // namespace

std::string_view WarcTypeName(WarcType type) {
  switch (type) {
    case WarcType::kWarcinfo:
      return "warcinfo";
    case WarcType::kResponse:
      return "response";
    case WarcType::kRevisit:
      return "revisit";
    case WarcType::kRequest:
      return "request";
    case WarcType::kMetadata:
      return "metadata";
  }
  return "";
}

std::string WarcDate(WallTime time) {
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - days));
  std::string text = "0000-00-00T00:00:00Z";
  const auto put = [&text](std::size_t end, unsigned number, int digits) {
    for (; digits > 0; --digits, number /= 10) text[--end] = static_cast<char>('0' + number % 10);
  };
  put(4, static_cast<unsigned>(std::clamp(static_cast<int>(date.year()), 0, 9999)), 4);
  put(7, static_cast<unsigned>(date.month()), 2);
  put(10, static_cast<unsigned>(date.day()), 2);
  put(13, static_cast<unsigned>(clock.hours().count()), 2);
  put(16, static_cast<unsigned>(clock.minutes().count()), 2);
  put(19, static_cast<unsigned>(clock.seconds().count()), 2);
  return text;
}

std::string ArchivedUrl(const Url& url) {
  if (!url.has_credentials()) return std::string(url.href_without_fragment());
  std::string text(url.scheme());
  text.append("://").append(url.host_and_port()).append(url.path_and_query());
  return text;
}

void EncodedCapture::Clear() {
  bytes.clear();
  members.clear();
  payload_digest = {};
  index = {};
}

WarcEncoder::WarcEncoder()
    : hasher_(DigestAlgorithm::kSha256), id_seeds_{RandomKey(), RandomKey()} {}

Sha256Digest WarcEncoder::PayloadDigest(const FetchResult& result) {
  result.VisitPayload([this](std::string_view piece) { hasher_.Update(piece); });
  return FinishSha256(hasher_);
}

void WarcEncoder::EncodeCapture(const FetchResult& result, const CaptureDetails& details,
                                EncodedCapture* out) {
  out->Clear();
  if (result.headers.empty()) return;
  out->payload_digest =
      details.payload_digest != nullptr ? *details.payload_digest : PayloadDigest(result);
  EncodedCapture::IndexFields& index = out->index;
  index.url = ArchivedUrl(result.url);
  index.date = WarcDate(result.started);
  index.mime = details.original ? "warc/revisit" : result.headers.Joined("Content-Type");
  index.status = result.status;
  const std::string response_id = NewRecordId();
  AddResponse(result, details, response_id, out);
  if (!result.request_head.empty()) {
    Begin(WarcType::kRequest, NewRecordId(), index.date);
    Field("WARC-Target-URI", index.url);
    Field("WARC-Concurrent-To", response_id);
    Finish(WarcType::kRequest, "application/http;msgtype=request", {result.request_head}, false,
           out);
  }
  AddMetadata(result, details, response_id, out);
}

void WarcEncoder::AddResponse(const FetchResult& result, const CaptureDetails& details,
                              std::string_view id, EncodedCapture* out) {
  const WarcType type = details.original ? WarcType::kRevisit : WarcType::kResponse;
  Begin(type, id, out->index.date);
  Field("WARC-Target-URI", out->index.url);
  if (result.remote_address && !result.via_proxy) {
    Field("WARC-IP-Address", result.remote_address->ToString());
  }
  if (details.original) {
    Field("WARC-Profile", result.status == 304 ? kRevisitNotModified : kRevisitSamePayload);
    Field("WARC-Refers-To-Target-URI", details.original->url);
    Field("WARC-Refers-To-Date", WarcDate(details.original->date));
  }
  std::string_view head = result.headers.raw();
  std::string_view body = result.raw_body;
  std::string_view truncated = TruncationReason(result);
  if (details.original) {
    if (result.status != 304 && !body.empty()) truncated = "length";  // WARC 1.1, 6.7.2.
    body = {};
  }
  if (!truncated.empty()) Field("WARC-Truncated", truncated);
  // A 304 has no payload of its own to take the digest of.
  if (result.status != 304) DigestField("WARC-Payload-Digest", out->payload_digest);

  std::string_view version;
  if (result.protocol == HttpVersion::kHttp2 || result.protocol == HttpVersion::kHttp3) {
    Field("WARC-Protocol", result.protocol == HttpVersion::kHttp2 ? "h2" : "h3");
    version = "HTTP/1.1";
    head.remove_prefix(std::min(head.find(' '), head.size()));
  }
  Finish(type, "application/http;msgtype=response", {version, head, body}, LooksCompressed(body),
         out);
}

void WarcEncoder::AddMetadata(const FetchResult& result, const CaptureDetails& details,
                              std::string_view response_id, EncodedCapture* out) {
  fields_.clear();
  if (!details.via.empty()) {
    fields_ += "via: ";
    AppendOneLine(details.via, &fields_);
    fields_ += "\r\n";
  }
  fields_ += "depth: ";
  AppendNumber(details.depth, &fields_);
  fields_ += "\r\nfetchTimeMs: ";
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(result.timings.total);
  AppendNumber(static_cast<std::uint64_t>(std::max<std::int64_t>(milliseconds.count(), 0)),
               &fields_);
  fields_ += "\r\n";
  Begin(WarcType::kMetadata, NewRecordId(), out->index.date);
  Field("WARC-Target-URI", out->index.url);
  Field("WARC-Concurrent-To", response_id);
  Finish(WarcType::kMetadata, "application/warc-fields", {fields_}, false, out);
}

void WarcEncoder::EncodeWarcinfo(std::string_view filename, WallTime date,
                                 const std::vector<std::pair<std::string, std::string>>& fields,
                                 EncodedCapture* out) {
  out->Clear();
  fields_.clear();
  for (const auto& [name, value] : fields) {
    AppendOneLine(name, &fields_);
    fields_ += ": ";
    AppendOneLine(value, &fields_);
    fields_ += "\r\n";
  }
  Begin(WarcType::kWarcinfo, NewRecordId(), WarcDate(date));
  Field("WARC-Filename", filename);
  Finish(WarcType::kWarcinfo, "application/warc-fields", {fields_}, false, out);
}

// A random UUID (RFC 9562, version 4) out of a counter, by a hash with seeds of this encoder alone.
std::string WarcEncoder::NewRecordId() {
  const std::uint64_t number = ids_++;
  const std::string_view bytes(reinterpret_cast<const char*>(&number), sizeof(number));
  std::array<std::uint8_t, 16> uuid{};
  for (std::size_t half = 0; half < 2; ++half) {
    std::uint64_t random = Hash64(bytes, id_seeds_[half]);
    for (std::size_t i = 0; i < 8; ++i, random >>= 8) {
      uuid[half * 8 + i] = static_cast<std::uint8_t>(random);
    }
  }
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0F) | 0x40);
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3F) | 0x80);
  std::string id = "<urn:uuid:";
  const std::span<const std::uint8_t> all(uuid);
  for (const auto& [from, size] : {std::pair{0, 4}, {4, 2}, {6, 2}, {8, 2}, {10, 6}}) {
    if (from > 0) id.push_back('-');
    AppendHex(all.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(size)), &id);
  }
  id.push_back('>');
  return id;
}

void WarcEncoder::Begin(WarcType type, std::string_view id, std::string_view date) {
  plain_ = "WARC/1.1\r\n";
  Field("WARC-Type", WarcTypeName(type));
  Field("WARC-Record-ID", id);
  Field("WARC-Date", date);
}

void WarcEncoder::Field(std::string_view name, std::string_view value) {
  plain_.append(name).append(": ");
  AppendOneLine(value, &plain_);
  plain_ += "\r\n";
}

void WarcEncoder::DigestField(std::string_view name, std::span<const std::uint8_t> sha256) {
  plain_.append(name).append(": sha256:");
  AppendHex(sha256, &plain_);
  plain_ += "\r\n";
}

void WarcEncoder::Finish(WarcType type, std::string_view content_type,
                         std::initializer_list<std::string_view> block, bool is_compressed,
                         EncodedCapture* out) {
  std::size_t block_size = 0;
  for (const std::string_view piece : block) {
    block_size += piece.size();
    hasher_.Update(piece);
  }
  DigestField("WARC-Block-Digest", hasher_.Finish());
  Field("Content-Type", content_type);
  plain_ += "Content-Length: ";
  AppendNumber(block_size, &plain_);
  plain_ += "\r\n\r\n";
  for (const std::string_view piece : block) plain_ += piece;
  const std::size_t last_piece = plain_.size() - std::rbegin(block)->size();
  plain_ += "\r\n\r\n";

  const std::size_t begin = out->bytes.size();
  gzip_.AppendMember(plain_, is_compressed ? last_piece : plain_.size(), &out->bytes);
  out->members.push_back({type, begin, out->bytes.size()});
  // Records of this size are rare, and one of them waits while the next is made.
  constexpr std::size_t kLargeRecord = std::size_t{1} << 20;
  if (plain_.capacity() > kLargeRecord) Release(plain_);
  if (out->bytes.capacity() > kLargeRecord + 2 * out->bytes.size()) out->bytes.shrink_to_fit();
}

}  // namespace crawler
