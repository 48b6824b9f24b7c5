#include "web/synthetic/running_web.hpp"

#include <algorithm>
#include <stdexcept>

#include "web/synthetic/render.hpp"

namespace synthetic {
namespace {

constexpr double kLongestTest = 600;  // Seconds: a test that hangs leaves no server behind.

void Check(const std::string& complaint) {
  if (!complaint.empty()) throw std::runtime_error("synthetic web: " + complaint);
}

Web Describe(const std::vector<std::string>& hosts) {
  Web web;
  for (const std::string& host : hosts) Check(AddHosts(web, host));
  return web;
}

}  // namespace

RunningWeb::RunningWeb(const std::vector<std::string>& hosts, const std::string& log_path)
    : web_(Describe(hosts)), log_(log_path), server_(web_, log_) {
  if (!log_.ok()) throw std::runtime_error("synthetic web: cannot write " + log_path);
  Check(server_.Listen(0));
  thread_ = std::thread([this] { server_.Run(kLongestTest); });
}

RunningWeb::~RunningWeb() { Stop(); }

void RunningWeb::Stop() {
  if (!thread_.joinable()) return;
  server_.Stop();
  thread_.join();
}

std::string RunningWeb::Url(std::size_t host, std::string_view path) const {
  return web_.Origin(host).append(path);
}

std::vector<std::string> RunningWeb::Expected(Fate fate, ExpectOptions options) const {
  if (options.seeds.empty()) options.seeds = {0};
  std::vector<struct Expected> expected;
  Check(Expect(web_, options, expected));
  std::vector<std::string> urls;
  for (const auto& item : expected) {
    if (item.fate == fate) urls.push_back(UrlOf(web_, item.target));
  }
  std::sort(urls.begin(), urls.end());
  return urls;
}

}  // namespace synthetic
