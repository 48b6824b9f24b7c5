#include "engine/crawl_phases.hpp"

#include <chrono>

#include "engine/log_events.hpp"

namespace crawler {

void CrawlPhases::Enter(const char* name) {
  End();
  {
    MutexLock lock(mutex_);
    Phase& phase = phases_.emplace_back();
    phase.name = name;
    phase.began = clock_.Now();
    phase.before = work_();
  }
  current_.store(name);
  logger_.Log(log_events::kPhaseBegins, {{"phase", name}});
}

void CrawlPhases::Finish() {
  End();
  current_.store("over");
}

void CrawlPhases::End() {
  CrawlPhase ended;
  {
    MutexLock lock(mutex_);
    if (phases_.empty() || phases_.back().is_over) return;
    Phase& phase = phases_.back();
    phase.is_over = true;
    phase.ended = clock_.Now();
    phase.after = work_();
    ended = ToReport(phase);
  }
  logger_.Log(log_events::kPhaseEnds, {{"phase", ended.name},
                                       {"ms", ended.elapsed.count()},
                                       {"requests", ended.requests},
                                       {"pages", ended.pages}});
}

CrawlPhase CrawlPhases::ToReport(const Phase& phase) {
  return {phase.name,
          std::chrono::duration_cast<std::chrono::milliseconds>(phase.ended - phase.began),
          phase.after.requests - phase.before.requests, phase.after.pages - phase.before.pages};
}

std::vector<CrawlPhase> CrawlPhases::Report() const {
  MutexLock lock(mutex_);
  std::vector<CrawlPhase> report;
  for (Phase phase : phases_) {
    if (!phase.is_over) {
      phase.ended = clock_.Now();
      phase.after = work_();
    }
    report.push_back(ToReport(phase));
  }
  return report;
}

}  // namespace crawler
