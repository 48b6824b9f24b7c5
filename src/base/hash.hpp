#pragma once

#include <cstdint>
#include <string_view>

namespace crawler {

/// A 64-bit hash of `bytes`, different for every `seed`. With a seed nobody outside knows, nobody
/// can prepare input that collides.
std::uint64_t Hash64(std::string_view bytes, std::uint64_t seed);

/// A seed from the system's randomness.
std::uint64_t RandomSeed();

}  // namespace crawler
