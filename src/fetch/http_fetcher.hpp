#pragma once

#include <cstddef>
#include <memory>

#include "base/status.hpp"
#include "fetch/context.hpp"
#include "fetch/fetcher.hpp"

namespace crawler {

/// Fetches over HTTP: an event loop over libcurl, with thousands of transfers at a time.
///
/// Connections and TLS sessions are kept for later requests. HTTP/2 is used where the server offers
/// it. Requests over the limits of FetchLimits wait, first in, first out per host. CancelAll() also
/// ends the waiting requests.
/// Time: libcurl and the sockets run on the machine's clock, so every deadline here does as well.
/// Ownership: shares the context.
class HttpFetcher final : public Fetcher {
 public:
  /// kOutOfMemory if the system or libcurl has no resources left.
  static Result<std::unique_ptr<HttpFetcher>> Create(std::shared_ptr<const FetchContext> context);
  ~HttpFetcher() override;

  void Start(FetchRequest request, Done done) override;
  void Poll(Duration timeout) override;
  void CancelAll() override;
  void Wakeup() override;
  std::size_t pending() const override;

 private:
  class Impl;
  explicit HttpFetcher(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace crawler
