#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crawler {

/// A request as the handlers of the service see it. A plain value.
struct HttpRequest {
  std::string method;                                  ///< "GET" also for HEAD.
  std::string path;                                    ///< Percent-decoded, without the query.
  std::multimap<std::string, std::string> parameters;  ///< Of the query, decoded.
  std::multimap<std::string, std::string> headers;     ///< By names in small letters.
  std::string body;

  /// The first value; empty if there is none.
  std::string_view Header(std::string_view name) const { return FirstOf(headers, name); }
  std::string_view Parameter(std::string_view name) const { return FirstOf(parameters, name); }

 private:
  static std::string_view FirstOf(const std::multimap<std::string, std::string>& from,
                                  std::string_view name) {
    const auto it = from.find(std::string(name));
    return it == from.end() ? std::string_view() : std::string_view(it->second);
  }
};

/// Takes a piece of a response. False: nobody reads any more, or the server ends.
using HttpWrite = std::function<bool(std::string_view text)>;

/// The answer to a request. Every response gets the headers of DefaultHeaders() (request_guard.hpp)
/// unless it sets one of them itself.
struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  /// Writes the body piece by piece, instead of `body`; called once, by the thread of the request.
  std::function<void(const HttpWrite& write)> stream;
};

/// {"error": sentence}
HttpResponse ErrorResponse(int status, std::string_view sentence);

}  // namespace crawler
