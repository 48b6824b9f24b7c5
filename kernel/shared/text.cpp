#include "text.hpp"

// The string instructions are used because the compiler would turn a loop here into a call of the
// very function it stands in.
void* memset(void* to, int value, size_t size) {
  void* at = to;
  if (((reinterpret_cast<uintptr_t>(to) | size) & 3) == 0) {
    size /= 4;
    asm volatile("rep stosl" : "+D"(at), "+c"(size) : "a"((value & 0xff) * 0x01010101u) : "memory");
  } else {
    asm volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(value) : "memory");
  }
  return to;
}

void* memcpy(void* to, const void* from, size_t size) {
  void* at = to;
  size_t words = size / 4;
  size &= 3;
  asm volatile("rep movsl" : "+D"(at), "+S"(from), "+c"(words) : : "memory");
  asm volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(size) : : "memory");
  return to;
}

void* memmove(void* to, const void* from, size_t size) {
  auto* target = static_cast<uint8_t*>(to);
  auto* source = static_cast<const uint8_t*>(from);
  if (target <= source || target >= source + size) return memcpy(to, from, size);
  void* at = target + size - 1;
  const void* last = source + size - 1;
  asm volatile("std; rep movsb; cld" : "+D"(at), "+S"(last), "+c"(size) : : "memory");
  return to;
}

int memcmp(const void* a, const void* b, size_t size) {
  auto* left = static_cast<const uint8_t*>(a);
  auto* right = static_cast<const uint8_t*>(b);
  for (; size > 0; --size, ++left, ++right) {
    if (*left != *right) return *left - *right;
  }
  return 0;
}

size_t strlen(const char* text) {
  size_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}

int strcmp(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return static_cast<uint8_t>(*a) - static_cast<uint8_t>(*b);
}

void strlcpy(char* to, const char* from, size_t size) {
  while (size > 1 && *from != 0) *to++ = *from++, --size;
  *to = 0;
}

namespace {

struct Output {
  void (*put)(char c, void* context);
  void* context;

  void Text(const char* text) const {
    if (text == nullptr) text = "(null)";
    while (*text != 0) put(*text++, context);
  }

  void Number(uint32_t value, uint32_t base) const {
    char digits[10];
    int count = 0;
    do {
      digits[count++] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    while (count > 0) put(digits[--count], context);
  }

  void Signed(int32_t value) const {
    if (value < 0) put('-', context);
    Number(value < 0 ? -static_cast<uint32_t>(value) : static_cast<uint32_t>(value), 10);
  }
};

}  // namespace

void FormatText(void (*put)(char c, void* context), void* context, const char* format,
                __builtin_va_list arguments) {
  const Output output{put, context};
  for (; *format != 0; ++format) {
    if (*format != '%' || format[1] == 0) {
      put(*format, context);
      continue;
    }
    switch (*++format) {
      case 'd':
        output.Signed(__builtin_va_arg(arguments, int32_t));
        break;
      case 'u':
        output.Number(__builtin_va_arg(arguments, uint32_t), 10);
        break;
      case 'p':
        output.Text("0x");
        [[fallthrough]];
      case 'x':
        output.Number(__builtin_va_arg(arguments, uint32_t), 16);
        break;
      case 's':
        output.Text(__builtin_va_arg(arguments, const char*));
        break;
      case 'c':
        put(static_cast<char>(__builtin_va_arg(arguments, int)), context);
        break;
      default:
        put(*format, context);
    }
  }
}
