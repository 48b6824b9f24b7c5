#pragma once

#include "model/fetch_result.hpp"
#include "robots/robots_record.hpp"
#include "url/url.hpp"

namespace crawler {

/// The request for the robots.txt that governs `url`: any Content-Type, the first 500 KiB. To be
/// fetched with redirects followed.
FetchRequest RobotsRequest(const Url& url);

/// The meaning of a fetched robots.txt, for RobotsRecord::Update(); `result` is the last response
/// of the redirects. A file that was cut at the limit counts as far as it came; one that was cut by
/// the network, or cannot be decoded to its end, is as good as unreachable (RFC 9309, 2.3.1.4).
RobotsFetch ToRobotsFetch(const FetchResult& result);

}  // namespace crawler
