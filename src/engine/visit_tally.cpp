#include "engine/visit_tally.hpp"

#include <algorithm>
#include <utility>

#include "base/hash.hpp"

namespace crawler {
namespace {

using Domain = CrawlBreakdown::Domain;

void AddTo(const Domain& from, Domain* to) {
  to->requests += from.requests;
  to->pages += from.pages;
  to->errors += from.errors;
  to->bytes += from.bytes;
}

// A domain, and one of its hosts.
using Entry = std::pair<Domain, HostId>;

bool ComesFirst(const Entry& a, const Entry& b) {
  return a.first.requests != b.first.requests ? a.first.requests > b.first.requests
                                              : a.second < b.second;
}

// Keeps the `most` first entries of `*top`, a heap whose top is the one to go, and adds the one
// that goes to the others.
void Insert(Entry entry, std::size_t most, std::vector<Entry>* top, CrawlBreakdown* breakdown) {
  top->push_back(std::move(entry));
  std::push_heap(top->begin(), top->end(), ComesFirst);
  if (top->size() <= most) return;
  std::pop_heap(top->begin(), top->end(), ComesFirst);
  AddTo(top->back().first, &breakdown->others);
  ++breakdown->other_domains;
  top->pop_back();
}

}  // namespace

bool VisitTally::Add(HostId host, const CountedVisit& visit) {
  MutexLock lock(mutex_);
  // Sitemaps are no pages, and a response to a guess is nobody's error.
  const bool counts = visit.url != 0 && visit.outcome != VisitOutcome::kSitemap &&
                      visit.outcome != VisitOutcome::kNoSitemap;
  if (counts && visit.status >= 100 && visit.status < 1000 && visit.is_request()) {
    Code& code = codes_[visit.status];
    ++code.responses;
    code.urls += visit.final;
  }
  if (host == 0 || !visit.asked_host()) return false;
  if (hosts_.size() <= host) hosts_.resize(host + std::size_t{1});
  Host& total = hosts_[host];
  total.pages += visit.is_page();
  total.errors += visit.is_error();
  total.bytes += visit.bytes;
  return total.requests++ == 0;
}

std::vector<CrawlBreakdown::Code> VisitTally::Codes() const {
  MutexLock lock(mutex_);
  std::vector<CrawlBreakdown::Code> codes;
  for (const auto& [status, code] : codes_) codes.push_back({status, code.responses, code.urls});
  return codes;
}

Result<CrawlBreakdown> VisitTally::Break(const ForEachHost& for_each_host,
                                         std::size_t most_domains) const {
  CrawlBreakdown breakdown;
  breakdown.codes = Codes();
  MutexLock lock(mutex_);
  // Domains by their hash, so that millions of names need not be held.
  std::vector<std::pair<std::uint64_t, HostId>> hosts;
  std::vector<bool> asked;  // A copy: the analysis of locks does not follow the lambda.
  for (const Host& host : hosts_) asked.push_back(host.requests > 0);
  Status status = for_each_host([&, key = RandomKey()](HostId host, std::string_view domain) {
    if (host < asked.size() && asked[host]) {
      hosts.emplace_back(Hash64(domain, key), host);
    }
  });
  if (!status.ok()) return status;
  std::sort(hosts.begin(), hosts.end());
  std::vector<Entry> top;
  for (std::size_t i = 0; i < hosts.size();) {
    Entry next{{}, hosts[i].second};
    const std::uint64_t hash = hosts[i].first;
    for (; i < hosts.size() && hosts[i].first == hash; ++i) {
      const Host& host = hosts_[hosts[i].second];
      AddTo({"", host.requests, host.pages, host.errors, host.bytes}, &next.first);
    }
    Insert(std::move(next), most_domains, &top, &breakdown);
  }
  std::sort_heap(top.begin(), top.end(), ComesFirst);
  status = for_each_host([&top](HostId host, std::string_view domain) {
    for (Entry& entry : top) {
      if (entry.second == host) entry.first.domain = domain;
    }
  });
  if (!status.ok()) return status;
  for (Entry& entry : top) breakdown.domains.push_back(std::move(entry.first));
  return breakdown;
}

}  // namespace crawler
