#include "store/warc_digest.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <new>

#include "model/headers.hpp"

namespace crawler {
namespace {

struct AlgorithmName {
  std::string_view label;
  DigestAlgorithm algorithm;
  const char* openssl;
  std::size_t size;
};

constexpr AlgorithmName kAlgorithms[] = {{"md5", DigestAlgorithm::kMd5, "MD5", 16},
                                         {"sha1", DigestAlgorithm::kSha1, "SHA1", 20},
                                         {"sha-1", DigestAlgorithm::kSha1, "SHA1", 20},
                                         {"sha256", DigestAlgorithm::kSha256, "SHA256", 32},
                                         {"sha-256", DigestAlgorithm::kSha256, "SHA256", 32},
                                         {"sha512", DigestAlgorithm::kSha512, "SHA512", 64},
                                         {"sha-512", DigestAlgorithm::kSha512, "SHA512", 64}};

void Check(int openssl_result) {
  // Hashing memory fails only when OpenSSL cannot allocate.
  if (openssl_result != 1) throw std::bad_alloc();
}

// The value of a digit of base 2^`bits` (hex, or base32 of RFC 4648) in either case; -1 for others.
int DigitValue(char c, int bits) {
  const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (bits == 4) {
    if (c >= '0' && c <= '9') return c - '0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  }
  if (c >= '2' && c <= '7') return c - '2' + 26;
  return lower >= 'a' && lower <= 'z' ? lower - 'a' : -1;
}

std::optional<std::string> DecodeDigits(std::string_view digits, int bits) {
  std::string bytes;
  unsigned pending = 0;
  int pending_bits = 0;
  for (const char c : digits) {
    const int value = DigitValue(c, bits);
    if (value < 0) return std::nullopt;
    pending = (pending << bits | static_cast<unsigned>(value)) & 0xFFFF;
    pending_bits += bits;
    if (pending_bits >= 8) {
      pending_bits -= 8;
      bytes.push_back(static_cast<char>(pending >> pending_bits & 0xFF));
    }
  }
  return bytes;
}

}  // namespace

void Hasher::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Hasher::Hasher(DigestAlgorithm algorithm) : context_(EVP_MD_CTX_new()) {
  if (context_ == nullptr) throw std::bad_alloc();
  const auto* name = std::find_if(
      std::begin(kAlgorithms), std::end(kAlgorithms),
      [algorithm](const AlgorithmName& known) { return known.algorithm == algorithm; });
  EVP_MD* md = EVP_MD_fetch(nullptr, name->openssl, nullptr);
  const int begun = md == nullptr ? 0 : EVP_DigestInit_ex2(context_.get(), md, nullptr);
  EVP_MD_free(md);  // The context keeps its own reference.
  Check(begun);
}

void Hasher::Update(std::string_view bytes) {
  Check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

std::span<const std::uint8_t> Hasher::Finish() {
  unsigned size = 0;
  Check(EVP_DigestFinal_ex(context_.get(), digest_.data(), &size));
  Check(EVP_DigestInit_ex2(context_.get(), nullptr, nullptr));
  return {digest_.data(), size};
}

Sha256Digest FinishSha256(Hasher& hasher) {
  const std::span<const std::uint8_t> bytes = hasher.Finish();
  Sha256Digest digest{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), digest.size()), digest.begin());
  return digest;
}

void AppendHex(std::span<const std::uint8_t> bytes, std::string* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::size_t at = out->size();
  out->resize(at + 2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    (*out)[at++] = kDigits[byte >> 4];
    (*out)[at++] = kDigits[byte & 15];
  }
}

std::optional<LabelledDigest> LabelledDigest::Parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto* known =
      std::find_if(std::begin(kAlgorithms), std::end(kAlgorithms), [&](const AlgorithmName& name) {
        return EqualsIgnoringCase(name.label, text.substr(0, colon));
      });
  if (known == std::end(kAlgorithms)) return std::nullopt;
  std::string_view digits = text.substr(colon + 1);
  while (digits.ends_with('=')) digits.remove_suffix(1);
  std::optional<std::string> bytes;
  if (digits.size() == known->size * 2) bytes = DecodeDigits(digits, 4);
  if (digits.size() == (known->size * 8 + 4) / 5) bytes = DecodeDigits(digits, 5);
  if (!bytes) return std::nullopt;
  return LabelledDigest{known->algorithm, std::move(*bytes)};
}

}  // namespace crawler
