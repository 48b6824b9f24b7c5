#include "engine/commit_writer.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

namespace crawler {
namespace {

std::chrono::nanoseconds ProcessorTime() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

CommitBatch Event(std::uint64_t ticket) {
  CommitBatch change;
  change.ticket = ticket;
  change.events.push_back({0, "number " + std::to_string(ticket), ""});
  return change;
}

// Whoever makes a change may take long: it calls the functions of whoever started the crawl.
TEST(CommitWriter, SleepsWhileTheNextChangeIsBeingMade) {
  std::string folder = (std::filesystem::temp_directory_path() / "recorder-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  Result<std::unique_ptr<Catalogue>> catalogue =
      Catalogue::Open(folder + "/crawl.db", Durability::kNormal);
  ASSERT_TRUE(catalogue.ok()) << catalogue.status().message();
  CommitWriter recorder(std::move(catalogue).value(), nullptr, nullptr, folder, {}, false);

  recorder.Push(Event(2));
  const std::chrono::nanoseconds before = ProcessorTime();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(ProcessorTime() - before, std::chrono::milliseconds(20));

  recorder.Push(Event(1));
  std::unique_ptr<Catalogue> closed;
  std::unique_ptr<WarcWriter> warc;
  const Status status = recorder.Close(&closed, &warc);
  EXPECT_TRUE(status.ok()) << status.message();
  const Result<std::int64_t> events =
      closed->database().QueryInt("SELECT count(*) FROM events WHERE kind = 'number ' || id");
  ASSERT_TRUE(events.ok()) << events.status().message();
  EXPECT_EQ(*events, 2);
  closed = nullptr;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace crawler
