#pragma once

#include <stdint.h>

namespace kernel {

/// Leak check: kAuditNote remembers what is in use (free pages, process slots, address spaces,
/// open files, file names); kAuditCompare prints what differs now. 0 if nothing does, -1
/// otherwise and for any other step. In between a watchdog waits for a test that never ends.
int Audit(uint32_t step);

}  // namespace kernel
