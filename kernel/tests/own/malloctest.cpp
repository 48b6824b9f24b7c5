#include "check.hpp"

// Threads share malloc: no two get the same memory, and all of it comes back.
namespace {

constexpr int kThreads = 8, kBlocks = 12, kRounds = 60, kAll = 1 << 18;

void Child(void* argument) {
  uint32_t random = static_cast<uint32_t>(reinterpret_cast<int>(argument)) * 2654435761u;
  const int mark = reinterpret_cast<int>(argument);
  uint8_t* blocks[kBlocks] = {};
  uint32_t sizes[kBlocks] = {};
  for (int i = 0; i < kRounds * kBlocks; ++i) {
    random = random * 1664525 + 1013904223;
    const uint32_t slot = (random >> 16) % kBlocks;
    for (uint32_t j = 0; j < sizes[slot]; ++j) CHECK(blocks[slot][j] == mark);
    free(blocks[slot]);
    sizes[slot] = (random >> 8) % 700;
    blocks[slot] = static_cast<uint8_t*>(malloc(sizes[slot]));
    CHECK(blocks[slot] != nullptr);
    CHECK(reinterpret_cast<uint32_t>(blocks[slot]) % 8 == 0);
    memset(blocks[slot], mark, sizes[slot]);
  }
  for (uint8_t* block : blocks) free(block);
  exit();
}

void RunThreads() {
  for (int i = 1; i <= kThreads; ++i) CHECK(thread_create(Child, reinterpret_cast<void*>(i)) > 0);
  for (int i = 0; i < kThreads; ++i) CHECK(thread_join() > 0);
}

}  // namespace

void Test() {
  RunThreads();  // Stacks may come from elsewhere; they are made once.
  // More than all of them can need at once: memory that comes back is one block again, and that in
  // the same place; what is lost splits it.
  void* const all = malloc(kAll);
  CHECK(all != nullptr);
  free(all);
  char* const end = sbrk(0);
  for (int round = 0; round < 4; ++round) {
    RunThreads();
    CHECK(malloc(kAll) == all && sbrk(0) == end);
    free(all);
  }
  CHECK(malloc(0x7fffffff) == nullptr);
  CHECK(malloc(0xffffffff) == nullptr);
  free(nullptr);
}
