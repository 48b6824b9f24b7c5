#include "audit.hpp"

#include "console.hpp"
#include "file.hpp"
#include "fs.hpp"
#include "pages.hpp"
#include "process.hpp"

namespace kernel {
namespace {

struct Item {
  const char* name;
  int (*count)();
  int noted;
};

// What a test may take, in time that the machine really had: a starved one has fewer ticks.
constexpr uint32_t kTestTicks = 60 * kTicksPerSecond;

// Only the first process calls, so nothing guards this.
constinit Item items[] = {
    {"free pages", [] { return static_cast<int>(CountFreePages()); }, 0},
    {"process slots", CountProcesses, 0},
    {"address spaces", AddressSpace::CountUsed, 0},
    {"open files", OpenFile::CountOpen, 0},
    {"file names", CountNames, 0},
};

}  // namespace

int Audit(uint32_t step) {
  if (step > kAuditCompare) return -1;
  SetWatchdog(step == kAuditNote ? kTestTicks : 0);
  int result = 0;
  for (Item& item : items) {
    const int now = item.count();
    if (step == kAuditNote) {
      item.noted = now;
    } else if (now != item.noted) {
      Print("leak: %s: %d before, %d now\n", item.name, item.noted, now);
      result = -1;
    }
  }
  return result;
}

}  // namespace kernel
