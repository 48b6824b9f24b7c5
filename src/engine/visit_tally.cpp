#include "engine/visit_tally.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
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

using Json = nlohmann::json;

Json DomainJson(const Domain& domain) {
  return {{"domain", domain.domain},
          {"requests", domain.requests},
          {"pages", domain.pages},
          {"errors", domain.errors},
          {"bytes", domain.bytes}};
}

Domain DomainFromJson(const Json& json) {
  const auto number = [&json](const char* name) { return json.value(name, std::uint64_t{0}); };
  return {json.value("domain", ""), number("requests"), number("pages"), number("errors"),
          number("bytes")};
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

std::uint64_t VisitTally::AddRows(const std::vector<VisitRow>& rows) {
  std::uint64_t first = 0;
  for (const VisitRow& row : rows) first += Add(row.url_host, CountedVisit(row)) ? 1u : 0u;
  return first;
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

std::string ToJson(const CrawlBreakdown& breakdown) {
  Json json = {{"codes", Json::array()},
               {"domains", Json::array()},
               {"other_domains", breakdown.other_domains},
               {"others", DomainJson(breakdown.others)}};
  for (const CrawlBreakdown::Code& code : breakdown.codes) {
    json["codes"].push_back(
        {{"status", code.status}, {"responses", code.responses}, {"urls", code.urls}});
  }
  for (const Domain& domain : breakdown.domains) json["domains"].push_back(DomainJson(domain));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

CrawlBreakdown BreakdownFromJson(std::string_view text) {
  CrawlBreakdown breakdown;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return breakdown;
  try {
    for (const Json& code : json.value("codes", Json::array())) {
      breakdown.codes.push_back({code.value("status", 0), code.value("responses", std::uint64_t{0}),
                                 code.value("urls", std::uint64_t{0})});
    }
    for (const Json& domain : json.value("domains", Json::array())) {
      breakdown.domains.push_back(DomainFromJson(domain));
    }
    breakdown.other_domains = json.value("other_domains", std::uint64_t{0});
    breakdown.others = DomainFromJson(json.value("others", Json::object()));
  } catch (const Json::exception&) {
    return {};
  }
  return breakdown;
}

}  // namespace crawler
