#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace crawler {

using Sha256Digest = std::array<std::uint8_t, 32>;

/// The hash functions that digests of archives name.
enum class DigestAlgorithm : std::uint8_t { kMd5, kSha1, kSha256, kSha512 };

/// Hashes one input after the other. Made once and used again: setting one up costs more than
/// hashing a small record.
/// Threads: one at a time.
class Hasher {
 public:
  /// Throws std::bad_alloc if OpenSSL has no memory, or not this algorithm.
  explicit Hasher(DigestAlgorithm algorithm);

  void Update(std::string_view bytes);
  /// The digest of everything since the last Finish(). Valid until the next call.
  std::span<const std::uint8_t> Finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
  std::array<std::uint8_t, 64> digest_{};
};

/// The digest of `bytes`. Requires: a SHA-256 hasher that has finished.
Sha256Digest Sha256Of(Hasher& hasher, std::string_view bytes);

/// Finish() of a SHA-256 hasher.
Sha256Digest FinishSha256(Hasher& hasher);

/// Appends `bytes` as lower-case hex digits.
void AppendHex(std::span<const std::uint8_t> bytes, std::string* out);

/// Parses the hex digits of a SHA-256; nothing if `hex` is something else.
std::optional<Sha256Digest> Sha256FromHex(std::string_view hex);

/// A labelled digest, "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ" or "sha256:e3b0…".
struct LabelledDigest {
  DigestAlgorithm algorithm = DigestAlgorithm::kSha256;
  std::string bytes;

  /// Accepts hex, base32 and base64, told apart by their length, with or without padding. Nothing
  /// for other algorithms; no `bytes` if the digits are not a digest of the algorithm.
  static std::optional<LabelledDigest> Parse(std::string_view text);
};

}  // namespace crawler
