#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/content_index.hpp"
#include "engine/document_reader.hpp"
#include "model/crawl_ids.hpp"
#include "model/fetch_result.hpp"
#include "store/rows.hpp"
#include "store/warc_digest.hpp"
#include "store/warc_record.hpp"

namespace crawler {

// The row of a page. Values in, row out. Threads: safe.

/// The URL of a page, as the frontier leased it.
struct PageUrl {
  UrlId id = 0;
  std::string_view text;
  std::uint32_t depth = 0;
  std::int64_t score = 0;
};

/// The row of a response that was read as `document`, with the content digest `digest`; without
/// links, duplicate and payload hash.
PageRow ToPageRow(const PageUrl& url, const FetchResult& result, const Document& document,
                  const Sha256Digest& digest);

/// PageRow::duplicate_of, `first` being the first page with the content, if any.
UrlId DuplicateOf(const std::optional<ContentIndex::First>& first, UrlId page);

/// PageRow::payload_hash of a page whose content has `digest`.
std::optional<std::string> PayloadHash(const EncodedCapture& capture, const Sha256Digest& digest);

}  // namespace crawler
