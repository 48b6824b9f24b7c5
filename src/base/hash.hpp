#pragma once

#include <cstdint>
#include <string_view>

namespace crawler {

/// A 64-bit hash of `bytes`, different for every `hash_key`. With a secret key nobody can prepare
/// input that collides.
std::uint64_t Hash64(std::string_view bytes, std::uint64_t hash_key);

/// A random number from the system, for hash keys and identifiers.
std::uint64_t RandomKey();

}  // namespace crawler
