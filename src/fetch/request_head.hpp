#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fetch/context.hpp"
#include "model/fetch_result.hpp"

namespace crawler {

/// The head of the request that fetchers of `context` send for `request`, from "GET /x HTTP/1.1" to
/// the empty line, in the words and order of libcurl. Over HTTP/2, where it goes out as frames, it
/// is written in the same form. `http10`: over a kept connection of an HTTP/1.0 server, which
/// libcurl asks in its own version.
///
/// It is made for archives, so what is secret is not in it: the values of credentials are
/// "[withheld]", and the line with the cookies, which only libcurl knows, is left out.
/// Threads: safe from any thread.
std::string RequestHead(const FetchContext& context, const FetchRequest& request,
                        bool http10 = false);

/// The lines that make a request conditional, "If-None-Match: …" and "If-Modified-Since: …".
std::vector<std::string> ConditionLines(const FetchRequest& request);

/// `url` as libcurl is given it: no fragment, and no user or password, which are nobody's business.
std::string RequestUrl(const Url& url);

}  // namespace crawler
