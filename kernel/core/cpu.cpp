#include "cpu.hpp"

#include "abi.hpp"
#include "console.hpp"
#include "lock.hpp"
#include "pages.hpp"
#include "process.hpp"
#include "text.hpp"
#include "trap.hpp"
#include "x86.hpp"

extern "C" uint32_t KernelDirectory[1024];
extern "C" uint8_t ApStart[], ApEnd[];
extern "C" int NextCpuIndex;

namespace kernel {
namespace {

constexpr uint32_t kApBase = 0x8000;

// Registers of the local APIC, as indexes of 32-bit words.
volatile uint32_t* const apic = reinterpret_cast<volatile uint32_t*>(0xfee00000);
enum ApicRegister {
  kApicId = 0x20 / 4,
  kApicTaskPriority = 0x80 / 4,
  kApicEoi = 0xb0 / 4,
  kApicSpurious = 0xf0 / 4,
  kApicCommandLow = 0x300 / 4,
  kApicCommandHigh = 0x310 / 4,
  kApicTimer = 0x320 / 4,
  kApicTimerCount = 0x380 / 4,
  kApicTimerDivide = 0x3e0 / 4,
};
constexpr uint32_t kApicHertz = 1'000'000'000;  // qemu's, after dividing by one.

constinit Cpu cpus[kMaxCpus] = {};
constinit int running_cpus = 0;

// One table for all processors. Code and data segments cover everything; protection is the page
// tables' work. A processor knows which it is by the task segment it has loaded.
constinit uint64_t segments[5 + kMaxCpus] = {0, 0x00cf9a000000ffff, 0x00cf92000000ffff,
                                             0x00cffa000000ffff, 0x00cff2000000ffff};

struct [[gnu::packed]] TablePointer {
  uint16_t limit;
  const void* base;
};

void LoadSegments(Cpu& cpu) {
  cpu.task.ss0 = kKernelData;
  cpu.task.io_map_base = sizeof(TaskState);  // No map: no port is open to user code.
  const uint64_t base = reinterpret_cast<uint32_t>(&cpu.task);
  segments[5 + cpu.index] =
      (sizeof(TaskState) - 1) | (base & 0xffffff) << 16 | uint64_t{0x89} << 40 | (base >> 24) << 56;
  const TablePointer table{sizeof(segments) - 1, segments};
  asm volatile(
      "lgdt %0\n\t"
      "ljmp %1, $1f\n"
      "1: movw %w2, %%ds; movw %w2, %%es; movw %w2, %%ss\n\t"
      "movw %w3, %%fs; movw %w3, %%gs\n\t"
      "ltr %w4"
      :
      : "m"(table), "i"(kKernelCode), "r"(kKernelData), "r"(0), "r"(kFirstTask + cpu.index * 8)
      : "memory");
}

void StartApic() {
  apic[kApicSpurious] = 0x100 | kSpuriousVector;
  apic[kApicTimerDivide] = 0xb;  // By one.
  apic[kApicTimer] = 0x20000 | kTimerVector;
  apic[kApicTimerCount] = kApicHertz / kTicksPerSecond;
  apic[kApicTaskPriority] = 0;
  EndOfInterrupt();
}

void Command(uint32_t target, uint32_t command) {
  apic[kApicCommandHigh] = target << 24;
  apic[kApicCommandLow] = command;
  while ((apic[kApicCommandLow] & 0x1000) != 0) asm volatile("pause");
}

// qemu tells the number of processors through its configuration port (selector 5).
int CountCpus() {
  Out16(0x510, 5);
  const int low = In8(0x511);
  return low | In8(0x511) << 8;
}

}  // namespace

Cpu& CurrentCpu() { return cpus[(TaskRegister() - kFirstTask) / 8]; }

void EndOfInterrupt() { apic[kApicEoi] = 0; }

void StartCpu(int index) {
  Cpu& cpu = cpus[index];
  cpu.index = index;
  LoadSegments(cpu);
  LoadInterruptTable();
  cpu.apic_id = apic[kApicId] >> 24;
  StartApic();
  __atomic_add_fetch(&running_cpus, 1, __ATOMIC_RELEASE);
}

int StartOtherCpus() {
  const int present = CountCpus();
  const int expected = present < kMaxCpus ? present : kMaxCpus;
  memcpy(FromPhysical(kApBase), ApStart, static_cast<size_t>(ApEnd - ApStart));
  if (expected > 1) {
    constexpr uint32_t kAllOthers = 0xc0000;
    Command(0, kAllOthers | 0x4500);                    // INIT
    Command(0, kAllOthers | 0x4600 | (kApBase >> 12));  // Start at kApBase.
  }
  while (__atomic_load_n(&running_cpus, __ATOMIC_ACQUIRE) < expected) asm volatile("pause");
  // Those beyond kMaxCpus too have to be out of low memory before it is unmapped.
  while (__atomic_load_n(&NextCpuIndex, __ATOMIC_ACQUIRE) < present) asm volatile("pause");
  KernelDirectory[0] = 0;
  LoadPageDirectory(ToPhysical(KernelDirectory));
  return expected;
}

void UsePageDirectory(uint32_t physical) {
  DisableNested();
  LoadPageDirectory(physical);
  __atomic_store_n(&CurrentCpu().directory, physical, __ATOMIC_RELEASE);
  EnableIfFirst();
}

bool PageDirectoryInUse(uint32_t physical) {
  for (const Cpu& cpu : cpus) {
    if (__atomic_load_n(&cpu.directory, __ATOMIC_ACQUIRE) == physical) return true;
  }
  return false;
}

void WakeIdleCpu() {
  for (Cpu& cpu : cpus) {
    if (!cpu.idle) continue;
    cpu.idle = false;
    Command(cpu.apic_id, kWakeVector);
    return;
  }
}

}  // namespace kernel

/// Called by ApHigh in boot.S.
extern "C" [[noreturn]] void ApMain(int index) {
  kernel::StartCpu(index);
  kernel::Schedule();
}
