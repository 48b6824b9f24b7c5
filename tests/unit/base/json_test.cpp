#include "base/json.hpp"

#include <gtest/gtest.h>

#include <string>

namespace crawler {
namespace {

std::string Json(std::string_view text) {
  std::string out = "x";
  AppendJson(text, &out);
  return out;
}

std::string JsonOfBytes(std::string_view bytes) {
  std::string out;
  AppendJsonBytes(bytes, &out);
  return out;
}

// RFC 8259, section 7: quotation mark, reverse solidus and the control characters.
TEST(Json, EscapesWhatHasToBe) {
  EXPECT_EQ(Json(""), "x\"\"");
  EXPECT_EQ(Json("a\"b\\c/"), R"(x"a\"b\\c/")");
  EXPECT_EQ(Json(std::string_view("\0\x1f\n\t", 4)), R"(x"\u0000\u001f\n\t")");
  EXPECT_EQ(Json("\u00e9\x7f"), "x\"\u00e9\x7f\"") << "UTF-8 stays as it is";
}

TEST(Json, IntoABuffer) {
  char out[32];
  const std::string_view text = "a\"\n\x01";
  EXPECT_EQ(std::string_view(out, static_cast<std::size_t>(WriteJson(text, out) - out)),
            R"("a\"\n\u0001")");
}

TEST(Json, BytesOfAnyEncodingAreAscii) {
  EXPECT_EQ(JsonOfBytes("a\xff\x80\x7f\"\n"), R"("a\u00ff\u0080\u007f\"\n")");
}

}  // namespace
}  // namespace crawler
