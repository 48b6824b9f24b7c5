#include "base/hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <random>

namespace crawler {

std::uint64_t Hash64(std::string_view bytes, std::uint64_t hash_key) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), hash_key);
}

std::uint64_t RandomKey() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace crawler
