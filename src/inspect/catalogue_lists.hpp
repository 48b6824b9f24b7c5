#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "crawler/crawler.hpp"

namespace crawler {

/// JSON with keys in the order they are written.
using ListJson = nlohmann::ordered_json;

/// Which rows of a list are wanted.
struct ListRequest {
  std::int64_t limit = 50;
  std::int64_t offset = 0;
  std::string sort;  ///< A column; empty: the order of the crawl.
  bool descending = false;
  std::string text;         ///< Rows that contain it; empty: all.
  std::int64_t status = 0;  ///< Of pages: with this status code; 0: any.
};

// Lists of the catalogue of a crawl, as {"total", "rows"}. Each reads one snapshot and gives up
// after a few seconds, or when `stopped` is true: kCancelled. kInvalidArgument for a column that is
// none. Threads: safe from any thread.
using Stopped = std::function<bool()>;

Result<ListJson> ListPages(const std::string& folder, const ListRequest& request,
                           const Stopped& stopped);
/// `waiting`: what a running crawl knows of hosts that wait.
Result<ListJson> ListHosts(const std::string& folder, const std::vector<HostHoldup>& waiting,
                           const ListRequest& request, const Stopped& stopped);
Result<ListJson> ListBroken(const std::string& folder, const ListRequest& request,
                            const Stopped& stopped);
Result<ListJson> ListRedirects(const std::string& folder, const ListRequest& request,
                               const Stopped& stopped);
/// The links to a page, or from it. kNotFound if the crawl does not know the URL.
Result<ListJson> ListLinks(const std::string& folder, const std::string& url, bool outgoing,
                           const ListRequest& request, const Stopped& stopped);
/// robots.txt of a host, by its origin. kNotFound if it was never asked for.
Result<ListJson> ReadRobotsTxt(const std::string& folder, const std::string& origin,
                               const Stopped& stopped);
/// The most linked hosts or pages, and the links between them: {"nodes", "edges", "sampled"}. Looks
/// at the first two million links; `sampled` says whether there are more.
Result<ListJson> LinkPicture(const std::string& folder, bool hosts, std::size_t most,
                             const Stopped& stopped);

}  // namespace crawler
