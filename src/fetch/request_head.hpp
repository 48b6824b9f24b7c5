#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fetch/context.hpp"
#include "model/fetch_result.hpp"

namespace crawler {

/// The head of the request that fetchers of `context` send for `request`, from "GET /x HTTP/1.1" to
/// the empty line, as libcurl writes it. An HTTP/2 request, which is sent as frames, is written in
/// the same form. `http10`: over a kept connection of an HTTP/1.0 server, for which libcurl uses
/// HTTP/1.0.
///
/// For archives, so secrets are left out: the values of credentials are "[withheld]", and the
/// Cookie line, which only libcurl knows, is missing.
/// Threads: safe from any thread.
std::string RequestHead(const FetchContext& context, const FetchRequest& request,
                        bool http10 = false);

/// The lines that make a request conditional, "If-None-Match: …" and "If-Modified-Since: …".
std::vector<std::string> ConditionLines(const FetchRequest& request);

/// `url` as it is passed to libcurl: without fragment, user and password.
std::string RequestUrl(const Url& url);

}  // namespace crawler
