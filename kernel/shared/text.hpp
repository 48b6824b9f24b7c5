#pragma once

#include <stddef.h>
#include <stdint.h>

/// Memory and strings. The compiler itself may call the first four.
extern "C" {
void* memset(void* to, int value, size_t size);
void* memcpy(void* to, const void* from, size_t size);
void* memmove(void* to, const void* from, size_t size);
int memcmp(const void* a, const void* b, size_t size);
}

size_t strlen(const char* text);
int strcmp(const char* a, const char* b);
/// Copies at most `size` - 1 characters and always terminates.
void strlcpy(char* to, const char* from, size_t size);

/// Formats with %d %u %x %p %s %c %%, calling `put` for every character.
void FormatText(void (*put)(char c, void* context), void* context, const char* format,
                __builtin_va_list arguments);
