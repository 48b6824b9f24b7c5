#include "user.hpp"

// crawl START DOWNLOADERS PARSERS QUEUE: follows `link:` addresses, which are names of files, from
// START on, and prints each link as "EDGE from to". The crawl of the library, on this kernel's
// threads:
//
//     links queue (bounded) -> downloaders -> pages queue (unbounded) -> parsers -> links queue
//
// A downloader never waits for a parser, so a parser that waits for room in the links queue always
// gets it: nothing can deadlock.
namespace {

constexpr int kMaxWorkers = 20;
constexpr uint32_t kBuckets = 256;
// What can be opened too; and the console would wait for somebody to type.
constexpr const char* kNoFiles[] = {"console", "/", "."};

struct Seen {
  Seen* next;
  char address[];
};

struct Page {
  Page* next;
  const char* address;
  char text[];
};

// One lock guards all of it.
lock_t lock;
cond_t link_added, link_taken, page_added;
Seen* seen[kBuckets];
const char** links;  // A ring of `queue_size`.
uint32_t queue_size, first_link, link_count;
Page *first_page, *last_page;
uint32_t unfinished;  // Addresses accepted, but not yet parsed or found missing.
int downloaders, parsers, fetched;
int program_pid;

// There is no way to go on without memory: ends all threads.
void* Allocate(uint32_t size) {
  void* memory = malloc(size);
  if (memory != nullptr) return memory;
  printf("crawl: no memory\n");
  kill(program_pid);
  exit(1);
}

// The remembered copy of an address if it is new, else null. Requires: the lock.
const char* Remember(const char* address, uint32_t length) {
  uint32_t hash = 5381;
  for (uint32_t i = 0; i < length; ++i) hash = hash * 33 + static_cast<uint8_t>(address[i]);
  Seen*& bucket = seen[hash % kBuckets];
  for (Seen* each = bucket; each != nullptr; each = each->next) {
    if (strlen(each->address) == length && memcmp(each->address, address, length) == 0) {
      return nullptr;
    }
  }
  auto* entry = static_cast<Seen*>(Allocate(sizeof(Seen) + length + 1));
  memcpy(entry->address, address, length);
  entry->address[length] = 0;
  entry->next = bucket;
  bucket = entry;
  return entry->address;
}

void AddLink(const char* address, uint32_t length) {
  lock_acquire(&lock);
  const char* link = Remember(address, length);
  if (link != nullptr) {
    ++unfinished;
    while (link_count == queue_size) cv_wait(&link_taken, &lock);
    links[(first_link + link_count++) % queue_size] = link;
    cv_signal(&link_added);
  }
  lock_release(&lock);
}

// One address less; the last one sends everybody home.
void Finish() {
  lock_acquire(&lock);
  if (--unfinished == 0) {
    for (int i = 0; i < downloaders; ++i) cv_signal(&link_added);
    for (int i = 0; i < parsers; ++i) cv_signal(&page_added);
  }
  lock_release(&lock);
}

// The contents of a file with a zero at their end; null if there is no such file.
Page* Fetch(const char* address) {
  for (const char* other : kNoFiles) {
    if (strcmp(address, other) == 0) return nullptr;
  }
  const int file = open(address);
  if (file < 0) return nullptr;
  uint32_t room = 512, used = 0;
  auto* page = static_cast<Page*>(Allocate(sizeof(Page) + room));
  int size;
  while ((size = read(file, page->text + used, static_cast<int>(room - used - 1))) > 0) {
    used += static_cast<uint32_t>(size);
    if (used < room - 1) continue;
    auto* larger = static_cast<Page*>(Allocate(sizeof(Page) + 2 * room));
    memcpy(larger->text, page->text, used);
    free(page);
    page = larger;
    room *= 2;
  }
  close(file);
  page->text[used] = 0;
  page->address = address;
  page->next = nullptr;
  return page;
}

void Download(void* /*argument*/) {
  for (;;) {
    lock_acquire(&lock);
    while (link_count == 0 && unfinished > 0) cv_wait(&link_added, &lock);
    if (link_count == 0) break;
    const char* address = links[first_link];
    first_link = (first_link + 1) % queue_size;
    --link_count;
    cv_signal(&link_taken);
    lock_release(&lock);

    Page* page = Fetch(address);
    if (page == nullptr) {
      Finish();
      continue;
    }
    lock_acquire(&lock);
    (first_page == nullptr ? first_page : last_page->next) = page;
    last_page = page;
    ++fetched;
    cv_signal(&page_added);
    lock_release(&lock);
  }
  lock_release(&lock);
  exit();
}

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool StartsWith(const char* text, const char* start) {
  while (*start != 0 && *text == *start) ++text, ++start;
  return *start == 0;
}

// The next link at or after `at`: the end of its address, which begins at `*begin`; null if there
// is none. A link is `link:` at the start or after white space, and its address, which is not
// empty, goes up to a space, a new line, or the end.
const char* NextLink(const char* text, const char* at, const char** begin) {
  for (; *at != 0; ++at) {
    if ((at != text && !IsBlank(at[-1])) || !StartsWith(at, "link:")) continue;
    const char* end = at + 5;
    while (*end != 0 && *end != ' ' && *end != '\n') ++end;
    if (end == at + 5) continue;
    *begin = at + 5;
    return end;
  }
  return nullptr;
}

// By one write(), so that the lines of several parsers do not mix.
void PrintEdge(const char* from, const char* to, uint32_t to_length) {
  const uint32_t from_length = strlen(from);
  auto* line = static_cast<char*>(Allocate(from_length + to_length + 7));
  memcpy(line, "EDGE ", 5);
  memcpy(line + 5, from, from_length);
  line[5 + from_length] = ' ';
  memcpy(line + 6 + from_length, to, to_length);
  line[6 + from_length + to_length] = '\n';
  write(1, line, static_cast<int>(from_length + to_length + 7));
  free(line);
}

void Parse(void* /*argument*/) {
  for (;;) {
    lock_acquire(&lock);
    while (first_page == nullptr && unfinished > 0) cv_wait(&page_added, &lock);
    if (first_page == nullptr) break;
    Page* page = first_page;
    first_page = page->next;
    lock_release(&lock);

    const char* begin;
    for (const char* at = page->text; (at = NextLink(page->text, at, &begin)) != nullptr;) {
      const auto length = static_cast<uint32_t>(at - begin);
      PrintEdge(page->address, begin, length);
      AddLink(begin, length);
    }
    free(page);
    Finish();
  }
  lock_release(&lock);
  exit();
}

int Number(const char* text, int low, int high) {
  int value = 0;
  for (; *text >= '0' && *text <= '9' && value <= high; ++text) value = value * 10 + (*text - '0');
  return *text == 0 && value >= low && value <= high ? value : -1;
}

}  // namespace

int main(int argc, char** argv) {
  downloaders = argc == 5 ? Number(argv[2], 1, kMaxWorkers) : -1;
  parsers = argc == 5 ? Number(argv[3], 1, kMaxWorkers) : -1;
  const int size = argc == 5 ? Number(argv[4], 1, 10000) : -1;
  if (downloaders < 0 || parsers < 0 || size < 0) {
    printf("usage: crawl START DOWNLOADERS PARSERS QUEUE\n");
    return 1;
  }
  program_pid = getpid();
  queue_size = static_cast<uint32_t>(size);
  links = static_cast<const char**>(Allocate(queue_size * sizeof(links[0])));
  AddLink(argv[1], strlen(argv[1]));
  for (int i = 0; i < downloaders + parsers; ++i) {
    if (thread_create(i < downloaders ? Download : Parse, nullptr) < 0) {
      printf("crawl: cannot create a thread\n");
      return 1;
    }
  }
  while (thread_join() > 0) {
  }
  printf("%d pages\n", fetched);
  return 0;
}
