// How the encoding of a document is decided: HTML, "determining the character encoding".
#include <gtest/gtest.h>

#include "conformance_data.hpp"
#include "parse/charset.hpp"

namespace crawler {
namespace {

std::string Html(std::string_view bytes, std::string_view content_type = "") {
  return std::string(CharsetName(SniffHtmlCharset(bytes, content_type).charset));
}

TEST(Sniff, TheOrderOfAuthorities) {
  const std::string_view meta = "<meta charset=big5>";
  const std::string_view header = "text/html; charset=koi8-r";
  EXPECT_EQ(Html("\xEF\xBB\xBF<meta charset=big5>", header), "UTF-8");
  EXPECT_EQ(Html(meta, header), "KOI8-R");
  EXPECT_EQ(Html(meta, "text/html"), "Big5");
  EXPECT_EQ(Html("\xC3\xA9"), "windows-1252") << "nothing is guessed from the text";
  EXPECT_EQ(SniffHtmlCharset(meta, header).source, CharsetSource::kContentType);
  EXPECT_EQ(SniffHtmlCharset(meta, "").source, CharsetSource::kDocument);
  EXPECT_EQ(SniffHtmlCharset("", "").source, CharsetSource::kDefault);
  EXPECT_EQ(SniffHtmlCharset("\xFF\xFE", "").source, CharsetSource::kByteOrderMark);
}

TEST(Sniff, ByteOrderMarks) {
  EXPECT_EQ(Html("\xFE\xFFxx"), "UTF-16BE");
  EXPECT_EQ(Html("\xFF\xFExx"), "UTF-16LE");
  EXPECT_EQ(Html("\xEF\xBB"), "windows-1252");
}

TEST(Sniff, ContentType) {
  EXPECT_EQ(ContentTypeCharset("text/html;charset=utf-8"), Charset::kUtf8);
  EXPECT_EQ(ContentTypeCharset("text/html; CHARSET=\"utf-8\"; x=y"), Charset::kUtf8);
  EXPECT_EQ(ContentTypeCharset("text/html; a=\";charset=big5\"; charset=utf-8"), Charset::kUtf8);
  EXPECT_EQ(ContentTypeCharset("text/html; charset=\"u\\tf-8\""), Charset::kUtf8);
  EXPECT_EQ(ContentTypeCharset("text/html; x; charset=utf-8 ; charset=big5"), Charset::kUtf8);
  EXPECT_EQ(ContentTypeCharset("text/html; charset=nonsense"), std::nullopt);
  EXPECT_EQ(ContentTypeCharset("text/html; charset=nonsense; charset=utf-8"), std::nullopt)
      << "the first one counts";
  EXPECT_EQ(ContentTypeCharset("text/html; xcharset=utf-8"), std::nullopt);
  EXPECT_EQ(ContentTypeCharset("text/html; charset"), std::nullopt);
  EXPECT_EQ(ContentTypeCharset("text/html; charset="), std::nullopt);
  EXPECT_EQ(ContentTypeCharset("charset=utf-8"), std::nullopt) << "not a parameter";
  EXPECT_EQ(ContentTypeCharset(";"), std::nullopt);
  EXPECT_EQ(ContentTypeCharset("a;b=\"\\"), std::nullopt);
}

TEST(Prescan, MetaCharset) {
  EXPECT_EQ(PrescanHtml("<meta charset=euc-jp>"), Charset::kEucJp);
  EXPECT_EQ(PrescanHtml("<META/CHARSET = 'EUC-JP'/>"), Charset::kEucJp);
  EXPECT_EQ(PrescanHtml("<meta charset=x charset=euc-jp>"), std::nullopt) << "the first counts";
  EXPECT_EQ(PrescanHtml("<meta charset=x><meta charset=euc-jp>"), Charset::kEucJp);
  EXPECT_EQ(PrescanHtml("<metax charset=euc-jp>"), std::nullopt);
  EXPECT_EQ(PrescanHtml("<meta charset=euc-jp"), std::nullopt) << "the bytes run out";
}

TEST(Prescan, MetaHttpEquiv) {
  EXPECT_EQ(PrescanHtml("<meta http-equiv=Content-Type content='a/b;charset=euc-jp'>"),
            Charset::kEucJp);
  EXPECT_EQ(PrescanHtml("<meta content='charset=euc-jp' http-equiv=CONTENT-TYPE>"),
            Charset::kEucJp);
  EXPECT_EQ(PrescanHtml("<meta content='charset=euc-jp'>"), std::nullopt) << "no pragma";
  EXPECT_EQ(PrescanHtml("<meta http-equiv=refresh content='charset=euc-jp'>"), std::nullopt);
  EXPECT_EQ(PrescanHtml("<meta http-equiv=content-type content='charset charset = \"euc-jp\"'>"),
            Charset::kEucJp);
  EXPECT_EQ(PrescanHtml("<meta http-equiv=content-type content='charset=\"euc-jp'>"), std::nullopt);
  EXPECT_EQ(PrescanHtml("<meta http-equiv=content-type content=charset=euc-jp;x>"),
            Charset::kEucJp);
  EXPECT_EQ(PrescanHtml("<meta http-equiv=content-type content=charset>"), std::nullopt);
  EXPECT_EQ(PrescanHtml("<meta http-equiv=content-type content='charset='>"), std::nullopt);
}

TEST(Prescan, WhatCannotBeTrueIsReplaced) {
  EXPECT_EQ(PrescanHtml("<meta charset=utf-16be>"), Charset::kUtf8);
  EXPECT_EQ(PrescanHtml("<meta charset=x-user-defined>"), Charset::kWindows1252);
}

TEST(Prescan, MarkupThatIsSteppedOver) {
  EXPECT_EQ(PrescanHtml("<!-- <meta charset=big5> --><meta charset=euc-jp>"), Charset::kEucJp);
  EXPECT_EQ(PrescanHtml("<!--><meta charset=euc-jp>"), Charset::kEucJp);
  EXPECT_EQ(PrescanHtml("<!-- <meta charset=euc-jp>"), std::nullopt);
  EXPECT_EQ(PrescanHtml("<a b='<meta charset=big5>'><meta charset=euc-jp>"), Charset::kEucJp);
  EXPECT_EQ(PrescanHtml("</a b='>'><meta charset=euc-jp>"), Charset::kEucJp);
  EXPECT_EQ(PrescanHtml("<!doctype><?pi?></ ><meta charset=euc-jp>"), Charset::kEucJp);
  EXPECT_EQ(PrescanHtml("<a =x=y / ><meta charset=euc-jp>"), Charset::kEucJp);
  EXPECT_EQ(PrescanHtml(std::string_view("<\0<meta charset=euc-jp>", 23)), Charset::kEucJp);
}

TEST(Prescan, ScriptsHoldMetasInTheFirst1024BytesOnly) {
  const std::string script = "<script>'<meta charset=big5>'</script>";
  const std::string padding = "<!--" + std::string(1024, 'x') + "-->";
  EXPECT_EQ(PrescanHtml(script + "<meta charset=euc-jp>"), Charset::kBig5) << "as the standard";
  EXPECT_EQ(PrescanHtml(padding + script + "<meta charset=euc-jp>"), Charset::kEucJp);
  EXPECT_EQ(PrescanHtml(padding + "<TITLE><meta charset=big5></TITLE><meta charset=euc-jp>"),
            Charset::kEucJp);
  EXPECT_EQ(PrescanHtml(padding + "<style><meta charset=big5>"), std::nullopt) << "never closed";
  EXPECT_EQ(PrescanHtml("<script>" + padding + "<meta charset=big5></script><meta charset=euc-jp>"),
            Charset::kEucJp)
      << "begun before the limit";
}

TEST(Prescan, LateMetasAreFoundUpToALimit) {
  const auto at = [](size_t offset) { return std::string(offset, ' ') + "<meta charset=euc-jp>"; };
  EXPECT_EQ(PrescanHtml(at(2000)), Charset::kEucJp);
  EXPECT_EQ(PrescanHtml(at(60000)), Charset::kEucJp);
  EXPECT_EQ(PrescanHtml(at(70000)), std::nullopt);
}

TEST(Prescan, XmlDeclarationIsTheLastResort) {
  EXPECT_EQ(Html("<?xml version='1.0' encoding='koi8-r'?><p>"), "KOI8-R");
  EXPECT_EQ(Html("<?xml encoding='koi8-r'?><meta charset=big5>"), "Big5");
  EXPECT_EQ(Html("<?xml encoding='utf-16'?>"), "UTF-8");
  EXPECT_EQ(Html(std::string_view("<\0?\0x\0", 6)), "UTF-16LE");
  EXPECT_EQ(Html(std::string_view("\0<\0?\0x", 6)), "UTF-16BE");
}

TEST(XmlDeclaration, Forms) {
  EXPECT_EQ(XmlDeclarationCharset("<?xml encoding=\"koi8-r\"?>"), Charset::kKoi8R);
  EXPECT_EQ(XmlDeclarationCharset("<?xml encoding\n=\t'koi8-r'>"), Charset::kKoi8R);
  EXPECT_EQ(XmlDeclarationCharset(" <?xml encoding='koi8-r'?>"), std::nullopt);
  EXPECT_EQ(XmlDeclarationCharset("<?xml encoding='koi8-r'"), std::nullopt) << "never closed";
  EXPECT_EQ(XmlDeclarationCharset("<?xml?> encoding='koi8-r'>"), std::nullopt);
  EXPECT_EQ(XmlDeclarationCharset("<?xml encoding=koi8-r?>"), std::nullopt);
  EXPECT_EQ(XmlDeclarationCharset("<?xml encoding=' koi8-r'?>"), std::nullopt);
  EXPECT_EQ(XmlDeclarationCharset("<?xml encoding='koi8-r?>"), std::nullopt);
}

TEST(SniffXml, DefaultIsUtf8) {
  const auto sniff = [](std::string_view bytes, std::string_view type) {
    return std::string(CharsetName(SniffXmlCharset(bytes, type).charset));
  };
  EXPECT_EQ(sniff("<a/>", ""), "UTF-8");
  EXPECT_EQ(sniff("<?xml version='1.0' encoding='latin1'?>", "text/xml"), "windows-1252");
  EXPECT_EQ(sniff("<?xml encoding='latin1'?>", "text/xml; charset=utf-8"), "UTF-8");
  EXPECT_EQ(sniff("<?xml encoding='utf-16'?>", ""), "UTF-8") << "it was read as ASCII";
  EXPECT_EQ(sniff(std::string_view("<\0?\0x\0m\0", 8), ""), "UTF-16LE");
}

std::string Lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

void RunEncodingTests(const std::string& file, size_t expected_cases) {
  const std::string text = "\n" + ReadConformanceFile("html5lib-tests/encoding/" + file);
  size_t cases = 0;
  for (size_t at = text.find("\n#data\n"); at != std::string::npos;) {
    const size_t data = at + 7;
    const size_t encoding = text.find("\n#encoding\n", data);
    ASSERT_NE(encoding, std::string::npos);
    const size_t name = encoding + 11;
    const std::string expected = text.substr(name, text.find('\n', name) - name);
    EXPECT_EQ(Lower(Html(text.substr(data, encoding - data))), Lower(expected))
        << file << ", byte " << data;
    ++cases;
    at = text.find("\n#data\n", name);
  }
  EXPECT_GE(cases, expected_cases);
}

TEST(Prescan, Html5libTests) {
  CRAWLER_REQUIRE_CONFORMANCE("html5lib-tests/encoding/tests1.dat");
  RunEncodingTests("tests1.dat", 59);
  RunEncodingTests("tests2.dat", 22);
  RunEncodingTests("test-yahoo-jp.dat", 1);
}

}  // namespace
}  // namespace crawler
