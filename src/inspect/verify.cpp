// VerifyCrawl(): the catalogue against itself, the index, the WARC files and the frontier.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "engine/crawl_context.hpp"
#include "engine/crawl_folder.hpp"
#include "engine/options_json.hpp"
#include "engine/restore.hpp"
#include "index/check.hpp"
#include "index/link_graph.hpp"
#include "inspect/inspect.hpp"
#include "store/catalogue.hpp"
#include "store/lost_captures.hpp"
#include "store/rows.hpp"
#include "store/warc_reader.hpp"
#include "store/warc_record.hpp"
#include "store/warc_writer.hpp"
#include "url/url.hpp"

namespace crawler {
namespace {

constexpr std::int64_t kIndexSchemaVersion = 2;

constexpr std::size_t kProblemsKept = 100;

class Verifier {
 public:
  Verifier(std::string folder, Database db, CrawlVerification* out)
      : folder_(std::move(folder)), db_(std::move(db)), out_(*out) {}

  Status Run() {
    for (const auto step : {&Verifier::Integrity, &Verifier::Begun, &Verifier::Urls,
                            &Verifier::Visits, &Verifier::Pages, &Verifier::Links, &Verifier::Index,
                            &Verifier::Warc, &Verifier::WithFrontier}) {
      if (Status status = (this->*step)(); !status.ok()) return status;
    }
    return Status::Ok();
  }

 private:
  // What the tables say of one URL.
  struct Fate {
    bool wanted = false;  // In the last round, as are the next two.
    bool over = false;
    bool read = false;      // Its end was a page.
    bool expected = false;  // By all visits there is a page.
    bool page = false;
  };

  // A response that the catalogue says is in the archive.
  struct Reference {
    std::uint32_t file = 0;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::int64_t url = 0;  // 0: robots.txt
    friend bool operator<(const Reference& a, const Reference& b) {
      return std::pair(a.file, a.offset) < std::pair(b.file, b.offset);
    }
  };

  void Problem(std::string text) {
    if (out_.problem_count++ < kProblemsKept) out_.problems.push_back(std::move(text));
  }

  Fate* FateOf(std::int64_t url) {
    if (url < 1 || url > static_cast<std::int64_t>(fates_.size())) return nullptr;
    return &fates_[static_cast<std::size_t>(url - 1)];
  }

  static std::string Row(std::string_view table, std::int64_t id) {
    return std::string(table) + " row " + std::to_string(id);
  }

  Status Integrity() {
    return ForEachRow(db_, "PRAGMA quick_check", [this](Statement& s) {
      if (s.Text(0) != "ok") Problem("crawl.db: " + std::string(s.Text(0)));
    });
  }

  // The first transaction of a crawl writes the seed; before it there is nothing to agree with.
  Status Begun() {
    const Result<std::int64_t> tables =
        db_.QueryInt("SELECT count(*) FROM sqlite_schema WHERE name = 'crawl_state'");
    if (!tables.ok()) return tables.status();
    Result<std::string> seed = std::string();
    if (*tables > 0) seed = ReadState(db_, "hash_key");
    if (!seed.ok()) return seed.status();
    if (!seed->empty()) return ReadRounds();
    return Status(StatusCode::kNotFound,
                  db_.path() +
                      " holds no crawl: nothing was ever committed to it, or it has been "
                      "emptied");
  }

  Status ReadRounds() {
    const Result<Round> round = ReadRound(db_);
    if (!round.ok()) return round.status();
    round_ = *round;
    return Status::Ok();
  }

  Status Urls() {
    std::vector<std::pair<std::uint64_t, std::int64_t>> hashes;
    const std::uint64_t seed = RandomSeed();
    Status status = ForEachRow(db_, "SELECT id, url, skipped IS NOT NULL FROM urls ORDER BY id",
                               [&](Statement& s) {
                                 Fate fate;
                                 fate.wanted = s.Int(0) > round_.last_url && s.Int(2) == 0;
                                 fates_.push_back(fate);
                                 if (s.Int(0) != static_cast<std::int64_t>(fates_.size())) {
                                   Problem(Row("urls", s.Int(0)) + " is not the next one");
                                 }
                                 hashes.emplace_back(Hash64(s.Text(1), seed), s.Int(0));
                               });
    if (!status.ok()) return status;
    out_.urls = fates_.size();
    std::sort(hashes.begin(), hashes.end());
    for (std::size_t i = 1; i < hashes.size(); ++i) {
      if (hashes[i].first == hashes[i - 1].first) {
        Problem(Row("urls", hashes[i].second) + " has the URL of row " +
                std::to_string(hashes[i - 1].second));
      }
    }
    return ForEachRow(db_, "SELECT id, url_id, waits FROM requeued", [this](Statement& s) {
      if (Fate* fate = FateOf(s.Int(1))) {
        fate->wanted |= s.Int(2) != 0;
      } else {
        Problem(Row("requeued", s.Int(0)) + " has a URL that is not there");
      }
    });
  }

  Status Visits() {
    const std::string_view sql =
        "SELECT id, url_id, final, outcome, warc_file, warc_offset, warc_length, change"
        " FROM visits ORDER BY id";
    return ForEachRow(db_, sql, [this](Statement& s) {
      ++out_.visits;
      if (!s.IsNull(4)) {
        references_.push_back({static_cast<std::uint32_t>(s.Int(4)),
                               static_cast<std::uint64_t>(s.Int(5)),
                               static_cast<std::uint64_t>(s.Int(6)), s.Int(1)});
      }
      if (s.IsNull(1)) return;
      Fate* const fate = FateOf(s.Int(1));
      if (fate == nullptr) {
        Problem(Row("visits", s.Int(0)) + " has a URL that is not there");
        return;
      }
      if (fate->over) Problem(Row("visits", s.Int(0)) + ": its URL was over before");
      Visit(s, fate);
    });
  }

  void Visit(Statement& s, Fate* fate) {
    const bool page = s.Text(3) == VisitOutcomeName(VisitOutcome::kPage);
    const bool unchanged = s.Text(3) == VisitOutcomeName(VisitOutcome::kUnchanged);
    const bool lost = s.Text(3) == VisitOutcomeName(VisitOutcome::kLost);
    const std::string_view change = s.Text(7);
    const bool stays = change == PageChangeName(PageChange::kUnchanged) ||
                       change == PageChangeName(PageChange::kKept);
    if (stays && !fate->expected && !lost) {
      Problem(Row("visits", s.Int(0)) + " left a page as it was that is not there");
    }
    if (page) fate->expected = true;
    if (change == PageChangeName(PageChange::kGone) || (lost && !stays)) fate->expected = false;
    if (s.Int(2) == 0 || s.Int(0) <= round_.last_visit) return;
    fate->over = true;
    fate->read = page || unchanged;
  }

  Status Pages() {
    const std::string_view sql =
        "SELECT p.id, p.url_id, p.url = u.url, v.url_id = p.url_id AND v.outcome = 'page' FROM "
        "pages p LEFT JOIN urls u ON u.id = p.url_id LEFT JOIN visits v ON v.id = p.visit_id";
    Status status = ForEachRow(db_, sql, [this](Statement& s) {
      ++out_.pages;
      Fate* const fate = FateOf(s.Int(1));
      if (fate == nullptr || s.Int(2) == 0) {
        Problem(Row("pages", s.Int(0)) + " has a URL that is not there");
        return;
      }
      if (fate->page) Problem(Row("pages", s.Int(0)) + ": its URL has a page already");
      if (s.Int(3) == 0) Problem(Row("pages", s.Int(0)) + " does not have the visit it names");
      fate->page = true;
    });
    for (std::size_t i = 0; i < fates_.size(); ++i) {
      if (fates_[i].page != fates_[i].expected) {
        Problem(Row("urls", static_cast<std::int64_t>(i) + 1) +
                (fates_[i].page ? " has a page but no visit" : " was visited but has no page"));
      }
    }
    return status;
  }

  Status Links() {
    return ForEachRow(db_, "SELECT rowid, from_id, links FROM page_links", [this](Statement& s) {
      const Fate* const from = FateOf(s.Int(1));
      if (from == nullptr || !from->page) {
        Problem(Row("page_links", s.Int(0)) + " is of no page");
      }
      bool known = true;
      LinkListReader links(s.Text(2));
      LinkListReader::Link link;
      while (links.Next(&link)) {
        ++out_.links;
        known &= FateOf(link.to) != nullptr;
      }
      if (links.damaged() || !known) Problem(Row("page_links", s.Int(0)) + " cannot be read");
    });
  }

  Status Index() {
    const Result<std::int64_t> version = db_.QueryInt("PRAGMA user_version");
    if (!version.ok()) return version.status();
    if (*version < kIndexSchemaVersion) return Status::Ok();
    const std::string_view sql =
        "SELECT t.page_id, p.id IS NULL FROM page_text t LEFT JOIN pages p ON p.id = t.page_id "
        "WHERE p.id IS NULL OR p.noindex";
    Status status = ForEachRow(db_, sql, [this](Statement& s) {
      Problem(Row("page_text", s.Int(0)) +
              (s.Int(1) != 0 ? " is of no page" : " is of a page that asks not to be indexed"));
    });
    if (!status.ok()) return status;
    return CheckIndex(db_, [this](std::string text) { Problem(std::move(text)); });
  }

  Result<std::string> UrlText(std::int64_t id) {
    Result<Statement> statement = db_.Prepare("SELECT url FROM urls WHERE id = ?");
    if (!statement.ok()) return statement.status();
    const Result<bool> row = statement->Bind(1, id).Step();
    if (!row.ok()) return row.status();
    return std::string(*row ? statement->Text(0) : std::string_view());
  }

  Status Warc() {
    const Result<WarcEnd> end = CommittedWarcEnd(db_);
    if (!end.ok()) return end.status();
    if (end->file == 0) {
      if (!references_.empty()) Problem("the catalogue names WARC records, but no WARC file");
      return Status::Ok();
    }
    std::sort(references_.begin(), references_.end());
    next_reference_ = 0;
    for (std::uint32_t file = 1; file <= end->file; ++file) {
      const std::uint64_t limit = file == end->file ? end->offset : UINT64_MAX;
      if (Status status = WarcFile(file, limit); !status.ok()) return status;
    }
    for (; next_reference_ < references_.size(); ++next_reference_) {
      Problem(Missing(references_[next_reference_]));
    }
    return Status::Ok();
  }

  static std::string Missing(const Reference& reference) {
    return "the response of URL " + std::to_string(reference.url) + " is not in WARC file " +
           std::to_string(reference.file) + " at " + std::to_string(reference.offset);
  }

  Status WarcFile(std::uint32_t file, std::uint64_t limit) {
    const std::filesystem::path path =
        std::filesystem::path(CrawlFolder::WarcPath(folder_)) / WarcFileName("crawl", file);
    Result<std::unique_ptr<WarcReader>> reader = WarcReader::Open(path);
    if (!reader.ok()) {
      Problem(reader.status().message());
      return Status::Ok();
    }
    WarcRecord record;
    std::uint64_t end = 0;
    // What lies behind the committed end was being written when the crawl was killed; a resume
    // cuts it off.
    while (end < limit) {
      const WarcRead read = (*reader)->Next(&record);
      if (read == WarcRead::kEnd) break;
      if (read != WarcRead::kRecord) {
        Problem(path.filename().string() + ": " + (*reader)->problem());
        return Status::Ok();
      }
      end = record.offset + record.length;
      if (Status status = Record(file, path.filename().string(), record); !status.ok()) {
        return status;
      }
    }
    if (limit != UINT64_MAX && end != limit) {
      Problem(path.filename().string() + " ends at " + std::to_string(end) +
              ", but the catalogue was committed with " + std::to_string(limit));
    }
    return Status::Ok();
  }

  Status Record(std::uint32_t file, const std::string& name, const WarcRecord& record) {
    ++out_.records;
    const std::string where = name + " at " + std::to_string(record.offset);
    if (record.block_digest == DigestCheck::kFail || record.payload_digest == DigestCheck::kFail) {
      Problem(where + ": the digest does not fit the content");
    }
    if (record.type != "response" && record.type != "revisit") return Status::Ok();
    while (next_reference_ < references_.size() &&
           (references_[next_reference_].file < file ||
            (references_[next_reference_].file == file &&
             references_[next_reference_].offset < record.offset))) {
      Problem(Missing(references_[next_reference_++]));
    }
    if (next_reference_ == references_.size() || references_[next_reference_].file != file ||
        references_[next_reference_].offset != record.offset) {
      Problem(where + ": the catalogue does not know this response of " + record.uri);
      return Status::Ok();
    }
    const Reference& reference = references_[next_reference_++];
    if (reference.length != record.length) Problem(where + ": its length is not the catalogue's");
    if (reference.url == 0) return Status::Ok();
    const Result<std::string> text = UrlText(reference.url);
    if (!text.ok()) return text.status();
    Url url;
    ParseUrl(*text, nullptr, &url);
    if (ArchivedUrl(url) != record.uri) {
      Problem(where + " is " + record.uri + ", the catalogue says " + *text);
    }
    return Status::Ok();
  }

  // The frontier that a resume would begin with.
  Status WithFrontier() {
    const Result<std::string> stored = ReadState(db_, "options");
    if (!stored.ok()) return stored.status();
    CrawlContext crawl;
    if (!stored->empty()) {
      Result<CrawlOptions> options = OptionsFromJson(*stored);
      if (!options.ok()) return options.status();
      crawl.options = std::move(options).value();
    }
    crawl.frontier = std::make_unique<Frontier>(FrontierOptions());
    std::vector<RequeueRow> requeued;
    Status status = RestoreCrawl(db_, crawl, &requeued);
    if (!status.ok()) {
      Problem(status.message());
      return Status::Ok();
    }
    std::uint64_t waiting = 0, read = 0;
    for (const Fate& fate : fates_) {
      waiting += fate.wanted && !fate.over;
      read += fate.read;
    }
    waiting += requeued.size();  // What this resume would let in after all.
    const Frontier::Counts counts = crawl.frontier->counts();
    const auto compare = [this](const char* what, std::uint64_t frontier, std::uint64_t catalogue) {
      if (frontier == catalogue) return;
      Problem(std::string("the frontier has ") + std::to_string(frontier) + " " + what +
              ", the catalogue " + std::to_string(catalogue));
    };
    compare("URLs", counts.known, out_.urls);
    compare("pages of this round", counts.pages, read);
    compare("URLs waiting", counts.waiting, waiting);
    return Status::Ok();
  }

  const std::string folder_;
  Database db_;
  CrawlVerification& out_;
  Round round_;
  std::vector<Fate> fates_;
  std::vector<Reference> references_;
  std::size_t next_reference_ = 0;
};

}  // namespace

CrawlVerification InspectAll(const std::string& folder) {
  CrawlVerification out;
  if (const long holder = CrawlFolder::Holder(folder); holder != 0) {
    out.error = "process " + std::to_string(holder) + " is crawling in " + folder +
                "; verify it when that has ended";
    return out;
  }
  Result<Database> db = OpenForReading(folder);
  if (!db.ok()) {
    out.error = db.status().message();
    return out;
  }
  const Status status = Verifier(folder, std::move(db).value(), &out).Run();
  if (status.code() == StatusCode::kCorruption) {
    ++out.problem_count;
    out.problems.push_back(status.message());
  } else if (!status.ok()) {
    out.error = status.message();
  }
  return out;
}

}  // namespace crawler
