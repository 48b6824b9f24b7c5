#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "url/url.hpp"

namespace crawler {

/// `text`, which has to be a URL.
inline Url Parsed(std::string_view text) {
  Url url;
  EXPECT_NE(ParseUrl(text, nullptr, &url), UrlKind::kInvalid) << text;
  return url;
}

}  // namespace crawler
