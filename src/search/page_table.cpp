#include "search/page_table.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace crawler {
namespace {

/// More languages than entries have numbers for are the last one together.
constexpr std::size_t kMaxPackedLanguages = 255;

Status ReadySegments(Database& db, SegmentKind kind, std::vector<Segment>* ready) {
  Result<std::vector<Segment>> segments = ListSegments(db, kind);
  if (!segments.ok()) return segments.status();
  std::erase_if(*segments,
                [](const Segment& segment) { return segment.state != SegmentState::kReady; });
  *ready = std::move(segments).value();
  return Status::Ok();
}

}  // namespace

Status PageTable::Load(Database& db, const RankingWeights& weights) {
  *this = {};
  Status status = ReadySegments(db, SegmentKind::kText, &text_);
  if (status.ok()) status = ReadySegments(db, SegmentKind::kAnchor, &anchors_);
  Lengths lengths;
  if (status.ok()) status = LoadText(db, &lengths);
  if (status.ok()) status = LoadAnchors(db, &lengths);
  if (status.ok()) status = LoadWeights(db);
  if (!status.ok()) return status;
  SetScales(lengths, weights);
  SortLanguages();
  return Status::Ok();
}

Status PageTable::LeaveOutRemoved(Database& db) {
  const Result<std::vector<std::uint32_t>> removed = RemovedPages(db);
  if (!removed.ok()) return removed.status();
  for (const std::uint32_t page : *removed) {
    if (page >= size() || !is_indexed(page)) continue;
    indexed_[page / kWindowPages].Unset(page % kWindowPages);
    --languages_[entries_[page].language].pages;
    --pages_;
  }
  return Status::Ok();
}

Status PageTable::LoadText(Database& db, Lengths* lengths) {
  const Result<std::vector<std::uint32_t>> removed = RemovedPages(db);
  if (!removed.ok()) return removed.status();
  auto next = removed->begin();
  for (const Segment& segment : text_) {
    const std::size_t windows =
        std::max<std::size_t>(indexed_.size(), segment.last_page / kWindowPages + std::size_t{1});
    indexed_.resize(windows);
    entries_.resize(windows * kWindowPages);
    lengths->resize(entries_.size());
    Status status = VisitPageRecords(db, segment.id, [&](const PageRecord& record) {
      while (next != removed->end() && *next < record.page) ++next;
      if (next != removed->end() && *next == record.page) return;
      if (record.page >= entries_.size()) return;
      Entry& entry = entries_[record.page];
      indexed_[record.page / kWindowPages].Set(record.page % kWindowPages);
      entry.date = record.date;
      entry.language = LanguageNumber(record.language);
      entry.title_words = static_cast<std::uint16_t>(
          std::min<std::uint32_t>(record.lengths[Ordinal(Field::kTitle)], 0xffff));
      ++languages_[entry.language].pages;
      std::copy(record.lengths.begin(), record.lengths.end(), (*lengths)[record.page].begin());
      ++pages_;
    });
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status PageTable::LoadAnchors(Database& db, Lengths* lengths) {
  for (const Segment& segment : anchors_) {
    Status status = VisitPageRecords(db, segment.id, [&](const PageRecord& record) {
      if (record.page >= lengths->size()) return;
      (*lengths)[record.page][Ordinal(Field::kAnchor)] += record.lengths[0];
    });
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status PageTable::LoadWeights(Database& db) {
  const Result<std::int64_t> weighed = db.QueryInt("SELECT EXISTS(SELECT 1 FROM index_terms)");
  if (!weighed.ok()) return weighed.status();
  is_weighed_ = *weighed != 0;
  const Result<std::int64_t> has_titles = db.QueryInt(
      "SELECT count(*) FROM pragma_table_info('page_weights') WHERE name = 'title_weight'");
  if (!has_titles.ok()) return has_titles.status();
  return ForEachRow(
      db,
      *has_titles > 0 ? "SELECT page_id, norm, static_rank, title_weight FROM page_weights"
                      : "SELECT page_id, norm, static_rank, 0 FROM page_weights",
      [this](Statement& row) {
        const auto page = static_cast<std::size_t>(row.Int(0));
        if (page >= entries_.size()) return;
        entries_[page].norm = static_cast<float>(row.Real(1));
        entries_[page].static_rank = static_cast<float>(row.Real(2));
        entries_[page].title_weight = static_cast<float>(row.Real(3));
        highest_static_rank_ = std::max(highest_static_rank_, entries_[page].static_rank);
      });
}

void PageTable::SetScales(const Lengths& lengths, const RankingWeights& weights) {
  std::array<double, kFieldCount> averages = {};
  for (const auto& page : lengths) {
    for (std::size_t field = 0; field < kFieldCount; ++field) averages[field] += page[field];
  }
  for (double& average : averages)
    average /= static_cast<double>(std::max<std::uint64_t>(pages_, 1));
  own_averages_ = averages_ = averages;
  for (std::size_t field = 0; field < kFieldCount; ++field) {
    scales_[field].resize(entries_.size());
    const double b = weights.length_share[field];
    for (std::size_t page = 0; page < entries_.size(); ++page) {
      const double relative = averages[field] > 0 ? lengths[page][field] / averages[field] : 0;
      scales_[field][page] = static_cast<float>(weights.field[field] / (1 - b + b * relative));
    }
  }
}

void PageTable::AddTo(IndexStatistics* statistics) const {
  statistics->pages += pages_;
  for (std::size_t field = 0; field < kFieldCount; ++field) {
    statistics->words[field] += own_averages_[field] * static_cast<double>(pages_);
  }
}

void PageTable::UseAverages(const std::array<double, kFieldCount>& averages,
                            const RankingWeights& weights) {
  if (averages == averages_) return;
  for (std::size_t field = 0; field < kFieldCount; ++field) {
    const double b = weights.length_share[field], weight = weights.field[field];
    if (b == 0 || weight == 0) continue;
    // The scale is weight / (1 - b + b * relative).
    const double change = averages[field] > 0 ? averages_[field] / averages[field] : 0;
    for (float& scale : scales_[field]) {
      const double relative = (weight / double{scale} - 1 + b) / b;
      scale = static_cast<float>(weight / (1 - b + b * relative * change));
    }
  }
  averages_ = averages;
}

std::uint8_t PageTable::LanguageNumber(std::uint64_t packed) {
  for (std::size_t i = 0; i < packed_languages_.size(); ++i) {
    if (packed_languages_[i] == packed) return static_cast<std::uint8_t>(i);
  }
  if (packed_languages_.size() == kMaxPackedLanguages) return kMaxPackedLanguages - 1;
  packed_languages_.push_back(packed);
  languages_.push_back({UnpackLanguage(packed), 0});
  return static_cast<std::uint8_t>(packed_languages_.size() - 1);
}

void PageTable::SortLanguages() {
  std::vector<std::size_t> order(languages_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return languages_[a].pages > languages_[b].pages;
  });
  std::vector<std::uint8_t> place(order.size());
  std::vector<Language> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<std::uint8_t>(i);
    sorted.push_back(std::move(languages_[order[i]]));
  }
  languages_ = std::move(sorted);
  packed_languages_ = {};
  for (std::uint32_t first = 0; first < size(); first += kWindowPages) {
    LanguageSet& of_window = window_languages_.emplace_back();
    indexed(first).ForEach([&](std::uint32_t at) {
      std::uint8_t& language = entries_[first + at].language;
      language = place[language];
      of_window.set(language);
    });
  }
}

Status PageTable::LoadHosts(Database& db) {
  if (!host_of_.empty() || entries_.empty()) return Status::Ok();
  std::vector<std::uint32_t> host_of(entries_.size(), 0);
  std::vector<std::string> hosts = {""};
  std::unordered_map<std::string, std::uint32_t> numbers;
  Status status = ForEachRow(db, "SELECT id, domain FROM pages", [&](Statement& row) {
    const auto page = static_cast<std::size_t>(row.Int(0));
    if (page >= host_of.size()) return;
    const auto [known, added] =
        numbers.try_emplace(std::string(row.Text(1)), static_cast<std::uint32_t>(hosts.size()));
    if (added) hosts.push_back(known->first);
    host_of[page] = known->second;
  });
  if (!status.ok()) return status;
  hosts_ = std::move(hosts);
  host_of_ = std::move(host_of);
  return Status::Ok();
}

}  // namespace crawler
