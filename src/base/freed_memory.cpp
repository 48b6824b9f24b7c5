#include "base/freed_memory.hpp"

#include <cstdlib>  // Defines __GLIBC__.
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace crawler {

void ReturnFreedMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace crawler
