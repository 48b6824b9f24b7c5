#include "store/warc_digest.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <charconv>
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

// The value of a digit of base 2^`bits` (RFC 4648: hex, base32, and both alphabets of base64);
// -1 for others.
int DigitValue(char c, int bits) {
  const bool number = c >= '0' && c <= '9', upper = c >= 'A' && c <= 'Z',
             lower = c >= 'a' && c <= 'z';
  const int letter = upper ? c - 'A' : c - 'a';
  switch (bits) {
    case 4:
      if (number) return c - '0';
      return (upper || lower) && letter < 6 ? letter + 10 : -1;
    case 5:
      if (number) return c >= '2' && c <= '7' ? c - '2' + 26 : -1;
      return upper || lower ? letter : -1;
    default:
      if (upper || lower) return upper ? letter : letter + 26;
      if (number) return c - '0' + 52;
      if (c == '+' || c == '-') return 62;
      return c == '/' || c == '_' ? 63 : -1;
  }
}

// Empty if a digit is none.
std::string DecodeDigits(std::string_view digits, int bits) {
  std::string bytes;
  unsigned pending = 0;
  int pending_bits = 0;
  for (const char c : digits) {
    const int value = DigitValue(c, bits);
    if (value < 0) return {};
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
  // Without its global context OpenSSL would crash.
  if (context_ == nullptr || OSSL_LIB_CTX_get0_global_default() == nullptr) throw std::bad_alloc();
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

Sha256Digest Sha256Of(Hasher& hasher, std::string_view bytes) {
  hasher.Update(bytes);
  return FinishSha256(hasher);
}

Sha256Digest FinishSha256(Hasher& hasher) {
  const std::span<const std::uint8_t> bytes = hasher.Finish();
  Sha256Digest digest{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), digest.size()), digest.begin());
  return digest;
}

void AppendHex(std::span<const std::uint8_t> bytes, std::string* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  const std::size_t begin = out->size();
  out->resize(begin + 2 * bytes.size());
  char* at = out->data() + begin;
  for (const std::uint8_t byte : bytes) {
    *at++ = kDigits[byte >> 4];
    *at++ = kDigits[byte & 15];
  }
}

std::optional<Sha256Digest> Sha256FromHex(std::string_view hex) {
  Sha256Digest digest{};
  if (hex.size() != 2 * digest.size()) return std::nullopt;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const char* const begin = hex.data() + 2 * i;
    if (std::from_chars(begin, begin + 2, digest[i], 16).ptr != begin + 2) return std::nullopt;
  }
  return digest;
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
  LabelledDigest digest{known->algorithm, {}};
  for (const int bits : {4, 5, 6}) {
    const auto per_digit = static_cast<std::size_t>(bits);
    if (digits.size() == (known->size * 8 + per_digit - 1) / per_digit) {
      digest.bytes = DecodeDigits(digits, bits);
    }
  }
  return digest;
}

}  // namespace crawler
