#include "inspect/row_writer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace crawler {
namespace {

Cell Text(std::string_view text) { return {Cell::Kind::kText, 0, 0, text}; }

std::string Write(DataFormat format, const std::vector<std::string>& columns,
                  const std::vector<Cell>& row, bool for_terminal = false) {
  std::string out;
  const RowSink sink = WriteRows(
      format,
      [&out](std::string_view text) {
        out.append(text);
        return true;
      },
      for_terminal);
  EXPECT_TRUE(sink.columns(columns));
  EXPECT_TRUE(sink.row(row));
  return out;
}

std::string CsvField(std::string_view text, bool for_terminal = false) {
  const std::string all = Write(DataFormat::kCsv, {"c"}, {Text(text)}, for_terminal);
  EXPECT_TRUE(all.starts_with("c\r\n") && all.ends_with("\r\n")) << all;
  return all.substr(3, all.size() - 5);
}

TEST(RowWriter, QuotesAsRfc4180Says) {
  EXPECT_EQ(CsvField("plain"), "plain");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(CsvField("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(CsvField(" space"), "\" space\"");
  EXPECT_EQ(CsvField(""), "\"\"");
}

TEST(RowWriter, NoTextIsAFormula) {
  EXPECT_EQ(CsvField("=1+1"), "'=1+1");
  EXPECT_EQ(CsvField("+1"), "'+1");
  EXPECT_EQ(CsvField("-1"), "'-1");
  EXPECT_EQ(CsvField("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(CsvField("\t=1"), "'\t=1");
  EXPECT_EQ(CsvField("\r=1"), "\"'\r=1\"");
  EXPECT_EQ(CsvField("=\"a\",1"), "\"'=\"\"a\"\",1\"");
  EXPECT_EQ(CsvField("a=1"), "a=1");
  EXPECT_EQ(Write(DataFormat::kCsv, {"=a"}, {Text("x")}), "'=a\r\nx\r\n");
}

TEST(RowWriter, NumbersAreNumbers) {
  Cell integer, real, infinite, bytes;
  integer.kind = Cell::Kind::kInteger;
  integer.integer = -5;
  real.kind = infinite.kind = Cell::Kind::kReal;
  real.real = 0.1;
  infinite.real = HUGE_VAL;
  bytes.kind = Cell::Kind::kBytes;
  bytes.text = std::string_view("\0\xff", 2);
  EXPECT_EQ(Write(DataFormat::kCsv, {"a", "b", "c", "d"}, {integer, real, Cell(), bytes}),
            "a,b,c,d\r\n-5,0.1,,00ff\r\n");
  EXPECT_EQ(Write(DataFormat::kJsonl, {"a", "b", "c", "d", "e"},
                  {integer, real, Cell(), bytes, infinite}),
            "{\"a\":-5,\"b\":0.1,\"c\":null,\"d\":\"00ff\",\"e\":null}\n");
}

TEST(RowWriter, AnyBytesBecomeUtf8) {
  EXPECT_EQ(CsvField("a\xff\x1b[31m\xc2\x9b\x7f"), "a\uFFFD\uFFFD[31m\uFFFD\uFFFD");
  EXPECT_EQ(CsvField(std::string_view("a\0b", 3)), "a\uFFFDb");
  EXPECT_EQ(CsvField("\xed\xa0\x80\xef\xbf\xbf"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(Write(DataFormat::kJsonl, {"t"}, {Text("\"\\\xff\u202E\n")}),
            "{\"t\":\"\\\"\\\\\uFFFD\\u202e\\n\"}\n");
}

TEST(RowWriter, ATerminalIsNotDeceived) {
  EXPECT_EQ(CsvField("a\x1b[31m\u202E\r", true), "a\\x1b[31m\\u202e\\x0d");
  EXPECT_EQ(CsvField("a\nb", true), "\"a\nb\"");
}

TEST(RowWriter, NamesInJsonAreUnique) {
  EXPECT_EQ(Write(DataFormat::kJsonl, {"a", "a", "a_2"}, {Text("1"), Text("2"), Text("3")}),
            "{\"a\":\"1\",\"a_2\":\"2\",\"a_2_2\":\"3\"}\n");
}

TEST(RowWriter, XmlIsEscaped) {
  std::string out;
  AppendXml("<a href=\"x\">&\x01\xff", &out);
  EXPECT_EQ(out, "&lt;a href=&quot;x&quot;&gt;&amp;\uFFFD\uFFFD");
}

}  // namespace
}  // namespace crawler
