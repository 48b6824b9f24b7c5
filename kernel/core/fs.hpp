#pragma once

#include <stdint.h>

#include "abi.hpp"

/// Files in memory, in one flat directory; a name may contain slashes, which mean nothing.
/// One lock guards all of it; every function here takes it.
namespace kernel {

inline constexpr uint32_t kMaxFileSize = (kPageSize / 4) * kPageSize;

/// A file. It lives as long as it has a name or is open.
struct Inode {
  char name[kMaxName + 1];  ///< Empty: removed, or the slot is free.
  int opens;
  uint32_t size;
  uint8_t** pages;  ///< A page of pointers to the pages of the contents; null in an empty file.
};

/// Adds the files of a tar archive, which is not needed afterwards.
void LoadArchive(const uint8_t* begin, const uint8_t* end);

/// Finds a file by name, or makes it if `create`; null if there is none, the name is bad, or
/// there is no room. Each success is to be paired with CloseInode().
Inode* OpenInode(const char* name, bool create, bool truncate);
void CloseInode(Inode* inode);

/// Takes the name away; the contents go with the last close. -1 if there is no such file.
int RemoveName(const char* name);

/// Copy at most `size` bytes from or to a file at `*offset`, which moves along; return how many.
/// Less are written than asked when there is no more room, -1 if none.
int ReadInode(const Inode* inode, uint32_t* offset, uint8_t* to, uint32_t size);
int WriteInode(Inode* inode, uint32_t* offset, const uint8_t* from, uint32_t size);

/// The directory as a file of DirectoryEntry: only whole entries are read.
int ReadDirectory(uint32_t* offset, uint8_t* to, uint32_t size);

int CountNames();

}  // namespace kernel
