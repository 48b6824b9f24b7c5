#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "web/synthetic/description.hpp"
#include "web/synthetic/resource.hpp"

namespace synthetic {

/// Answers requests. Unlike a resource, an answer may depend on how often it was asked for.
/// Not safe for several threads.
class Responder {
 public:
  explicit Responder(const Web& web);

  struct Ask {
    std::uint32_t host = 0;
    std::string_view method, path;
    bool close = false;  ///< The connection is to end with this answer.
    bool gzip = false;   ///< The client takes it.
  };
  struct Answer {
    enum class Kind : std::uint8_t { kSend, kClose, kNever };
    Kind kind = Kind::kSend;
    int status = 0;
    std::uint64_t latency = 0;      ///< Milliseconds to wait before it is sent.
    std::int64_t retry_after = -1;  ///< Milliseconds that the client was told to wait.
  };

  /// Appends the bytes to send to `out`, if there are any.
  Answer Respond(const Ask& ask, std::string& out);

 private:
  struct Counts {
    std::uint64_t requests = 0;  ///< For anything but robots.txt.
    std::uint64_t robots = 0;
  };

  // The status that the mood of the host gives in place of the resource; 0 for none.
  int Mood(const Target& target, Answer& answer, std::string& extra);
  int RobotsMood(const Host& host, Answer& answer, std::string& extra, Counts& counts);
  void AskForPatience(const Host& host, Answer& answer, std::string& extra);

  const Web& web_;
  std::vector<Counts> counts_;
  std::unordered_map<std::string, std::uint64_t> tries_;  // Of URLs that fail at first.
  Resource resource_;
  std::string body_;
};

}  // namespace synthetic
