#include "fs.hpp"

#include "console.hpp"
#include "lock.hpp"
#include "pages.hpp"
#include "text.hpp"

namespace kernel {
namespace {

constexpr int kMaxInodes = 160;

constinit Inode inodes[kMaxInodes] = {};
constinit SpinLock lock{"file system"};

// All below require the lock.

const char* SkipSlash(const char* name) {
  if (name[0] == '.' && name[1] == '/') ++name;
  while (*name == '/') ++name;
  return name;
}

Inode* FindInode(const char* name) {
  for (Inode& inode : inodes) {
    if (inode.name[0] != 0 && strcmp(inode.name, name) == 0) return &inode;
  }
  return nullptr;
}

Inode* MakeInode(const char* name) {
  if (name[0] == 0 || strlen(name) > kMaxName) return nullptr;
  for (Inode& inode : inodes) {
    if (inode.name[0] != 0 || inode.opens != 0) continue;
    strlcpy(inode.name, name, sizeof(inode.name));
    return &inode;
  }
  return nullptr;
}

void FreeContents(Inode& inode) {
  if (inode.pages != nullptr) {
    for (uint32_t i = 0; i < kPageSize / 4; ++i) FreePage(inode.pages[i]);
    FreePage(inode.pages);
  }
  inode.pages = nullptr;
  inode.size = 0;
}

// The page of the contents at `offset`, made if need be; null when there is no memory.
uint8_t* PageFor(Inode& inode, uint32_t offset) {
  if (inode.pages == nullptr) inode.pages = reinterpret_cast<uint8_t**>(AllocatePage());
  if (inode.pages == nullptr) return nullptr;
  uint8_t*& page = inode.pages[offset / kPageSize];
  if (page == nullptr) page = AllocatePage();
  return page;
}

// How much of `size` bytes fits on the page of `offset`.
uint32_t OnThisPage(uint32_t offset, uint32_t size) {
  const uint32_t room = kPageSize - offset % kPageSize;
  return size < room ? size : room;
}

// Fields of a tar header, each 512 bytes long and followed by the contents.
constexpr uint32_t kTarBlock = 512, kTarSize = 124, kTarType = 156, kTarNameLength = 100;

uint32_t Octal(const uint8_t* at) {
  uint32_t value = 0;
  for (; *at >= '0' && *at <= '7'; ++at) value = value * 8 + (*at - '0');
  return value;
}

}  // namespace

void LoadArchive(const uint8_t* begin, const uint8_t* end) {
  while (begin + kTarBlock <= end && *begin != 0) {
    char name[kTarNameLength + 1];
    strlcpy(name, reinterpret_cast<const char*>(begin), sizeof(name));
    const uint32_t size = Octal(begin + kTarSize);
    const bool is_file = begin[kTarType] == '0' || begin[kTarType] == 0;
    begin += kTarBlock;
    if (size > static_cast<uint32_t>(end - begin)) Panic("the archive ends inside %s", name);
    if (is_file) {
      Inode* inode = OpenInode(name, true, false);
      uint32_t offset = 0;
      if (inode == nullptr) Panic("no room for the file %s", name);
      WriteInode(inode, &offset, begin, size);
      if (inode->size != size) Panic("no room for the contents of %s", name);
      CloseInode(inode);
    }
    begin += (size + kTarBlock - 1) / kTarBlock * kTarBlock;
  }
}

Inode* OpenInode(const char* name, bool create, bool truncate) {
  SpinGuard guard(lock);
  name = SkipSlash(name);
  Inode* inode = FindInode(name);
  if (inode == nullptr && create) inode = MakeInode(name);
  if (inode == nullptr) return nullptr;
  ++inode->opens;
  if (truncate) FreeContents(*inode);
  return inode;
}

void CloseInode(Inode* inode) {
  SpinGuard guard(lock);
  if (--inode->opens == 0 && inode->name[0] == 0) FreeContents(*inode);
}

int RemoveName(const char* name) {
  SpinGuard guard(lock);
  Inode* inode = FindInode(SkipSlash(name));
  if (inode == nullptr) return -1;
  inode->name[0] = 0;
  if (inode->opens == 0) FreeContents(*inode);
  return 0;
}

int ReadInode(const Inode* inode, uint32_t* offset, uint8_t* to, uint32_t size) {
  SpinGuard guard(lock);
  if (*offset >= inode->size) return 0;
  if (size > inode->size - *offset) size = inode->size - *offset;
  for (uint32_t done = 0; done < size;) {
    const uint32_t part = OnThisPage(*offset, size - done);
    // There is no seeking, but a file truncated while another descriptor stands further on, and
    // written there, has a hole.
    const uint8_t* page = inode->pages[*offset / kPageSize];
    if (page != nullptr) {
      memcpy(to + done, page + *offset % kPageSize, part);
    } else {
      memset(to + done, 0, part);
    }
    done += part;
    *offset += part;
  }
  return static_cast<int>(size);
}

int WriteInode(Inode* inode, uint32_t* offset, const uint8_t* from, uint32_t size) {
  SpinGuard guard(lock);
  uint32_t done = 0;
  while (done < size && *offset < kMaxFileSize) {
    uint8_t* page = PageFor(*inode, *offset);
    if (page == nullptr) break;
    const uint32_t part = OnThisPage(*offset, size - done);
    memcpy(page + *offset % kPageSize, from + done, part);
    done += part;
    *offset += part;
    if (*offset > inode->size) inode->size = *offset;
  }
  return done == 0 && size > 0 ? -1 : static_cast<int>(done);
}

int ReadDirectory(uint32_t* offset, uint8_t* to, uint32_t size) {
  SpinGuard guard(lock);
  uint32_t done = 0;
  while (*offset < kMaxInodes && size - done >= sizeof(DirectoryEntry)) {
    const Inode& inode = inodes[(*offset)++];
    if (inode.name[0] == 0) continue;
    DirectoryEntry entry = {};
    strlcpy(entry.name, inode.name, sizeof(entry.name));
    entry.size = inode.size;
    memcpy(to + done, &entry, sizeof(entry));
    done += sizeof(entry);
  }
  return static_cast<int>(done);
}

int CountNames() {
  SpinGuard guard(lock);
  int count = 0;
  for (const Inode& inode : inodes) count += inode.name[0] != 0 ? 1 : 0;
  return count;
}

}  // namespace kernel
