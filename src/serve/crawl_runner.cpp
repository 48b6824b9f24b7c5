#include "serve/crawl_runner.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/web_crawl.hpp"

namespace crawler {

CrawlRunner::CrawlRunner(int parallel, std::function<void(std::string_view)> on_log,
                         CrawlOptions defaults)
    : on_log_(std::move(on_log)), defaults_(std::move(defaults)), can_start_(parallel > 0) {
  for (int i = 0; i < parallel; ++i) threads_.emplace_back([this] { Work(); });
}

CrawlRunner::~CrawlRunner() { StopAll(); }

Status CrawlRunner::Start(Job job) {
  MutexLock lock(mutex_);
  const ServedCrawl* const crawl = job.crawl.get();
  const bool waits = std::any_of(queue_.begin(), queue_.end(),
                                 [&](const Job& other) { return other.crawl.get() == crawl; });
  if (waits || running_.count(crawl) > 0) {
    return Status(StatusCode::kCancelled, "the crawl runs or waits for its turn already");
  }
  if (stopping_) return Status(StatusCode::kCancelled, "the service ends");
  if (!can_start_) {
    return Status(StatusCode::kCancelled, "this service starts no crawls; --root lets it");
  }
  queue_.push_back(std::move(job));
  changed_.Signal();
  return Status::Ok();
}

bool CrawlRunner::Unqueue(const ServedCrawl& crawl) {
  MutexLock lock(mutex_);
  return std::erase_if(queue_, [&](const Job& job) { return job.crawl.get() == &crawl; }) > 0;
}

bool CrawlRunner::IsQueued(const ServedCrawl& crawl) const {
  MutexLock lock(mutex_);
  return std::any_of(queue_.begin(), queue_.end(),
                     [&](const Job& job) { return job.crawl.get() == &crawl; });
}

std::string CrawlRunner::LastError(const ServedCrawl& crawl) const {
  MutexLock lock(mutex_);
  const auto error = errors_.find(crawl.folder());
  return error == errors_.end() ? "" : error->second;
}

void CrawlRunner::StopAll() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    queue_.clear();
    for (const auto& [served, crawl] : running_) {
      if (crawl != nullptr) crawl->Stop();
    }
    changed_.SignalAll();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void CrawlRunner::Work() {
  while (true) {
    Job job;
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !stopping_) changed_.Wait(mutex_);
      if (stopping_) return;
      job = std::move(queue_.front());
      queue_.pop_front();
      running_.emplace(job.crawl.get(), nullptr);
    }
    Run(job);
    {
      MutexLock lock(mutex_);
      running_.erase(job.crawl.get());
    }
    job.crawl->Sample();  // The folder is free by now.
  }
}

bool CrawlRunner::Begin(const Job& job, WebCrawl* crawl) {
  MutexLock lock(mutex_);
  running_[job.crawl.get()] = crawl;
  errors_.erase(job.crawl->folder());
  return !stopping_;
}

void CrawlRunner::Run(Job& job) {
  job.options.folder = job.crawl->folder();
  CrawlCallbacks callbacks;
  if (on_log_) {
    callbacks.on_log = [this, name = job.crawl->name()](std::string_view line) {
      on_log_(std::string(line) + " crawl=" + name);
    };
  }
  WebCrawl crawl(job.options, job.crawl->Observe(std::move(callbacks)));
  CrawlResult result;
  if (Begin(job, &crawl)) {
    job.crawl->Attach(&crawl);
    result = job.kind == Job::Kind::kNew       ? crawl.Run()
             : job.kind == Job::Kind::kRetry   ? crawl.Retry(job.selection, {})
             : job.kind == Job::Kind::kRecrawl ? crawl.Recrawl({})
                                               : crawl.Resume({});
    job.crawl->Detach();
  }
  MutexLock lock(mutex_);
  running_[job.crawl.get()] = nullptr;
  const bool failed = result.outcome >= CrawlResult::Outcome::kBadOption;
  if (failed) errors_[job.crawl->folder()] = result.message;
  const std::optional<RetrySelection> retry = job.crawl->TakeRetry();
  if (retry && !failed && !stopping_) {
    queue_.push_front({job.crawl, Job::Kind::kRetry, {}, *retry});
    changed_.Signal();
  }
}

}  // namespace crawler
