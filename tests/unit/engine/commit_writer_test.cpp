#include "engine/commit_writer.hpp"

#include <time.h>

#include <chrono>
#include <thread>

#include "unit/engine/commit_writer_testing.hpp"

namespace crawler {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

std::chrono::nanoseconds ProcessorTime() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void AddUrl(UrlId id, std::string url, SkipReason skipped, CommitBatch* batch) {
  UrlRow& row = batch->urls.emplace_back();
  row.id = id;
  row.url = std::move(url);
  row.host = 1;
  row.skipped = skipped;
}

void AddVisit(UrlId url, VisitOutcome outcome, bool final, CommitBatch* batch) {
  VisitRow& row = batch->visits.emplace_back();
  row.url = url;
  row.outcome = outcome;
  row.final = final;
}

class CommitWriterTest : public CommitWriterFixture {};

TEST_F(CommitWriterTest, WritesBatchesInTheOrderOfTheirPlaces) {
  Start();
  for (int i = 0; i < 4; ++i) writer_->Reserve();
  for (const std::uint64_t place : {3, 1, 4, 2}) writer_->Push(EventBatch(place));
  Commit();
  EXPECT_THAT(CommittedEvents(), ElementsAre("event 1", "event 2", "event 3", "event 4"));
}

TEST_F(CommitWriterTest, ALateBatchHoldsBackTheBatchesBehindIt) {
  Start();
  for (int i = 0; i < 4; ++i) writer_->Reserve();
  for (const std::uint64_t place : {1, 3, 4}) writer_->Push(EventBatch(place));
  Commit();
  EXPECT_THAT(CommittedEvents(), ElementsAre("event 1"));
  Commit();
  EXPECT_THAT(CommittedEvents(), ElementsAre("event 1"));
  EXPECT_GT(writer_->backlog(), 0U);

  writer_->Push(EventBatch(2));
  Commit();
  EXPECT_THAT(CommittedEvents(), ElementsAre("event 1", "event 2", "event 3", "event 4"));
  EXPECT_EQ(writer_->backlog(), 0U);
}

TEST_F(CommitWriterTest, ReservesPlacesInTheOrderOfTheOffers) {
  Start();
  int offers = 0;
  EXPECT_EQ(writer_->Reserve([&] { offers = offers * 10 + 1; }), 1U);
  EXPECT_EQ(writer_->Reserve(), 2U);
  EXPECT_EQ(writer_->Reserve([&] { offers = offers * 10 + 2; }), 3U);
  EXPECT_EQ(offers, 12);
}

TEST_F(CommitWriterTest, CommitsNineTenthsOfASecondAfterTheFirstBatch) {
  Start();
  clock_.Advance(5s);
  Push(EventBatch(1));
  writer_->WriteDue();
  clock_.Advance(500ms);
  Push(EventBatch(2));
  writer_->WriteDue();
  clock_.Advance(399ms);
  writer_->WriteDue();
  EXPECT_THAT(CommittedEvents(), IsEmpty());
  EXPECT_THAT(commits_, IsEmpty());
  clock_.Advance(1ms);
  writer_->WriteDue();
  EXPECT_THAT(CommittedEvents(), SizeIs(2));
  EXPECT_THAT(commits_, SizeIs(1));

  // The time of the next commit begins with the next batch.
  clock_.Advance(600ms);
  Push(EventBatch(3));
  writer_->WriteDue();
  clock_.Advance(899ms);
  writer_->WriteDue();
  EXPECT_THAT(CommittedEvents(), SizeIs(2));
  clock_.Advance(1ms);
  writer_->WriteDue();
  EXPECT_THAT(CommittedEvents(), SizeIs(3));
}

TEST_F(CommitWriterTest, CommitsAfterAThousandPages) {
  Start();
  std::uint64_t place = 0;
  for (int commits = 1; commits <= 2; ++commits) {
    for (int i = 0; i < 999; ++i) Push(PageBatch(++place));
    Push(EventBatch(++place));  // Does not count.
    writer_->WriteDue();
    EXPECT_THAT(commits_, SizeIs(commits - 1));
    Push(PageBatch(++place));
    writer_->WriteDue();
    EXPECT_THAT(commits_, SizeIs(commits));
    EXPECT_EQ(writer_->committed().pages, 1'000U * static_cast<unsigned>(commits));
  }
  EXPECT_THAT(CommittedEvents(), SizeIs(2'002));
}

// The frontier holds their texts until then.
TEST_F(CommitWriterTest, CommitsUrlsBeforeTheirTextsTakeMuchMemory) {
  Start();
  UrlId url = 0;
  for (std::uint64_t place = 1; place <= 9; ++place) {
    CommitBatch batch = LeaseBatch(place, place);
    for (int i = 0; i < 1'000; ++i) {
      ++url;
      AddUrl(url, "http://a.example/" + std::string(3'000, 'x') + std::to_string(url),
             SkipReason::kNone, &batch);
    }
    Push(std::move(batch));
  }
  writer_->WriteDue();
  // 3 MB each: three of them are more than 8 MiB.
  EXPECT_THAT(commits_,
              ElementsAre(Pair(ElementsAre(10, 20, 30), 3), Pair(ElementsAre(40, 50, 60), 6),
                          Pair(ElementsAre(70, 80, 90), 9)));
  EXPECT_EQ(writer_->backlog(), 0U);
}

TEST_F(CommitWriterTest, DoesNotCommitWithoutBatches) {
  Start();
  Commit();
  Commit();
  EXPECT_THAT(commits_, IsEmpty());
}

TEST_F(CommitWriterTest, ReportsEachLeaseOnceAfterItsCommit) {
  Start();
  Push(LeaseBatch(1, 7));
  Push(LeaseBatch(2, 3));
  Push(EventBatch(3));
  writer_->WriteDue();
  EXPECT_THAT(commits_, IsEmpty());
  Commit();
  EXPECT_THAT(commits_, ElementsAre(Pair(ElementsAre(10, 20), 7)));
  Push(LeaseBatch(4));
  Commit();
  // The last offer is that of all commits.
  EXPECT_THAT(commits_, ElementsAre(Pair(ElementsAre(10, 20), 7), Pair(ElementsAre(40), 7)));
  Push(LeaseBatch(5, 8));
  Expect(Close());
  ASSERT_THAT(commits_, SizeIs(3));
  EXPECT_THAT(commits_.back(), Pair(ElementsAre(50), 8));
  // The rows were in the catalogue when the hook was called.
  EXPECT_THAT(rows_at_commit_, ElementsAre(3, 4, 5));
}

TEST_F(CommitWriterTest, CountsCommittedBatches) {
  std::vector<std::uint64_t> urls_in_state;
  hooks_.state = [&](const CrawlTotals& totals) {
    urls_in_state.push_back(totals.urls_known);
    return std::vector<std::pair<std::string, std::string>>{
        {"urls", std::to_string(totals.urls_known)}};
  };
  Start();
  CommitBatch batch = PageBatch(1);
  batch.hosts.push_back({1, "http://e.com", "e.com"});
  AddUrl(1, "http://e.com/", SkipReason::kNone, &batch);
  AddUrl(2, "http://e.com/2", SkipReason::kNone, &batch);
  AddUrl(3, "http://e.com/3", SkipReason::kTooDeep, &batch);
  batch.page->duplicate_of = 2;
  batch.visits.front().change = PageChange::kNew;
  AddVisit(2, VisitOutcome::kThrottled, false, &batch);
  AddVisit(2, VisitOutcome::kHttpError, true, &batch);
  batch.dead_letters.push_back({2, 0, "http error", "[]"});
  Push(std::move(batch));
  writer_->WriteDue();
  EXPECT_EQ(writer_->committed().urls_known, 0U);
  EXPECT_EQ(writer_->committed().duplicates, 0U);
  EXPECT_THAT(urls_in_state, IsEmpty());

  Commit();
  const CrawlTotals totals = writer_->committed();
  EXPECT_EQ(totals.hosts_known, 1U);
  EXPECT_EQ(totals.urls_known, 3U);
  EXPECT_EQ(totals.pages, 1U);
  EXPECT_EQ(totals.pages_new, 1U);
  EXPECT_EQ(totals.duplicates, 1U);
  EXPECT_EQ(totals.throttled, 1U);
  EXPECT_EQ(totals.http_errors, 1U);
  EXPECT_EQ(totals.dead_letters, 1U);
  EXPECT_EQ(totals.waiting, 0);  // Two were queued and both are final.
  EXPECT_THAT(urls_in_state, ElementsAre(3));

  batch = EventBatch(2);
  AddUrl(4, "http://e.com/4", SkipReason::kNone, &batch);
  batch.requeued.push_back({3, 1, 1, true});
  Push(std::move(batch));
  Expect(Close());
  EXPECT_EQ(writer_->committed().urls_known, 4U);
  EXPECT_EQ(writer_->committed().waiting, 2);
  EXPECT_THAT(urls_in_state, ElementsAre(3, 4));
  const Result<std::string> state = ReadState(catalogue_->database(), "urls");
  ASSERT_TRUE(state.ok()) << state.status().message();
  EXPECT_EQ(*state, "4");
}

TEST_F(CommitWriterTest, BacklogIsTheSizeOfTheBatchesThatWait) {
  Start();
  EXPECT_EQ(writer_->backlog(), 0U);
  CommitBatch batch = PageBatch(1);
  batch.page->links.assign(10'000, ' ');
  batch.capture.bytes.assign(20'000, 'x');
  batch.robots.emplace();
  batch.robots->rules.assign(5'000, '#');
  AddUrl(1, std::string(2'000, 'u'), SkipReason::kNone, &batch);
  const std::size_t size = batch.Size();
  EXPECT_GT(size, 37'000U);
  Push(std::move(batch));
  EXPECT_EQ(writer_->backlog(), size);
  writer_->WriteDue();
  EXPECT_EQ(writer_->backlog(), 0U);
}

TEST_F(CommitWriterTest, CloseCommitsEverythingThatWasPushed) {
  Start();
  Push(EventBatch(1));
  writer_->WriteDue();
  Push(EventBatch(2));
  Expect(Close());
  ASSERT_NE(catalogue_, nullptr);
  EXPECT_FALSE(catalogue_->database().in_transaction());
  EXPECT_THAT(CommittedEvents(), ElementsAre("event 1", "event 2"));
  EXPECT_EQ(writer_->backlog(), 0U);
  EXPECT_FALSE(writer_->failed());
}

TEST_F(CommitWriterTest, ASecondCloseChangesNothing) {
  for (const bool own_thread : {false, true}) {
    own_thread ? StartWithThread() : Start();
    Push(EventBatch(1));
    Expect(Close());
    const Catalogue* const closed = catalogue_.get();
    ASSERT_NE(closed, nullptr);
    Expect(Close());
    EXPECT_EQ(catalogue_.get(), closed);
    writer_ = nullptr;
    EXPECT_THAT(CommittedEvents(), SizeIs(own_thread ? 2 : 1));
    catalogue_ = nullptr;
  }
}

TEST_F(CommitWriterTest, TheDestructorCommitsEverythingThatWasPushed) {
  Start();
  Push(EventBatch(1));
  writer_ = nullptr;
  EXPECT_THAT(CommittedEvents(), SizeIs(1));
  StartWithThread();
  Push(EventBatch(1));
  Push(EventBatch(2));
  writer_ = nullptr;
  EXPECT_THAT(CommittedEvents(), ElementsAre("event 1", "event 1", "event 2"));
}

TEST_F(CommitWriterTest, CommitsTheBatchesOfManyThreads) {
  constexpr int kThreads = 4, kBatches = 100;
  StartWithThread();
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < kBatches; ++n) {
        const std::uint64_t place = writer_->Reserve();
        if (n % 7 == 0) std::this_thread::yield();
        writer_->Push(LeaseBatch(place, place));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Expect(Close());
  std::vector<std::string> events;
  std::vector<LeaseToken> leases, settled;
  for (std::uint64_t place = 1; place <= kThreads * kBatches; ++place) {
    events.push_back("event " + std::to_string(place));
    leases.push_back(place * 10);
  }
  for (const auto& commit : commits_) {
    settled.insert(settled.end(), commit.first.begin(), commit.first.end());
  }
  EXPECT_EQ(CommittedEvents(), events);
  EXPECT_EQ(settled, leases);
  ASSERT_FALSE(commits_.empty());
  EXPECT_EQ(commits_.back().second, kThreads * kBatches);
  EXPECT_EQ(writer_->backlog(), 0U);
}

// A batch may take long to make: its thread calls the callbacks of the user.
TEST_F(CommitWriterTest, SleepsWhileTheNextBatchIsBeingMade) {
  StartWithThread();
  const std::uint64_t first = writer_->Reserve(), second = writer_->Reserve();
  writer_->Push(EventBatch(second));
  const std::chrono::nanoseconds before = ProcessorTime();
  std::this_thread::sleep_for(200ms);
  EXPECT_LT(ProcessorTime() - before, 15ms);

  writer_->Push(EventBatch(first));
  Expect(Close());
  EXPECT_THAT(CommittedEvents(), ElementsAre("event 1", "event 2"));
}

}  // namespace
}  // namespace crawler
