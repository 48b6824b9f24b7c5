#include "url/query_encoder.hpp"

#include <gtest/gtest.h>

#include "url/url.hpp"

namespace crawler {
namespace {

std::string Query(std::string_view encoding, std::string_view text,
                  std::string_view scheme = "http") {
  const auto encoder = QueryEncoder::ForEncoding(encoding);
  Url url;
  ParseUrl(std::string(scheme) + "://h/?" + std::string(text), nullptr, &url, encoder.get());
  return std::string(url.query());
}

// https://url.spec.whatwg.org/#string-percent-encode-after-encoding
TEST(QueryEncoder, WritesTheDocumentsEncoding) {
  EXPECT_EQ(Query("windows-1252", "\xc3\xa9&x=1'"), "%E9&x=1%27");
  EXPECT_EQ(Query("WINDOWS-1251", "\xd0\xb6"), "%E6");
  EXPECT_EQ(Query("Shift_JIS", "\xe3\x81\x82"), "%82%A0");
  EXPECT_EQ(Query("EUC-KR", "\xea\xb0\x80"), "%B0%A1");
  EXPECT_EQ(Query("gb18030", "\xe4\xb8\xad"), "%D6%D0");
}

TEST(QueryEncoder, WhatTheEncodingLacksBecomesAReference) {
  EXPECT_EQ(Query("iso-8859-2", "a\xe2\x80\xa0\xf0\x9f\x92\xa9z"),
            "a%26%238224%3B%26%23128169%3Bz");
  EXPECT_EQ(Query("windows-1252", "\xff\xc3\xa9"), "%26%2365533%3B%E9");
}

TEST(QueryEncoder, IsNotUsedWhereTheStandardWantsUtf8) {
  EXPECT_EQ(Query("windows-1252", "\xc3\xa9", "ws"), "%C3%A9");
  EXPECT_EQ(Query("windows-1252", "\xc3\xa9", "foo"), "%C3%A9");
  for (const char* name : {"UTF-8", "utf-16le", "UTF-16BE", "replacement", "nonsense", ""}) {
    EXPECT_EQ(QueryEncoder::ForEncoding(name), nullptr) << name;
  }
}

TEST(QueryEncoder, KeepsNoStateBetweenQueries) {
  const auto encoder = QueryEncoder::ForEncoding("iso-2022-jp");
  std::string first, second;
  encoder->Append("\xe3\x81\x82", &first);
  encoder->Append("\xe3\x81\x82", &second);
  EXPECT_EQ(first, "%1B$B$%22%1B(B");
  EXPECT_EQ(second, first);
}

}  // namespace
}  // namespace crawler
