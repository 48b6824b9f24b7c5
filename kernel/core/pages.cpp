#include "pages.hpp"

#include "console.hpp"
#include "lock.hpp"
#include "text.hpp"

namespace kernel {
namespace {

struct FreeListNode {
  FreeListNode* next;
};

constinit SpinLock lock{"pages"};
constinit FreeListNode* free_list = nullptr;
constinit uint32_t free_count = 0;

}  // namespace

void AddFreePages(uint8_t* begin, uint8_t* end) {
  uint32_t at = RoundUpToPage(reinterpret_cast<uint32_t>(begin));
  for (; at + kPageSize <= reinterpret_cast<uint32_t>(end); at += kPageSize) {
    FreePage(reinterpret_cast<void*>(at));
  }
}

uint8_t* AllocatePage() {
  FreeListNode* page;
  {
    SpinGuard guard(lock);
    page = free_list;
    if (page == nullptr) return nullptr;
    free_list = page->next;
    --free_count;
  }
  memset(page, 0, kPageSize);
  return reinterpret_cast<uint8_t*>(page);
}

void FreePage(void* page) {
  if (page == nullptr) return;
  if (reinterpret_cast<uint32_t>(page) % kPageSize != 0) Panic("freeing %p, not a page", page);
  memset(page, 0xdb, kPageSize);
  SpinGuard guard(lock);
  auto* node = static_cast<FreeListNode*>(page);
  node->next = free_list;
  free_list = node;
  ++free_count;
}

uint32_t CountFreePages() {
  SpinGuard guard(lock);
  return free_count;
}

}  // namespace kernel
