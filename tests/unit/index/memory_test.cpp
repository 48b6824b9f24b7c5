// How much memory the indexing phase takes: IndexOptions::max_ram and some bytes a page.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <random>

#include "index/test_crawl.hpp"
#include "sanitizers.hpp"

namespace crawler {
namespace {

constexpr int kPages = 4'000;
constexpr int kLinks = 30;

/// A word that hardly another page has.
std::string RareWord(std::mt19937& random) {
  std::string word = "k";
  for (int i = 0; i < 7; ++i) word.push_back("bdfgkmpvxzaeou"[random() % 14]);
  return word;
}

/// Pages with words of their own and links with texts of their own, which is what takes most.
void Write(const std::string& path) {
  Result<Database> db = Database::Open(path, Database::Mode::kCreate);
  ASSERT_TRUE(db.ok());
  Check(db->Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF"));
  Check(Migrate(*db, CatalogueSchema()));
  Result<std::unique_ptr<IndexWriter>> writer = IndexWriter::Open(*db, std::size_t{2} << 20);
  ASSERT_TRUE(writer.ok());
  Check((*writer)->Recover());
  Check(db->Execute("BEGIN"));
  Statement page, url, links;
  Check(PrepareAll(*db, {{&url,
                          "INSERT INTO urls(id, url, host_id, depth, redirects, via)"
                          " VALUES(?,'',1,0,0,1)"},
                         {&page,
                          "INSERT INTO pages(id, url_id, visit_id, url, domain, content_hash,"
                          " status_code, crawled_at, depth, priority, size, noindex, nofollow)"
                          " VALUES(?1,?1,?1,?2,'a.example','',200,0,0,0,0,0,0)"},
                         {&links, "INSERT INTO page_links VALUES(?,?)"}}));
  std::mt19937 random(5);
  DocumentBuilder builder;
  IndexedDocument document;
  for (int i = 1; i <= kPages; ++i) {
    const std::string address = "http://a.example/" + std::to_string(i);
    std::string text = "words that are in all pages", targets = "[";
    for (int n = 0; n < 12; ++n) text.append(" ").append(RareWord(random));
    for (int n = 0; n < kLinks; ++n) {
      targets.append(n == 0 ? "[" : ",[").append(std::to_string(1 + random() % kPages));
      targets.append(",0,\"").append(RareWord(random)).append(" ").append(RareWord(random));
      targets.append("\"]");
    }
    DocumentSource source;
    source.url = address;
    source.text = text;
    source.language_hint = "en";
    builder.Build(source, &document);
    Check(url.Bind(1, std::int64_t{i}).Run());
    Check(page.Bind(1, std::int64_t{i}).Bind(2, address).Run());
    Check(links.Bind(1, std::int64_t{i}).Bind(2, targets.append("]")).Run());
    Check((*writer)->Add(i, document));
  }
  Check((*writer)->Flush());
  Check(db->Execute("COMMIT"));
}

std::int64_t Kilobytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name;) {
    std::int64_t value = 0;
    if (name == field + ":" && status >> value) return value;
    status.ignore(4096, '\n');
  }
  return 0;
}

/// Does it in a process of its own, so that its memory is that of nothing else; what it says of it
/// in megabytes, less than 255.
int InChild(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST(IndexMemory, OfThePhaseIsBounded) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer takes memory of its own";
  TestCrawl folder;  // Only its folder is wanted.
  const std::string path = folder.path() + ".large";
  ASSERT_EQ(InChild([&] {
              Write(path);
              return testing::Test::HasFailure() ? 1 : 0;
            }),
            0);
  constexpr std::size_t kMaxRam = std::size_t{16} << 20;
  constexpr std::size_t kFixed = std::size_t{16} << 20;  // SQLite's cache, ICU, a step of a merge.
  const int megabytes = InChild([&] {
    Result<Database> db = Database::Open(path, Database::Mode::kCreate);
    if (!db.ok() || !db->Execute("PRAGMA cache_size = -8000").ok()) return 254;
    IndexOptions options;
    options.max_ram = kMaxRam;
    options.topic = "words";
    IndexReport report;
    const std::int64_t before = Kilobytes("VmRSS");
    if (!RunIndexing(*db, options, &report).ok() || report.pages != kPages) return 254;
    return static_cast<int>(std::min<std::int64_t>((Kilobytes("VmHWM") - before) >> 10, 253));
  });
  RecordProperty("megabytes", megabytes);
  EXPECT_LE(megabytes, static_cast<int>((kMaxRam + kFixed) >> 20));
  EXPECT_GT(megabytes, 4);  // Else it measures something else.
}

}  // namespace
}  // namespace crawler
