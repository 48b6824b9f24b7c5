// What hostile servers do to bodies and their codings: H055 to H088 of the checklist.
#include <gtest/gtest.h>

#include "web/compress.hpp"
#include "web/fetch_testing.hpp"
#include "web/hostile_server.hpp"

namespace crawler {
namespace {

using namespace std::literals;

std::string Chunked(std::string_view chunks, std::string_view extra = "") {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n" +
         std::string(extra) + "\r\n" + std::string(chunks);
}

FetchResult FetchCoded(const std::string& coding, const std::string& body,
                       const FetchOptions& options = TestOptions()) {
  return FetchReply(OkResponse(body, "Content-Encoding: " + coding + "\r\n"), options);
}

TEST(HostileFraming, H055BodyShorterThanAnnounced) {
  const FetchResult result =
      FetchReply("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\nshort");
  EXPECT_EQ(result.failure, FetchFailure::kDisconnected) << result.message;
  EXPECT_EQ(result.truncated, Truncation::kDisconnect);
  EXPECT_EQ(result.body(), "short");
}

TEST(HostileFraming, H056BodyLongerThanAnnounced) {
  HostileServer server(HostileServer::Reply(
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nright wrong"));
  Session session;
  EXPECT_EQ(session.Fetch(server.Url()).raw_body, "right");
  EXPECT_EQ(session.Fetch(server.Url()).raw_body, "right");
  EXPECT_EQ(server.connections(), 2);
}

TEST(HostileFraming, H057BodyBehindALengthOfZero) {
  HostileServer server(HostileServer::Reply("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nbody"));
  Session session;
  EXPECT_TRUE(session.Fetch(server.Url()).body().empty());
  EXPECT_TRUE(session.Fetch(server.Url()).ok());
  EXPECT_EQ(server.connections(), 2);
}

TEST(HostileFraming, H058ChunksWinOverALength) {
  HostileServer server(HostileServer::Replies(
      {Chunked("2\r\nhi\r\n0\r\n\r\n", "Content-Length: 100\r\n"), OkResponse("reused")}));
  Session session;
  EXPECT_EQ(session.Fetch(server.Url()).body(), "hi");
  EXPECT_EQ(session.Fetch(server.Url()).body(), "hi");  // On a new connection.
  EXPECT_EQ(server.connections(), 2);
}

TEST(HostileFraming, H059ChunkSizeThatIsNoNumber) {
  const FetchResult result = FetchReply(Chunked("2\r\nhi\r\nzz\r\nxx\r\n0\r\n\r\n"));
  EXPECT_EQ(result.failure, FetchFailure::kProtocol) << result.message;
}

TEST(HostileFraming, H060ChunkSizeThatOverflows) {
  for (const char* size : {"fffffffffffffffff", "ffffffffffffffff", "8000000000000000"}) {
    const FetchResult result = FetchReply(Chunked(std::string(size) + "\r\nhi\r\n0\r\n\r\n"));
    EXPECT_FALSE(result.ok()) << size;
  }
}

TEST(HostileFraming, H061ChunkSizesInAllDress) {
  const std::string extension(1024, 'e');
  const FetchResult result = FetchReply(
      Chunked("0002;name=value\r\nab\r\nA ;" + extension + "\r\n0123456789\r\n0\r\n\r\n"));
  EXPECT_EQ(result.body(), "ab0123456789") << result.message;
}

TEST(HostileFraming, H062ClosedBeforeTheLastChunk) {
  const FetchResult result = FetchReply(Chunked("5\r\nhello\r\n"));
  EXPECT_EQ(result.failure, FetchFailure::kDisconnected) << result.message;
  EXPECT_EQ(result.truncated, Truncation::kDisconnect);
  EXPECT_EQ(result.body(), "hello");
}

TEST(HostileFraming, H063NoLineEndBehindAChunk) {
  const FetchResult result = FetchReply(Chunked("2\r\nhiX3\r\nfoo\r\n0\r\n\r\n"));
  EXPECT_EQ(result.failure, FetchFailure::kProtocol) << result.message;
}

TEST(HostileFraming, H064AMillionChunks) {
  std::string chunks;
  chunks.reserve(7'000'000);
  for (int i = 0; i < 1'000'000; ++i) chunks += "1\r\nx\r\n";
  const FetchResult result = FetchReply(Chunked(chunks + "0\r\n\r\n"));
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.body(), std::string(1'000'000, 'x'));
}

TEST(HostileFraming, H065TrailersAreIgnored) {
  const FetchResult result =
      FetchReply(Chunked("2\r\nhi\r\n0\r\nX-Trailer: 1\r\nContent-Type: image/png\n\r\n"));
  EXPECT_EQ(result.body(), "hi") << result.message;
  EXPECT_EQ(result.headers.Find("X-Trailer"), std::nullopt);
}

TEST(HostileFraming, H066NulInATrailer) {
  const FetchResult result = FetchReply(Chunked("2\r\nhi\r\n0\r\nX: a\0b\r\n\r\n"s));
  EXPECT_EQ(result.failure, FetchFailure::kProtocol) << result.message;
}

std::string WithTransferEncoding(const std::string& encoding) {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: " + encoding +
         "\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
}

TEST(HostileFraming, H067ChunkedMustBeLast) {
  for (const char* encoding : {"chunked, gzip", "chunked, identity", "chunked, chunkedx"}) {
    EXPECT_EQ(FetchReply(WithTransferEncoding(encoding)).failure, FetchFailure::kProtocol);
  }
}

TEST(HostileFraming, H068ChunkedTwiceIsUndoneOnce) {
  EXPECT_EQ(FetchReply(WithTransferEncoding("chunked, chunked")).body(), "hi");
  EXPECT_EQ(FetchReply(WithTransferEncoding("chunked\r\nTransfer-Encoding: chunked")).body(), "hi");
}

TEST(HostileFraming, H069UnknownTransferEncoding) {
  for (const char* encoding : {"gzip", "xyz", "gzip, chunked", "identityx"}) {
    const FetchResult result = FetchReply(WithTransferEncoding(encoding));
    EXPECT_EQ(result.failure, FetchFailure::kProtocol) << encoding << " " << result.message;
  }
}

TEST(HostileFraming, H070NoBodyIn204And304) {
  for (const char* status : {"204 No Content", "304 Not Modified"}) {
    for (const char* framing : {"Content-Length: 5", "Transfer-Encoding: chunked"}) {
      HostileServer server(HostileServer::Reply("HTTP/1.1 " + std::string(status) + "\r\n" +
                                                framing + "\r\n\r\n5\r\nhello\r\n0\r\n\r\n"));
      Session session;
      const FetchResult result = session.Fetch(server.Url());
      EXPECT_TRUE(result.ok()) << result.message;
      EXPECT_TRUE(result.raw_body.empty());
      EXPECT_TRUE(session.Fetch(server.Url()).ok());  // Not the leftovers of the first one.
    }
  }
}

TEST(HostileFraming, H071HeadWithABody) {
  HostileServer server(HostileServer::Reply(OkResponse("a body nobody asked for")));
  FetchRequest request = RequestFor(server.Url());
  request.method = FetchRequest::Method::kHead;
  Session session;
  const FetchResult head = session.Fetch(request);
  EXPECT_TRUE(head.ok()) << head.message;
  EXPECT_TRUE(head.raw_body.empty());
  EXPECT_EQ(server.requests().front().substr(0, 5), "HEAD ");
  EXPECT_EQ(session.Fetch(server.Url()).body(), "a body nobody asked for");
}

TEST(HostileFraming, H072BodiesOf205AreReadAndIgnored) {
  const FetchResult result =
      FetchReply("HTTP/1.1 205 Reset Content\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.status, 205);
}

TEST(HostileFraming, H073NoLengthMeansUntilTheEnd) {
  const FetchResult result = FetchReply(
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: keep-alive\r\n\r\nto the end");
  EXPECT_EQ(result.body(), "to the end") << result.message;
}

TEST(HostileCoding, H074GzipBombs) {
  const std::string zeros(50'000'000, '\0');
  const std::string bomb = Gzip(zeros);
  const FetchResult result = FetchCoded("gzip", bomb);
  EXPECT_EQ(result.failure, FetchFailure::kBomb) << result.message;
  EXPECT_TRUE(result.body().empty());
  EXPECT_EQ(result.raw_body, bomb);  // As received, for the archive.
  EXPECT_EQ(FetchCoded("gzip, gzip", Gzip(bomb)).failure, FetchFailure::kBomb);

  FetchOptions options = TestOptions();  // Just large, not absurd.
  options.limits.max_decoded = 1'000;
  const FetchResult large = FetchCoded("gzip", Gzip(std::string(5'000, 'x')), options);
  EXPECT_EQ(large.failure, FetchFailure::kTooLarge);
  EXPECT_EQ(large.body(), std::string(1'000, 'x'));
}

TEST(HostileCoding, H075BrotliAndZstdBombs) {
  const std::string zeros(50'000'000, '\0');
  EXPECT_EQ(FetchCoded("br", Brotli(zeros)).failure, FetchFailure::kBomb);
  EXPECT_EQ(FetchCoded("zstd", Zstd(zeros)).failure, FetchFailure::kBomb);
}

TEST(HostileCoding, H076LongChainsAreRefused) {
  std::string chain = "gzip";
  for (int i = 0; i < 1'000; ++i) chain += ", gzip";
  EXPECT_EQ(FetchCoded(chain, Gzip("x")).failure, FetchFailure::kBadEncoding);
  EXPECT_EQ(FetchCoded("gzip, br, zstd, deflate, gzip", Gzip(Zlib(Zstd(Brotli(Gzip("five deep"))))))
                .body(),
            "five deep");
}

TEST(HostileCoding, H077GzipThatIsNone) {
  const FetchResult result = FetchCoded("gzip", "<html>plain</html>");
  EXPECT_EQ(result.failure, FetchFailure::kBadEncoding) << result.message;
  EXPECT_EQ(result.raw_body, "<html>plain</html>");
}

TEST(HostileCoding, H078GzipFilesAreNotDecoded) {
  const std::string file = Gzip("sitemap");
  HostileServer server(HostileServer::Reply(OkResponse(file)));
  EXPECT_EQ(Fetch(server.Url("/sitemap.xml.gz")).body(), file);
}

TEST(HostileCoding, H079DeflateWithAndWithoutZlib) {
  EXPECT_EQ(FetchCoded("deflate", Zlib("wrapped")).body(), "wrapped");
  EXPECT_EQ(FetchCoded("deflate", RawDeflate("bare")).body(), "bare");
}

TEST(HostileCoding, H080BrokenGzipHeader) {
  std::string body = Gzip("text");
  body[3] = '\xe0';  // Reserved flags (RFC 1952, 2.3.1.2).
  EXPECT_EQ(FetchCoded("gzip", body).failure, FetchFailure::kBadEncoding);
  body[3] = 0;
  body[0] = 'x';
  EXPECT_EQ(FetchCoded("gzip", body).failure, FetchFailure::kBadEncoding);
}

TEST(HostileCoding, H081WrongChecksumKeepsTheTextFlagged) {
  for (const std::size_t from_end : {8u, 4u}) {  // CRC, ISIZE.
    std::string body = Gzip("text that came through");
    body[body.size() - from_end] ^= 1;
    const FetchResult result = FetchCoded("gzip", body);
    EXPECT_TRUE(result.ok()) << result.message;
    EXPECT_TRUE(result.decoding_incomplete);
    EXPECT_EQ(result.body(), "text that came through");
  }
}

TEST(HostileCoding, H082GzipWithAllOptionalFields) {
  std::string extra(65'000, 'e'), name("file.html"), comment(2'000, 'c');
  gz_header header{};
  header.extra = reinterpret_cast<Bytef*>(extra.data());
  header.extra_len = static_cast<uInt>(extra.size());
  header.name = reinterpret_cast<Bytef*>(name.data());
  header.comment = reinterpret_cast<Bytef*>(comment.data());
  header.hcrc = 1;
  const FetchResult result = FetchCoded("gzip", Deflated("content", 15 + 16, &header));
  EXPECT_EQ(result.body(), "content") << result.message;
}

TEST(HostileCoding, H083TwoGzipMembersAreOneBody) {
  const FetchResult result = FetchCoded("gzip", Gzip("first ") + Gzip("second"));
  EXPECT_EQ(result.body(), "first second") << result.message;
  EXPECT_FALSE(result.decoding_incomplete);
}

TEST(HostileCoding, H084TruncatedGzipIsDecodedAsFarAsItGoes) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919);
  const std::string whole = Gzip(text);
  const FetchResult result = FetchCoded("gzip", whole.substr(0, whole.size() / 2));
  EXPECT_TRUE(result.decoding_incomplete);
  EXPECT_GT(result.body().size(), 1'000u);
  EXPECT_EQ(result.body(), text.substr(0, result.body().size()));
}

TEST(HostileCoding, H085GarbageBehindGzipIsIgnored) {
  const FetchResult result = FetchCoded("gzip", Gzip("text") + "garbage");
  EXPECT_EQ(result.body(), "text") << result.message;
  EXPECT_FALSE(result.decoding_incomplete);
}

TEST(HostileCoding, H086UnknownCodingIsDeliveredFlagged) {
  const FetchResult result = FetchCoded("xyz", "as it came");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_TRUE(result.decoding_incomplete);
  EXPECT_EQ(result.body(), "as it came");
}

TEST(HostileCoding, H087NamesOfGzip) {
  for (const char* name : {"x-gzip", "GZIP", "  gzip  ", "gzip,", ", gzip", "identity, gzip"}) {
    EXPECT_EQ(FetchCoded(name, Gzip("text")).body(), "text") << name;
  }
}

TEST(HostileCoding, H088EmptyCodingIsNone) {
  EXPECT_EQ(FetchCoded("", "text").body(), "text");
  EXPECT_EQ(FetchCoded("identity", "text").body(), "text");
}

}  // namespace
}  // namespace crawler
