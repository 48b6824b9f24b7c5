#include "fetch/decode.hpp"

#include <gtest/gtest.h>

#include "web/compress.hpp"

namespace crawler {
namespace {

using Codings = std::vector<ContentCoding>;

struct Decoded {
  DecodeOutcome outcome;
  std::string output;
};

Decoded Decode(std::string_view input, const Codings& codings, DecodeLimits limits = {}) {
  Decoder decoder;
  Decoded decoded;
  decoded.outcome = decoder.Decode(input, codings, limits, &decoded.output);
  EXPECT_LE(decoded.output.size(), limits.max_output);
  return decoded;
}

std::string Text(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  return text;
}

struct Format {
  const char* name;
  ContentCoding coding;
  std::string (*encode)(std::string_view);
};

const Format kFormats[] = {{"gzip", ContentCoding::kGzip, Gzip},
                           {"zlib", ContentCoding::kDeflate, Zlib},
                           {"raw deflate", ContentCoding::kDeflate, RawDeflate},
                           {"brotli", ContentCoding::kBrotli, Brotli},
                           {"zstd", ContentCoding::kZstd, Zstd}};

TEST(Decode, RoundTrips) {
  for (const Format& format : kFormats) {
    for (const std::string& text : {std::string("x"), Text(10), Text(50'000)}) {
      const Decoded decoded = Decode(format.encode(text), {format.coding});
      EXPECT_EQ(decoded.outcome, DecodeOutcome::kComplete) << format.name;
      EXPECT_EQ(decoded.output, text) << format.name;
    }
  }
}

TEST(Decode, EveryPrefixGivesAPrefix) {
  const std::string text = Text(200);
  for (const Format& format : kFormats) {
    const std::string coded = format.encode(text);
    for (std::size_t size = 0; size < coded.size(); size += 7) {
      const Decoded decoded = Decode(std::string_view(coded).substr(0, size), {format.coding});
      EXPECT_EQ(decoded.output, text.substr(0, decoded.output.size())) << format.name << size;
      if (size > 0) {
        EXPECT_NE(decoded.outcome, DecodeOutcome::kBomb) << format.name << size;
      }
    }
  }
}

TEST(Decode, DamageKeepsWhatCameBefore) {
  const std::string text = Text(20'000);
  for (const Format& format : kFormats) {
    std::string coded = format.encode(text);
    for (std::size_t i = coded.size() / 2; i < coded.size() / 2 + 50; ++i) coded[i] ^= 0x55;
    const Decoded decoded = Decode(coded, {format.coding});
    EXPECT_NE(decoded.outcome, DecodeOutcome::kBomb) << format.name;
    EXPECT_GT(decoded.output.size(), 1'000u) << format.name;
  }
}

TEST(Decode, LimitIsExact) {
  const std::string text = Text(5'000);
  for (const Format& format : kFormats) {
    const std::string coded = format.encode(text);
    DecodeLimits limits;
    limits.max_output = text.size();
    EXPECT_EQ(Decode(coded, {format.coding}, limits).outcome, DecodeOutcome::kComplete)
        << format.name;
    limits.max_output = text.size() - 1;
    const Decoded cut = Decode(coded, {format.coding}, limits);
    EXPECT_EQ(cut.outcome, DecodeOutcome::kTooLarge) << format.name;
    EXPECT_EQ(cut.output, text.substr(0, text.size() - 1)) << format.name;
  }
}

TEST(Decode, ABufferLeftFromALargerBodyDoesNotLiftTheLimit) {
  Decoder decoder;
  std::string output;
  const std::string text = Text(5'000);
  for (const Format& format : kFormats) {
    EXPECT_EQ(decoder.Decode(format.encode(text), {format.coding}, {}, &output),
              DecodeOutcome::kComplete);
    DecodeLimits limits;
    limits.max_output = 100;
    EXPECT_EQ(decoder.Decode(format.encode(text), {format.coding}, limits, &output),
              DecodeOutcome::kTooLarge)
        << format.name;
    EXPECT_EQ(output, text.substr(0, 100));
  }
}

TEST(Decode, BombsAreBombs) {
  const std::string zeros(20'000'000, '\0');
  for (const Format& format : kFormats) {
    const Decoded decoded = Decode(format.encode(zeros), {format.coding});
    EXPECT_EQ(decoded.outcome, DecodeOutcome::kBomb) << format.name;
    EXPECT_TRUE(decoded.output.empty()) << format.name;
  }
  DecodeLimits roomy;
  roomy.max_output = 100'000'000;  // It would fit, and is absurd all the same.
  EXPECT_EQ(Decode(Gzip(zeros), {ContentCoding::kGzip}, roomy).outcome, DecodeOutcome::kBomb);
}

TEST(Decode, ABombInLayersIsOne) {
  // 3 MB in a few bytes, where no single step is over its own ratio.
  DecodeLimits limits;
  limits.max_ratio = 900;
  std::string coded = Gzip(Gzip(std::string(3'000'000, 'x')));
  EXPECT_EQ(Decode(coded, {ContentCoding::kGzip, ContentCoding::kGzip}, limits).outcome,
            DecodeOutcome::kBomb);
}

TEST(Decode, SmallBodiesMayHaveAnyRatio) {
  const std::string text(100'000, ' ');
  EXPECT_EQ(Decode(Gzip(text), {ContentCoding::kGzip}).output, text);
}

TEST(Decode, ChainsAreUndoneFromTheEnd) {  // RFC 9110, 8.4
  EXPECT_EQ(Decode(Brotli(Gzip("text")), {ContentCoding::kGzip, ContentCoding::kBrotli}).output,
            "text");
  EXPECT_EQ(Decode(Brotli(Gzip("text")), {ContentCoding::kBrotli, ContentCoding::kGzip}).outcome,
            DecodeOutcome::kFailed);
}

// A decoder is used for one response after another: nothing of one may show up in the next.
TEST(Decode, AnEmptyLayerGivesNothingOfAnEarlierBody) {
  const Codings twice = {ContentCoding::kGzip, ContentCoding::kGzip};
  Decoder decoder;
  std::string first, second;
  EXPECT_EQ(decoder.Decode(Gzip(Gzip("another page")), twice, {}, &first),
            DecodeOutcome::kComplete);
  EXPECT_EQ(first, "another page");
  EXPECT_EQ(decoder.Decode(Gzip(""), twice, {}, &second), DecodeOutcome::kComplete);
  EXPECT_EQ(second, "");
}

TEST(Decode, SeveralFramesAreOneBody) {
  EXPECT_EQ(Decode(Gzip("a") + Gzip("") + Gzip("b"), {ContentCoding::kGzip}).output, "ab");
  EXPECT_EQ(Decode(Zstd("a") + Zstd("b"), {ContentCoding::kZstd}).output, "ab");
  std::string many;
  for (int i = 0; i < 1'000; ++i) many += Gzip("0123456789");
  EXPECT_EQ(Decode(many, {ContentCoding::kGzip}).output.size(), 10'000u);
}

TEST(Decode, GarbageBehindTheEndIsIgnored) {
  for (const Format& format : kFormats) {
    const Decoded decoded = Decode(format.encode("text") + "garbage", {format.coding});
    EXPECT_EQ(decoded.output, "text") << format.name;
    EXPECT_EQ(decoded.outcome, DecodeOutcome::kComplete) << format.name;
  }
}

TEST(Decode, NothingIsNothing) {
  for (const Format& format : kFormats) {
    EXPECT_EQ(Decode("", {format.coding}).outcome, DecodeOutcome::kComplete);
    EXPECT_EQ(Decode(format.encode(""), {format.coding}).outcome, DecodeOutcome::kComplete);
  }
  EXPECT_EQ(Decode("text", {}).output, "text");
}

TEST(Decode, WindowsLargerThanHttpAllowsAreRefused) {  // RFC 9659
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 27);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  const std::string text = Text(1'000);
  std::string coded(ZSTD_compressBound(text.size()), '\0');
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer out{coded.data(), coded.size(), 0};
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  coded.resize(out.pos);
  EXPECT_EQ(Decode(coded, {ContentCoding::kZstd}).outcome, DecodeOutcome::kFailed);
}

TEST(Decode, ReadsContentEncoding) {
  const auto read = [](const std::string& fields) {
    return ReadContentCodings(HeaderBlock("HTTP/1.1 200 OK\r\n" + fields + "\r\n"));
  };
  EXPECT_EQ(read("Content-Encoding: gzip, BR\r\ncontent-encoding: zstd\r\n").applied,
            (Codings{ContentCoding::kGzip, ContentCoding::kBrotli, ContentCoding::kZstd}));
  EXPECT_EQ(read("Content-Encoding: x-gzip\r\n").applied, Codings{ContentCoding::kGzip});
  EXPECT_TRUE(read("Content-Encoding: , identity,\r\n").applied.empty());
  EXPECT_TRUE(read("Content-Encoding: compress\r\n").unknown);
  EXPECT_FALSE(read("Content-Encoding: br, br, br, br, br\r\n").too_many);
  EXPECT_TRUE(read("Content-Encoding: br, br, br, br, br, br\r\n").too_many);
}

}  // namespace
}  // namespace crawler
