#include "console.hpp"
#include "cpu.hpp"
#include "fs.hpp"
#include "pages.hpp"
#include "process.hpp"
#include "text.hpp"

namespace kernel {
namespace {

constexpr uint32_t kStackPages = 4;
constexpr uint32_t kMaxImageEnd = 0x40000000;
constexpr int kMaxSegments = 8;

struct ElfHeader {
  uint32_t magic;
  uint8_t bits, order, rest[10];
  uint16_t type, machine;
  uint32_t version, entry, segments_at, sections_at, flags;
  uint16_t size, segment_size, segment_count, section_size, section_count, names;
};

struct ElfSegment {
  uint32_t type, offset, address, physical, file_size, memory_size, flags, alignment;
};
constexpr uint32_t kLoad = 1, kElfWritable = 2;

bool ReadExactly(const Inode* file, uint32_t offset, void* to, uint32_t size) {
  return ReadInode(file, &offset, static_cast<uint8_t*>(to), size) == static_cast<int>(size);
}

// Calls part(kernel address, bytes done before, how many) for each page that the bytes lie on.
template <typename Part>
bool ForEachPart(const AddressSpace& space, uint32_t address, uint32_t size, Part part) {
  for (uint32_t done = 0; done < size;) {
    const uint32_t room = kPageSize - (address + done) % kPageSize;
    const uint32_t length = size - done < room ? size - done : room;
    uint8_t* at = space.Find(address + done);
    if (at == nullptr || !part(at, done, length)) return false;
    done += length;
  }
  return true;
}

bool Store(const AddressSpace& space, uint32_t address, const void* from, uint32_t size) {
  return ForEachPart(space, address, size, [from](uint8_t* to, uint32_t done, uint32_t length) {
    memcpy(to, static_cast<const uint8_t*>(from) + done, length);
    return true;
  });
}

bool LoadSegment(const Inode* file, AddressSpace& space, const ElfSegment& segment) {
  const uint32_t end = segment.address + segment.memory_size;
  if (segment.address < AddressSpace::kUserBase || end < segment.address || end > kMaxImageEnd ||
      segment.file_size > segment.memory_size) {
    return false;
  }
  const uint32_t first_page = segment.address & ~(kPageSize - 1);
  if (!space.Map(first_page, RoundUpToPage(end), (segment.flags & kElfWritable) != 0)) {
    return false;
  }
  if (RoundUpToPage(end) > space.size()) space.SetSize(RoundUpToPage(end));
  return ForEachPart(space, segment.address, segment.file_size,
                     [&](uint8_t* to, uint32_t done, uint32_t length) {
                       return ReadExactly(file, segment.offset + done, to, length);
                     });
}

bool LoadImage(const Inode* file, AddressSpace& space, uint32_t* entry) {
  ElfHeader header;
  if (!ReadExactly(file, 0, &header, sizeof(header))) return false;
  constexpr uint16_t kExecutable = 2, kI386 = 3;
  if (header.magic != 0x464c457f || header.bits != 1 || header.order != 1 ||
      header.type != kExecutable || header.machine != kI386 ||
      header.segment_size != sizeof(ElfSegment) || header.segment_count > kMaxSegments) {
    return false;
  }
  for (uint32_t i = 0; i < header.segment_count; ++i) {
    ElfSegment segment;
    if (!ReadExactly(file, header.segments_at + i * sizeof(segment), &segment, sizeof(segment))) {
      return false;
    }
    if (segment.type == kLoad && !LoadSegment(file, space, segment)) return false;
  }
  *entry = header.entry;
  return true;
}

// Above the image: a guard page, then the stack, at whose top main() finds its arguments. Returns
// the stack pointer, 0 when there is no memory.
uint32_t BuildStack(AddressSpace& space, const char* arguments, int count) {
  const uint32_t bottom = space.size() + kPageSize;
  const uint32_t top = bottom + kStackPages * kPageSize;
  if (!space.Map(bottom, top, true)) return 0;
  space.SetSize(top);

  uint32_t words[3 + kMaxArguments + 1] = {kFakeReturnAddress, static_cast<uint32_t>(count)};
  uint32_t length = 0;
  for (int i = 0; i < count; ++i) {
    words[3 + i] = length;
    length += strlen(arguments + length) + 1;
  }
  const uint32_t strings = (top - length) & ~3u;
  for (int i = 0; i < count; ++i) words[3 + i] += strings;
  const uint32_t words_size = static_cast<uint32_t>(3 + count + 1) * 4;
  const uint32_t pointer = strings - words_size;
  words[2] = pointer + 3 * 4;  // argv
  const bool stored =
      Store(space, strings, arguments, length) && Store(space, pointer, words, words_size);
  return stored ? pointer : 0;
}

}  // namespace

int Exec(const char* path, const char* arguments, int count) {
  Inode* file = OpenInode(path, false, false);
  if (file == nullptr) return -1;
  Process& me = CurrentProcess();
  AddressSpace* space = AddressSpace::Create(&me);
  uint32_t entry = 0, stack = 0;
  if (space != nullptr && LoadImage(file, *space, &entry)) {
    stack = BuildStack(*space, arguments, count);
  }
  CloseInode(file);
  if (stack == 0) {
    if (space != nullptr) space->Release();
    return -1;
  }
  EnterSpace(space);
  strlcpy(me.name, path, sizeof(me.name));
  me.frame->eip = entry;
  me.frame->esp = stack;
  return 0;
}

}  // namespace kernel
