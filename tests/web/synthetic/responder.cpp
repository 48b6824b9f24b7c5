#include "web/synthetic/responder.hpp"

#include <sys/time.h>

#include "web/synthetic/render.hpp"

namespace synthetic {

Responder::Responder(const Web& web) : web_(web), counts_(web.hosts.size()) {}

void Responder::AskForPatience(const Host& host, Answer& answer, std::string& extra) {
  const auto seconds = static_cast<std::int64_t>(host.retry_after);
  if (host.retry_form == RetryForm::kSeconds) {
    answer.retry_after = seconds * 1'000;
    extra += "Retry-After: " + std::to_string(seconds) + "\r\n";
    return;
  }
  timeval now{};
  gettimeofday(&now, nullptr);
  const std::int64_t until = now.tv_sec + 1 + seconds;  // Dates have whole seconds: never sooner.
  answer.retry_after = (until - now.tv_sec) * 1'000 - now.tv_usec / 1'000;
  extra += "Retry-After: " + HttpDate(until) + "\r\n";
}

int Responder::RobotsMood(const Host& host, Answer& answer, std::string& extra, Counts& counts) {
  ++counts.robots;
  answer.latency = host.latency + host.robots_latency;
  if (host.robots_fails > 0 && counts.robots > host.robots_fails) return 0;
  switch (host.robots) {
    case Robots::kThrottled:
      AskForPatience(host, answer, extra);
      return 429;
    case Robots::kBroken:
      return 500;
    case Robots::kUnavailable:
      return 503;
    case Robots::kClose:
      answer.kind = Answer::Kind::kClose;
      return 0;
    default:
      return 0;
  }
}

int Responder::Mood(const Target& target, Answer& answer, std::string& extra) {
  const Host& host = web_.hosts[target.host];
  Counts& counts = counts_[target.host];
  if (host.dead == Dead::kHang) answer.kind = Answer::Kind::kNever;
  if (host.dead == Dead::kClose) answer.kind = Answer::Kind::kClose;
  answer.latency = host.latency;
  if (target.kind == Kind::kRobots) return RobotsMood(host, answer, extra, counts);

  const std::uint64_t request = counts.requests++;
  const bool periodic =
      host.throttle_every != 0 && request % host.throttle_every == host.throttle_every - 1;
  if (request < host.throttle || periodic) {
    AskForPatience(host, answer, extra);
    return static_cast<int>(host.throttle_status);
  }
  if (FailsAtFirst(host, target) && tries_[UrlOf(web_, target)]++ < host.fail_tries) {
    return static_cast<int>(host.fail_status);
  }
  return 0;
}

Responder::Answer Responder::Respond(const Ask& ask, std::string& out) {
  const Target target = ParsePath(ask.host, ask.path);
  Answer answer;
  Head head;
  head.close = ask.close;
  const int mood = Mood(target, answer, head.extra);
  if (answer.kind != Answer::Kind::kSend) return answer;

  Describe(web_, target, resource_);
  const bool wrong_method = ask.method != "GET" && ask.method != "HEAD";
  if (wrong_method || mood != 0) {
    resource_.status = wrong_method ? 405 : mood;
    resource_.location.reset();
    resource_.in_header = false;
  }
  body_.clear();
  AppendBody(body_, web_, target, resource_);
  if (ask.gzip && web_.hosts[ask.host].gzip != 0 && !resource_.compressed) {
    body_ = GzipStored(body_);
    head.gzip = true;
  }
  if (resource_.location) {
    head.extra += "Location: " + UrlOf(web_, *resource_.location) + "\r\n";
  }
  if (resource_.in_header) head.extra += "X-Robots-Tag: noindex, nofollow\r\n";
  answer.status = head.status = resource_.status;
  head.content_type = ContentType(resource_);
  head.length = body_.size();
  AppendHead(out, head);
  if (ask.method != "HEAD") out += body_;
  return answer;
}

}  // namespace synthetic
