#pragma once

namespace crawler {

/// Returns memory that was freed, but is kept by malloc for later, to the system. Takes some
/// milliseconds: for the end of what is rare and large. Does nothing where malloc cannot do it.
/// Threads: safe from any thread.
void ReturnFreedMemory();

}  // namespace crawler
