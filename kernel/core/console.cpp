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
constexpr char Control(char letter) { return static_cast<char>(letter - '@'); }
constexpr char kEscape = 27;

constinit SpinLock output_lock{"console output"};
constinit SpinLock input_lock{"console input"};
constinit bool panicking = false;

// Finished lines: read up to `read_at`, written up to `line_end`. Both only grow; the place of one
// in the buffer is its remainder.
constinit char input[kInputSize] = {};
constinit uint32_t read_at = 0, line_end = 0;

// The line being edited, and the last lines, for the arrow keys. Guarded by input_lock.
constexpr int kHistory = 8;
constinit char line[kInputSize] = {};
constinit uint32_t length = 0, cursor = 0;
constinit char history[kHistory][128] = {};
constinit int history_count = 0, history_at = 0;  // How many there ever were; which one is shown.
constinit char escape[4] = {};                    // What has arrived of an arrow key.
constinit uint32_t escape_length = 0;

void PutByte(uint8_t byte) {
  while ((In8(kLineStatus) & 0x20) == 0) {
  }
  Out8(kPort, byte);
}

void Put(char c, void* /*context*/) {
  if (c == '\n') PutByte('\r');
  PutByte(static_cast<uint8_t>(c));
}

void Echo(const char* text, uint32_t size) {
  SpinGuard guard(output_lock);
  while (size-- > 0) Put(*text++, nullptr);
}

// Moves the cursor on the screen. A backspace moves it to the left; to the right it moves by
// printing what is there.
void MoveTo(uint32_t place) {
  for (; cursor > place; --cursor) Echo("\b", 1);
  if (cursor < place) Echo(line + cursor, place - cursor);
  cursor = place;
}

// Replaces `count` characters from the cursor on by `size` others, and moves behind those.
void Replace(uint32_t count, const char* text, uint32_t size) {
  if (line_end - read_at + length - count + size > kInputSize - 1) return;
  const uint32_t old_length = length;
  memmove(line + cursor + size, line + cursor + count, length - cursor - count);
  memcpy(line + cursor, text, size);
  length = length - count + size;
  const uint32_t end = cursor + size;
  MoveTo(length);
  for (uint32_t i = length; i < old_length; ++i) Echo(" ", 1);
  for (uint32_t i = length; i < old_length; ++i) Echo("\b", 1);
  MoveTo(end);
}

void Erase(uint32_t from, uint32_t to) {
  MoveTo(from);
  Replace(to - from, nullptr, 0);
}

// Shows an older line (-1) or a newer one (+1); the one after the newest is empty.
void ShowHistory(int step) {
  const int at = history_at + step;
  if (at < 0 || at < history_count - kHistory || at > history_count) return;
  history_at = at;
  const char* text = at == history_count ? "" : history[at % kHistory];
  MoveTo(0);
  Replace(length, text, strlen(text));
}

// Ends the line with `end`, a newline or Ctrl-D, and gives it to the reader.
void FinishLine(char end) {
  MoveTo(length);
  if (end == '\n') Echo("\n", 1);
  line[length] = 0;
  const char* last = history[(history_count + kHistory - 1) % kHistory];
  if (length > 0 && length < sizeof(history[0]) && strcmp(last, line) != 0) {
    strlcpy(history[history_count++ % kHistory], line, sizeof(history[0]));
  }
  history_at = history_count;
  line[length++] = end;
  // PollConsole() has seen that there is room.
  for (uint32_t i = 0; i < length; ++i) input[line_end++ % kInputSize] = line[i];
  length = cursor = 0;
  Wakeup(&input);
}

// Ctrl-C: ends the program in the foreground, with what was typed ahead for it; without one it only
// drops the line.
void Interrupt() {
  MoveTo(length);
  length = cursor = 0;
  Echo("^C", 2);
  if (KillForeground()) {
    Echo("\n", 1);
    read_at = line_end;
  } else {
    FinishLine('\n');
  }
}

// Arrow keys and their neighbours arrive as Escape [ letter, or Escape [ digit ~.
void EditKey(char key) {
  if (key == 'A') ShowHistory(-1);
  if (key == 'B') ShowHistory(1);
  if (key == 'C' && cursor < length) MoveTo(cursor + 1);
  if (key == 'D' && cursor > 0) MoveTo(cursor - 1);
  if (key == 'H' || key == '1') MoveTo(0);
  if (key == 'F' || key == '4') MoveTo(length);
  if (key == '3' && cursor < length) Erase(cursor, cursor + 1);
}

// Takes the next character of such a key; false if it belongs to none.
bool TakeEscape(char c) {
  if (escape_length == 0 && c != kEscape) return false;
  escape[escape_length++] = c;
  if (escape_length == 1) return true;
  if (escape_length == 2 && (c == '[' || c == 'O')) return true;
  if (escape_length == 3 && c >= '0' && c <= '9') return true;
  if (escape_length >= 3) EditKey(escape[2]);
  escape_length = 0;
  return true;
}

uint32_t WordStart() {
  uint32_t at = cursor;
  while (at > 0 && line[at - 1] == ' ') --at;
  while (at > 0 && line[at - 1] != ' ') --at;
  return at;
}

// One typed character. Requires: input_lock.
void Edit(char c) {
  if (TakeEscape(c)) return;
  switch (c) {
    case Control('C'):
      return Interrupt();
    case Control('P'):
      return ListProcesses();
    case Control('A'):
      return MoveTo(0);
    case Control('E'):
      return MoveTo(length);
    case Control('U'):
      return Erase(0, cursor);
    case Control('K'):
      return Erase(cursor, length);
    case Control('W'):
      return Erase(WordStart(), cursor);
    case '\b':
    case 0x7f:
      if (cursor > 0) Erase(cursor - 1, cursor);
      return;
    case '\r':
    case '\n':
      return FinishLine('\n');
    case Control('D'):
      return FinishLine(c);
    default:
      if (static_cast<uint8_t>(c) >= ' ' || c == '\t') Replace(0, &c, 1);
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
  // Without room for the line being edited the rest stays in the port, where qemu holds it back,
  // until lines have been read. A line that is too long for the buffer loses its end.
  while (line_end - read_at + length + 1 < kInputSize || read_at == line_end) {
    if ((In8(kLineStatus) & 1) == 0) return;
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
    if (c == Control('D')) {
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
