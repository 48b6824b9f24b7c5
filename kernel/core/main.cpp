#include "console.hpp"
#include "cpu.hpp"
#include "fs.hpp"
#include "pages.hpp"
#include "process.hpp"
#include "text.hpp"
#include "trap.hpp"

namespace kernel {
namespace {

/// What the boot loader tells (Multiboot 0.6.96, 3.3); addresses are physical.
struct MultibootInfo {
  uint32_t flags, memory_lower, memory_upper, boot_device, command_line, module_count, modules;
};
struct MultibootModule {
  uint32_t begin, end, text, reserved;
};

constinit char command_line[256] = "init";

// Copies the command line without its first word, which is the kernel's own name.
void TakeCommandLine(const char* line) {
  while (*line != 0 && *line != ' ') ++line;
  while (*line == ' ') ++line;
  if (*line != 0) strlcpy(command_line, line, sizeof(command_line));
}

}  // namespace
}  // namespace kernel

/// Called by boot.S on the first processor.
extern "C" [[noreturn]] void KernelMain(const kernel::MultibootInfo* info) {
  using namespace kernel;
  StartConsole();
  BuildInterruptTable();
  StartCpu(0);

  if ((info->flags & 0x4) != 0) {
    TakeCommandLine(reinterpret_cast<const char*>(FromPhysical(info->command_line)));
  }
  if ((info->flags & 0x8) == 0 || info->module_count != 1) {
    Panic("start me with the archive: -initrd files.tar");
  }
  const auto module = *reinterpret_cast<MultibootModule*>(FromPhysical(info->modules));
  uint32_t memory_end = (1 << 20) + info->memory_upper * 1024;
  if (memory_end > kMaxPhysical) memory_end = kMaxPhysical;
  // From here on `info` is overwritten: it lies in the memory that is given away.
  AddFreePages(FromPhysical(module.end), FromPhysical(memory_end));
  LoadArchive(FromPhysical(module.begin), FromPhysical(module.end));
  AddFreePages(FromPhysical(module.begin), FromPhysical(module.end & ~(kPageSize - 1)));

  const int cpus = StartOtherCpus();
  Print("%d processor%s, %u pages free, %d files\n", cpus, cpus == 1 ? "" : "s", CountFreePages(),
        CountNames());
  StartFirstProcess(command_line);
  Schedule();
}
