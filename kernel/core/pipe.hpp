#pragma once

#include <stdint.h>

/// A bounded queue of bytes between processes.
namespace kernel {

struct Pipe;

/// A pipe with both ends open; null when there is no memory.
Pipe* NewPipe();
void FreePipe(Pipe* pipe);

/// Closes one end; the pipe goes with the second.
void ClosePipe(Pipe* pipe, bool writer);

/// Reads what there is, at least one byte; 0 when it is empty and nobody can write any more.
int ReadPipe(Pipe* pipe, uint8_t* to, int size);

/// Writes everything, waiting for room; -1 when nobody can read any more. Both return -1 when
/// the process is killed. Up to kPipeAtomic bytes go in in one piece.
int WritePipe(Pipe* pipe, const uint8_t* from, int size);
inline constexpr uint32_t kPipeAtomic = 2048;

}  // namespace kernel
