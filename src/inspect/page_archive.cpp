#include "inspect/page_archive.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include "fetch/http_fields.hpp"
#include "fetch/response_body.hpp"
#include "store/warc_record.hpp"
#include "store/warc_writer.hpp"

namespace crawler {
namespace {

/// Captures of one URL that are searched for the payload of a revisit. The response with the
/// payload came in the same run, not long before.
constexpr std::int64_t kMaxCaptures = 64;

WarcReader::Limits LimitsFor(std::size_t max_body) {
  WarcReader::Limits limits;
  limits.keep_block = max_body + limits.max_http_head;
  limits.max_block = limits.keep_block;
  return limits;
}

}  // namespace

ArchivedPage ToArchivedPage(const Statement& row, int first) {
  ArchivedPage page;
  page.id = row.Int(first);
  page.url = row.Text(first + 1);
  page.status = static_cast<int>(row.Int(first + 2));
  page.crawled_at = row.Int(first + 3);
  page.content_hash = row.Text(first + 4);
  page.size = static_cast<std::uint64_t>(row.Int(first + 5));
  page.warc = {static_cast<std::uint32_t>(row.Int(first + 6)),
               static_cast<std::uint64_t>(row.Int(first + 7)),
               static_cast<std::uint64_t>(row.Int(first + 8))};
  page.visit = row.Int(first + 9);
  return page;
}

PageArchive::PageArchive(Catalogue& catalogue, std::string warc_folder, std::size_t max_body)
    : PageArchive(catalogue.database(), std::move(warc_folder), max_body) {
  catalogue_ = &catalogue;
}

PageArchive::PageArchive(Database& db, std::string warc_folder, std::size_t max_body)
    : db_(db),
      warc_folder_(std::move(warc_folder)),
      limits_(LimitsFor(max_body)),
      hasher_(DigestAlgorithm::kSha256) {}

Result<bool> PageArchive::Read(const ArchivedPage& page, FetchResult* response,
                               std::string* problem) {
  if (!ReadRecord(page.warc, &record_, problem)) return false;
  const std::string where = WarcFileName("crawl", page.warc.file) + ": the record at offset " +
                            std::to_string(page.warc.offset);
  *response = FetchResult();
  ParseUrl(page.url, nullptr, &response->url);
  if (record_.uri != ArchivedUrl(response->url)) {
    *problem = where + " is not of this page";
    return false;
  }
  if (record_.type == "revisit") return ReadOriginal(page, response, problem);
  if (Assemble(page, record_, response)) return true;
  *problem = where + " does not hold what was crawled";
  return false;
}

bool PageArchive::ReadRecord(const WarcRef& where, WarcRecord* record, std::string* problem) const {
  const std::string name = WarcFileName("crawl", where.file);
  const Result<std::unique_ptr<WarcReader>> reader =
      WarcReader::Open(std::filesystem::path(warc_folder_) / name, limits_, where.offset);
  if (!reader.ok()) {
    *problem = reader.status().message();
    return false;
  }
  const WarcRead read = (*reader)->Next(record);
  if (read == WarcRead::kRecord && record->block_digest != DigestCheck::kFail &&
      record->payload_digest != DigestCheck::kFail) {
    return true;
  }
  *problem = name + ": ";
  if (read == WarcRead::kRecord) {
    *problem += "the digest of the record at offset " + std::to_string(where.offset) +
                " does not fit its content";
  } else if (read == WarcRead::kEnd) {
    *problem += "ends before offset " + std::to_string(where.offset);
  } else {
    *problem += (*reader)->problem();
  }
  return false;
}

// A revisit names the URL of the capture that has its payload; the captures of that URL are
// compared with the content hash in the catalogue.
Result<bool> PageArchive::ReadOriginal(const ArchivedPage& page, FetchResult* response,
                                       std::string* problem) {
  if (!captures_) {
    const Status indexed = catalogue_ == nullptr ? Status::Ok() : catalogue_->MakeIndexes();
    if (!indexed.ok()) return indexed;
    Result<Statement> select = db_.Prepare(
        "SELECT v.warc_file, v.warc_offset, v.warc_length FROM urls u JOIN visits v"
        " ON v.url_id = u.id WHERE u.url = ? AND v.id <= ? AND v.warc_file IS NOT NULL"
        " ORDER BY v.id DESC LIMIT ?");
    if (!select.ok()) return select.status();
    captures_ = std::move(select).value();
  }
  const std::string original(record_.Field("WARC-Refers-To-Target-URI"));
  std::vector<WarcRef> captures;
  captures_->Bind(1, original).Bind(2, page.visit).Bind(3, kMaxCaptures);
  Status status = ForEachRow(*captures_, [&captures](Statement& row) {
    captures.push_back({static_cast<std::uint32_t>(row.Int(0)),
                        static_cast<std::uint64_t>(row.Int(1)),
                        static_cast<std::uint64_t>(row.Int(2))});
  });
  if (!status.ok()) return status;
  *problem = "the archive has no response of " + original + " with its content";
  for (const WarcRef& capture : captures) {
    if (!ReadRecord(capture, &original_, problem) || original_.type != "response") continue;
    if (Assemble(page, original_, response)) return true;
    *problem = "the archived response of " + original + " does not have its content";
  }
  return false;
}

// The head, with its Content-Encoding, is that of the page; the framing is that of the record with
// the body.
bool PageArchive::Assemble(const ArchivedPage& page, const WarcRecord& body,
                           FetchResult* response) {
  response->status = page.status;
  response->headers = record_.http;
  response->chunked = body.Field("WARC-Protocol").empty() &&  // HTTP/2 has frames of its own.
                      ReadFraming(body.http, body.status, FetchRequest::Method::kGet).kind ==
                          BodyFraming::Kind::kChunked;
  response->raw_body.assign(body.block, std::min(body.http.raw().size(), body.block.size()));
  const bool is_known = !page.content_hash.empty();
  if (is_known && page.size == 0) {
    response->raw_body.clear();
    response->chunked = false;
  } else {
    // It was cut where it is to be cut, whatever the limit was then.
    DecodeLimits limits;
    limits.max_output = is_known ? page.size : limits_.keep_block;
    FinishBody(limits, decoder_, response);
  }
  if (!is_known) return true;
  hasher_.Update(response->body());
  std::string hash;
  AppendHex(FinishSha256(hasher_), &hash);
  return hash == page.content_hash;
}

}  // namespace crawler
