#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"

namespace crawler {

/// An address kept by an AddressSet: a pointer to NUL-terminated text that does not move as long as
/// the set lives. Equal addresses of one set are the same pointer.
class Address {
 public:
  const char* data() const { return text_; }
  std::size_t size() const;
  std::string_view view() const { return {text_, size()}; }

 private:
  friend class AddressSet;
  explicit Address(const char* text) : text_(text) {}
  const char* text_;
};

/// Every address a crawl has met, each kept once, exactly (texts are compared, not only hashes).
/// Costs about 30 bytes per address besides the text. Addresses are never removed.
/// Errors: throws std::bad_alloc, or std::length_error for an address of 4 GiB or more. Then the
/// set is unchanged. Threads: safe from any thread. Addresses are spread over shards, each with a
/// lock of its own.
class AddressSet {
 public:
  struct Inserted {
    Address address;
    bool is_new;
  };

  /// Uses a random hash key, so that nobody can prepare addresses that collide.
  AddressSet();
  AddressSet(const AddressSet&) = delete;
  AddressSet& operator=(const AddressSet&) = delete;

  /// The address of this text; `is_new` for exactly one caller per text.
  Inserted Insert(std::string_view text);

 private:
  /// Blocks of text, filled front to back.
  class Arena {
   public:
    char* Allocate(std::size_t bytes);

   private:
    std::vector<std::unique_ptr<char[]>> blocks_;
    char* free_ = nullptr;
    std::size_t left_ = 0;
    std::size_t memory_ = 0;
  };

  /// An open-addressing table with linear probing. A slot is empty (0) or holds 16 bits of the hash
  /// above the 48 of the text's address, so that most probes need not look at the text.
  struct alignas(64) Shard {
    Mutex mutex;
    std::vector<std::uint64_t> slots CRAWLER_GUARDED_BY(mutex);
    std::size_t used CRAWLER_GUARDED_BY(mutex) = 0;
    Arena arena CRAWLER_GUARDED_BY(mutex);
  };

  static void Grow(Shard& shard) CRAWLER_REQUIRES(shard.mutex);

  static constexpr std::size_t kShards = 64;
  const std::uint64_t hash_key_;
  std::array<Shard, kShards> shards_;
};

}  // namespace crawler
