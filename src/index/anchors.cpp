#include "index/anchors.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "index/accumulator.hpp"
#include "index/analyzer.hpp"
#include "index/document.hpp"
#include "index/merge.hpp"
#include "index/segments.hpp"
#include "index/visit_rows.hpp"

namespace crawler {
namespace {

/// The inputs of the anchors: the same inputs give the same anchors.
Result<std::string> Signature(Database& db) {
  std::string signature;
  for (const char* sql :
       {"SELECT max(rowid) FROM page_links", "SELECT max(id) FROM visits",
        "SELECT max(last_page) FROM index_segments WHERE kind = 0",
        "SELECT CAST(value AS INTEGER) FROM crawl_state WHERE key = 'index.removals'"}) {
    const Result<std::int64_t> value = db.QueryInt(sql);
    if (!value.ok()) return value.status();
    signature.append(signature.empty() ? "" : " ").append(std::to_string(*value));
  }
  return signature;
}

/// Links with the same text to the same page, gathered before they are analysed: a site's menu is
/// on all its pages.
class AnchorGatherer {
 public:
  AnchorGatherer(Database& db, SegmentWriter writer, std::size_t max_memory)
      : db_(db), writer_(std::move(writer)), max_memory_(max_memory), seed_(RandomKey()) {}

  Status LoadLanguages() {
    Result<std::vector<Segment>> segments = ListSegments(db_, SegmentKind::kText);
    if (!segments.ok()) return segments.status();
    for (const Segment& segment : *segments) {
      if (segment.state != SegmentState::kReady) continue;
      languages_.resize(
          std::max<std::size_t>(languages_.size(), segment.last_page + std::size_t{1}));
      Status status = VisitPageRecords(db_, segment.id, [this](const PageRecord& record) {
        if (record.page >= languages_.size()) return;
        languages_[record.page] = static_cast<std::uint16_t>(LanguageNumber(record.language) + 1);
      });
      if (!status.ok()) return status;
    }
    return Status::Ok();
  }

  // Pages that are not indexed get no anchors: noindex holds for them too.
  bool Wants(std::uint32_t page) const { return page < languages_.size() && languages_[page] != 0; }

  Status Add(std::uint32_t page, std::string_view text) {
    const auto [entry, added] = by_hash_.try_emplace(Hash64(text, seed_ + page), 0u);
    if (added) {
      entry->second = static_cast<std::uint32_t>(anchors_.size());
      anchors_.push_back({page, static_cast<std::uint32_t>(texts_.size()),
                          static_cast<std::uint32_t>(text.size()), 0});
      texts_.append(text);
    }
    ++anchors_[entry->second].count;
    constexpr std::size_t kEntryBytes = 64;  // Of the map.
    const std::size_t memory = texts_.size() + anchors_.size() * (sizeof(Anchor) + kEntryBytes);
    return memory >= max_memory_ / 2 ? WriteParts() : Status::Ok();
  }

  // One segment, or several if the postings made of the texts take much more than these.
  Status WriteParts() {
    std::sort(anchors_.begin(), anchors_.end(),
              [](const Anchor& a, const Anchor& b) { return a.page < b.page; });
    Status status;
    for (std::size_t i = 0; i < anchors_.size() && status.ok();) {
      PageRecord record;
      record.page = anchors_[i].page;
      counts_.clear();
      for (; i < anchors_.size() && anchors_[i].page == record.page; ++i) {
        record.lengths[0] += Count(anchors_[i]);
      }
      AddPage(record);
      if (accumulator_.memory() >= max_memory_ / 2) status = WriteSegment();
    }
    if (status.ok() && part_.pages > 0) status = WriteSegment();
    anchors_.clear();
    by_hash_.clear();
    texts_.clear();
    return status;
  }

 private:
  struct Anchor {
    std::uint32_t page, text, size, count;
  };

  std::size_t LanguageNumber(std::uint64_t packed) {
    for (std::size_t i = 0; i < codes_.size(); ++i) {
      if (codes_[i].first == packed) return i;
    }
    codes_.emplace_back(packed, UnpackLanguage(packed));
    return codes_.size() - 1;
  }

  // The words of a text, each as often as there are links; how many words these are.
  std::uint32_t Count(const Anchor& anchor) {
    const std::string_view text = std::string_view(texts_).substr(anchor.text, anchor.size);
    analyzer_.Analyze(text, codes_[languages_[anchor.page] - std::size_t{1}].second, &tokens_);
    std::uint32_t words = 0;
    for (const Token& token : tokens_) {
      counts_[std::string(token.term)] += anchor.count;
      if (!token.is_part) words += anchor.count;
    }
    return words;
  }

  // Its counted words.
  void AddPage(const PageRecord& record) {
    for (const auto& [term, count] : counts_) {
      Posting posting;
      posting.page = record.page;
      posting.counts[0] = count;
      accumulator_.Add(term, TermHash(term), posting, {}, {});
    }
    if (part_.pages++ == 0) part_.first_page = record.page;
    AppendPageRecord(record, part_.last_page, &page_data_);
    part_.last_page = record.page;
  }

  Status WriteSegment() {
    Segment segment = std::exchange(part_, {});
    segment.kind = SegmentKind::kAnchor;
    segment.state = SegmentState::kPart;
    const std::string page_data = std::exchange(page_data_, {});
    Status status = db_.Execute("BEGIN IMMEDIATE");
    if (!status.ok()) return status;
    const Result<std::int64_t> id = writer_.Create(segment, page_data);
    status = id.status();
    if (id.ok()) {
      segment.id = *id;
      status = accumulator_.Drain([&](const Accumulator::Row& row) {
        return writer_.AddTerm(&segment, row.term, row.document_freq, {}, row.docs, {}, {});
      });
    }
    if (status.ok()) status = writer_.Finish(segment);
    return CommitOrRollBack(db_, status);
  }

  Database& db_;
  SegmentWriter writer_;
  const std::size_t max_memory_;
  const std::uint64_t seed_;
  std::vector<std::pair<std::uint64_t, std::string>> codes_;
  std::vector<std::uint16_t> languages_;  // By page: one more than the place in codes_.
  std::unordered_map<std::uint64_t, std::uint32_t> by_hash_;
  std::vector<Anchor> anchors_;
  std::string texts_;
  std::unordered_map<std::string, std::uint32_t> counts_;
  Analyzer analyzer_;
  std::vector<Token> tokens_;
  // The part that is being made.
  Segment part_;
  std::string page_data_;
  Accumulator accumulator_;
};

Status ReadLinks(Database& db, const UrlPages& urls, const std::function<bool()>& stop,
                 AnchorGatherer* gatherer, std::uint64_t* links) {
  Result<Statement> select = db.Prepare("SELECT from_id, links FROM page_links ORDER BY rowid");
  if (!select.ok()) return select.status();
  LinkListReader::Link link;
  return VisitRows(*select, stop, [&] {
    const std::uint32_t from = urls.PageOf(static_cast<std::uint64_t>(select->Int(0)));
    LinkListReader reader(select->Text(1));
    while (reader.Next(&link)) {
      ++*links;
      if (link.text.empty()) continue;
      const std::uint32_t to = urls.PageOf(link.to);
      if (to == 0 || to == from || !gatherer->Wants(to)) continue;
      if (Status status = gatherer->Add(to, link.text); !status.ok()) return status;
    }
    return Status::Ok();
  });
}

}  // namespace

Status IndexAnchors(Database& db, const UrlPages& urls, std::size_t max_memory,
                    const std::function<bool()>& stop, std::uint64_t* links) {
  *links = 0;
  if (Status status = RecoverAnchorParts(db, stop); !status.ok()) return status;
  const Result<std::string> signature = Signature(db);
  if (!signature.ok()) return signature.status();
  const Result<std::string> made_of = IndexState(db, "index.anchors");
  if (!made_of.ok()) return made_of.status();
  if (*made_of == *signature) return Status::Ok();

  Result<SegmentWriter> writer = SegmentWriter::Open(db);
  if (!writer.ok()) return writer.status();
  AnchorGatherer gatherer(db, std::move(writer).value(), max_memory);
  Status status = gatherer.LoadLanguages();
  if (status.ok()) status = ReadLinks(db, urls, stop, &gatherer, links);
  if (status.ok()) status = gatherer.WriteParts();
  if (status.ok()) status = MergeAnchorParts(db, *signature, stop);
  return status;
}

}  // namespace crawler
