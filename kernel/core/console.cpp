#include "console.hpp"

#include "lock.hpp"
#include "process.hpp"
#include "text.hpp"
#include "x86.hpp"

namespace kernel {
namespace {

constexpr uint16_t kPort = 0x3f8;
constexpr uint16_t kLineStatus = kPort + 5;
constexpr uint32_t kInputSize = 512;
constexpr char kEndOfInput = 'D' - '@';
constexpr char kListProcesses = 'P' - '@';
constexpr char kEraseLine = 'U' - '@';

constinit SpinLock output_lock{"console output"};
constinit SpinLock input_lock{"console input"};
constinit bool panicking = false;

// What was typed: read up to `read_at`, finished lines up to `line_end`, being edited up to
// `edit_at`. The three only grow; the place of one in the buffer is its remainder.
constinit char input[kInputSize] = {};
constinit uint32_t read_at = 0, line_end = 0, edit_at = 0;

void PutByte(uint8_t byte) {
  while ((In8(kLineStatus) & 0x20) == 0) {
  }
  Out8(kPort, byte);
}

void Put(char c, void* /*context*/) {
  if (c == '\n') PutByte('\r');
  PutByte(static_cast<uint8_t>(c));
}

void Echo(const char* text) {
  SpinGuard guard(output_lock);
  while (*text != 0) Put(*text++, nullptr);
}

void EraseCharacter() {
  if (edit_at == line_end) return;
  --edit_at;
  Echo("\b \b");
}

// One typed character. Requires: input_lock, and room in the buffer.
void Edit(char c) {
  if (c == '\r') c = '\n';
  if (c == kListProcesses) return ListProcesses();
  if (c == '\b' || c == 0x7f) return EraseCharacter();
  if (c == kEraseLine) {
    while (edit_at != line_end) EraseCharacter();
    return;
  }
  // One place is kept for the end of the line, so that a full buffer still has a line to give.
  const bool ends_line = c == '\n' || c == kEndOfInput;
  if (!ends_line && edit_at - read_at >= kInputSize - 1) return;
  input[edit_at++ % kInputSize] = c;
  if (c != kEndOfInput) {
    const char text[2] = {c, 0};
    Echo(text);
  }
  if (ends_line) {
    line_end = edit_at;
    Wakeup(&input);
  }
}

}  // namespace

void StartConsole() {
  Out8(kPort + 1, 0);     // No interrupts: the timer polls.
  Out8(kPort + 3, 0x80);  // The next two bytes set the speed,
  Out8(kPort + 0, 1);     // 115200 baud.
  Out8(kPort + 1, 0);
  Out8(kPort + 3, 3);  // 8 bits, no parity, one stop bit.
  // The port's queues stay off: turning them on would lose what has been typed already.
}

void Print(const char* format, ...) {
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  SpinGuard guard(output_lock);
  FormatText(Put, nullptr, format, arguments);
  __builtin_va_end(arguments);
}

void Panic(const char* format, ...) {
  DisableInterrupts();
  // Without the lock: this processor may hold it. The first one to panic speaks alone.
  if (__atomic_exchange_n(&panicking, true, __ATOMIC_RELAXED)) {
    for (;;) asm volatile("hlt");
  }
  for (const char* text = "\npanic: "; *text != 0; ++text) Put(*text, nullptr);
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  FormatText(Put, nullptr, format, arguments);
  __builtin_va_end(arguments);
  Put('\n', nullptr);
  PowerOff(0x7f);
}

void PowerOff(uint8_t status) {
  Out8(0xf4, status);
  // Only reached when qemu was started without the device.
  DisableInterrupts();
  for (;;) asm volatile("hlt");
}

void PollConsole() {
  SpinGuard guard(input_lock);
  // A full buffer leaves the rest in the port, where qemu holds it back, as long as there are lines
  // to be read; a single line that long has to end first, and Edit() drops what is too much of it.
  while ((edit_at - read_at < kInputSize - 1 || read_at == line_end) &&
         (In8(kLineStatus) & 1) != 0) {
    Edit(static_cast<char>(In8(kPort)));
  }
}

int ReadConsole(uint8_t* to, int size) {
  SpinGuard guard(input_lock);
  while (read_at == line_end) {
    if (!SleepUnlessKilled(&input, input_lock)) return -1;
  }
  int count = 0;
  while (count < size && read_at != line_end) {
    const char c = input[read_at % kInputSize];
    if (c == kEndOfInput) {
      // Seen again by the next read, unless this one has nothing before it.
      if (count == 0) ++read_at;
      break;
    }
    ++read_at;
    to[count++] = static_cast<uint8_t>(c);
    if (c == '\n') break;
  }
  return count;
}

int WriteConsole(const uint8_t* from, int size) {
  for (int done = 0; done < size;) {
    if (CurrentProcess().Killed()) return -1;
    SpinGuard guard(output_lock);
    const int end = size - done < kConsoleAtomic ? size : done + kConsoleAtomic;
    while (done < end) Put(static_cast<char>(from[done++]), nullptr);
  }
  return size;
}

}  // namespace kernel
