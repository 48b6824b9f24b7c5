// Response heads: any bytes give fields, framing, a redirect target and dates.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fetch/decode.hpp"
#include "fetch/http_fields.hpp"
#include "model/headers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crawler;
  const std::string raw(reinterpret_cast<const char*>(data), size);
  const HeaderBlock headers(raw);
  if (headers.raw() != raw) std::abort();
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const std::string_view name = headers.name(i), value = headers.value(i);
    if (name.find_first_of(" \t:\r\n") != std::string_view::npos) std::abort();
    if (value.find('\n') != std::string_view::npos) std::abort();
    if (TrimBlanks(value) != value) std::abort();
    if (!name.empty() && !headers.Find(name)) std::abort();
  }

  const std::string_view line = std::string_view(raw).substr(0, raw.find('\n'));
  const int status = ParseStatusLine(line);
  if (status != 0 && (status < 100 || status > 999)) std::abort();
  const BodyFraming framing = ReadFraming(headers, status, FetchRequest::Method::kGet);
  if ((framing.kind == BodyFraming::Kind::kBad) == framing.flaw.empty()) std::abort();
  if (ReadContentCodings(headers).applied.size() > kMaxContentCodings) std::abort();

  static const Url base = [] {
    Url url;
    ParseUrl("http://example.test/dir/page?query", nullptr, &url);
    return url;
  }();
  const RedirectTarget target = ReadRedirect(headers, 301, base);
  if (target.url && target.url->kind() == UrlKind::kInvalid) std::abort();

  const std::string essence = MediaTypeEssence(headers.Joined("content-type"));
  if (!essence.empty() && essence.find('/') == std::string::npos) std::abort();
  const std::chrono::seconds cap(3600);
  for (const std::string_view text : {headers.Find("retry-after").value_or(""), line}) {
    const auto wait = ParseRetryAfter(text, WallTime(std::chrono::seconds(1'700'000'000)), cap);
    if (wait && (*wait < std::chrono::seconds(0) || *wait > cap)) std::abort();
  }
  return 0;
}
