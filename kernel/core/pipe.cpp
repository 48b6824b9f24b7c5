#include "pipe.hpp"

#include "lock.hpp"
#include "pages.hpp"
#include "process.hpp"

// The header <new> needs a C++ library for 32 bits, which a freestanding build does without.
inline void* operator new(size_t /*size*/, void* place) noexcept { return place; }

namespace kernel {

struct Pipe {
  static constexpr uint32_t kSize = kPipeAtomic;

  SpinLock lock{"pipe"};
  uint32_t read_count = 0;   // Readers sleep on this,
  uint32_t write_count = 0;  // and writers on this.
  bool reader_open = true;
  bool writer_open = true;
  uint8_t bytes[kSize] = {};
};
static_assert(sizeof(Pipe) <= kPageSize);

Pipe* NewPipe() {
  uint8_t* page = AllocatePage();
  return page == nullptr ? nullptr : new (page) Pipe;
}

void FreePipe(Pipe* pipe) { FreePage(pipe); }

void ClosePipe(Pipe* pipe, bool writer) {
  pipe->lock.Acquire();
  (writer ? pipe->writer_open : pipe->reader_open) = false;
  Wakeup(writer ? &pipe->read_count : &pipe->write_count);
  const bool last = !pipe->writer_open && !pipe->reader_open;
  pipe->lock.Release();
  if (last) FreePipe(pipe);
}

int ReadPipe(Pipe* pipe, uint8_t* to, int size) {
  SpinGuard guard(pipe->lock);
  while (pipe->read_count == pipe->write_count && pipe->writer_open) {
    if (!SleepUnlessKilled(&pipe->read_count, pipe->lock)) return -1;
  }
  int done = 0;
  while (done < size && pipe->read_count != pipe->write_count) {
    to[done++] = pipe->bytes[pipe->read_count++ % Pipe::kSize];
  }
  Wakeup(&pipe->write_count);
  return done;
}

int WritePipe(Pipe* pipe, const uint8_t* from, int size) {
  SpinGuard guard(pipe->lock);
  for (int done = 0; done < size;) {
    if (!pipe->reader_open) return -1;
    const auto left = static_cast<uint32_t>(size - done);
    const uint32_t part = left < Pipe::kSize ? left : Pipe::kSize;
    // All of it or nothing yet: what another wrote meanwhile would come in between.
    if (Pipe::kSize - (pipe->write_count - pipe->read_count) < part) {
      Wakeup(&pipe->read_count);
      if (!SleepUnlessKilled(&pipe->write_count, pipe->lock)) return -1;
      continue;
    }
    for (uint32_t i = 0; i < part; ++i) {
      pipe->bytes[pipe->write_count++ % Pipe::kSize] = from[done++];
    }
  }
  Wakeup(&pipe->read_count);
  return size;
}

}  // namespace kernel
