#include "user.hpp"

// The free blocks in a list ordered by address, so that neighbours can be joined; first fit. One
// lock guards all of it. A thread killed in here leaves it locked for ever: kill() is not a way to
// end a thread of a program that goes on.
namespace {

struct Block {
  uint32_t size;  // In bytes, with this header.
  Block* next;    // While it is free.
};

constexpr uint32_t kHeader = sizeof(Block);
constexpr uint32_t kGrowth = 4 * kPageSize;

constinit lock_t heap_lock = {};
constinit Block* free_blocks = nullptr;

Block* After(Block* block) {
  return reinterpret_cast<Block*>(reinterpret_cast<uint8_t*>(block) + block->size);
}

void Insert(Block* block) {
  Block** link = &free_blocks;
  Block* before = nullptr;
  while (*link != nullptr && *link < block) {
    before = *link;
    link = &before->next;
  }
  block->next = *link;
  *link = block;
  if (block->next != nullptr && After(block) == block->next) {
    block->size += block->next->size;
    block->next = block->next->next;
  }
  if (before != nullptr && After(before) == block) {
    before->size += block->size;
    before->next = block->next;
  }
}

Block* Take(uint32_t size) {
  for (Block** link = &free_blocks; *link != nullptr; link = &(*link)->next) {
    Block* block = *link;
    if (block->size < size) continue;
    if (block->size - size < 2 * kHeader) {
      *link = block->next;
      return block;
    }
    // The upper part is given away; the list stays as it is.
    block->size -= size;
    Block* upper = After(block);
    upper->size = size;
    return upper;
  }
  return nullptr;
}

bool Grow(uint32_t size) {
  // Up to alignment, whatever other callers of sbrk() have left behind.
  uint32_t bytes = (size + kGrowth - 1) / kGrowth * kGrowth + kHeader;
  char* begin = sbrk(static_cast<int>(bytes));
  if (begin == reinterpret_cast<char*>(-1)) return false;
  const uint32_t skip = -reinterpret_cast<uint32_t>(begin) % kHeader;
  auto* block = reinterpret_cast<Block*>(begin + skip);
  block->size = (bytes - skip) / kHeader * kHeader;
  Insert(block);
  return true;
}

}  // namespace

void* malloc(size_t size) {
  if (size > 0x7fff0000) return nullptr;
  const uint32_t bytes = (static_cast<uint32_t>(size) + 2 * kHeader - 1) / kHeader * kHeader;
  lock_acquire(&heap_lock);
  Block* block = Take(bytes);
  if (block == nullptr && Grow(bytes)) block = Take(bytes);
  lock_release(&heap_lock);
  return block == nullptr ? nullptr : block + 1;
}

void free(void* memory) {
  if (memory == nullptr) return;
  lock_acquire(&heap_lock);
  Insert(static_cast<Block*>(memory) - 1);
  lock_release(&heap_lock);
}
