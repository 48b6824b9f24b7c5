/* The whole of crawler.h from C99: every function is called, every member is named. */
#include <crawler/crawler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                             \
    }                                                                         \
  } while (0)

/* A site of three pages and a broken link; one worker a pool, so plain counters will do. */
static const char* const pages[][2] = {
    {"a", "link:b link:c"}, {"b", "link:a\nlink:gone"}, {"c", "no link:"}};

static char* find_page(const char* address) {
  size_t i;
  for (i = 0; i < sizeof pages / sizeof pages[0]; ++i) {
    if (strcmp(address, pages[i][0]) == 0) {
      char* const copy = malloc(strlen(pages[i][1]) + 1);
      return copy != NULL ? strcpy(copy, pages[i][1]) : NULL;
    }
  }
  return NULL;
}

static char edges[100];

static void add_edge(const char* from, const char* to) {
  strcat(strcat(strcat(strcat(edges, from), ">"), to), " ");
}

static char* plain_fetch(char* link) { return find_page(link); }
static void plain_edge(char* from, char* to) { add_edge(from, to); }

struct world {
  crawl_job* job;
  int fetched, freed, parsed, logged;
};

static char* fetch(void* user, crawl_address address, size_t* length) {
  char* const content = find_page(address.data);
  ++((struct world*)user)->fetched;
  CHECK(strlen(address.data) == address.length);
  CHECK(*length == CRAWL_NUL_TERMINATED);
  if (content != NULL) *length = strlen(content);
  return content;
}

static void free_content(void* user, char* content, size_t length) {
  ++((struct world*)user)->freed;
  CHECK(length <= 20);
  free(content);
}

/* Links to the next letter, up to "d". */
static void parse(void* user, const crawl_page* page, crawl_links* links) {
  const char next = (char)(page->address.data[0] + 1);
  ++((struct world*)user)->parsed;
  CHECK(page->content_length == strlen(page->content));
  CHECK(page->depth == (unsigned)(page->address.data[0] - 'a'));
  CHECK(crawl_emit(links, &next, 1) == 0);
}

static void edge(void* user, crawl_address from, crawl_address to) {
  (void)user;
  add_edge(from.data, to.data);
}

static void write_log(void* user, int level, const char* line) {
  ++((struct world*)user)->logged;
  CHECK(level >= 0 && level <= 3);
  CHECK(strchr(line, '\n') == NULL);
}

static char* stopping_fetch(void* user, crawl_address address, size_t* length) {
  crawl_stop(((struct world*)user)->job);
  return fetch(user, address, length);
}

static void fill(crawl_options* options, struct world* world) {
  crawl_options_init(options, sizeof *options);
  CHECK(options->size == sizeof *options);
  options->start_url = "a";
  options->user = world;
  options->fetch = fetch;
  options->free_content = free_content;
  options->parse = parse;
  options->edge = edge;
  options->log = write_log;
  options->download_workers = 1;
  options->parse_workers = 1;
  options->queue_size = 1;
  options->max_pages = CRAWL_UNLIMITED;
  options->max_depth = CRAWL_UNLIMITED;
}

int main(void) {
  struct world world = {NULL, 0, 0, 0, 0};
  crawl_options options;
  crawl_stats stats;
  char start[] = "a";

  CHECK(crawl(start, 1, 1, 1, plain_fetch, plain_edge) == 0);
  CHECK(strcmp(edges, "a>b a>c b>a b>gone ") == 0);
  CHECK(crawl(NULL, 1, 1, 1, plain_fetch, plain_edge) == -1);

  edges[0] = '\0';
  fill(&options, &world);
  world.job = crawl_open(&options);
  CHECK(world.job != NULL);
  CHECK(strcmp(crawl_error(), "") == 0);
  CHECK(crawl_run(world.job) == CRAWL_DONE);
  CHECK(strcmp(edges, "a>b b>c c>d ") == 0);
  CHECK(world.fetched == 4 && world.freed == 3 && world.parsed == 3 && world.logged > 0);
  crawl_get_stats(world.job, &stats, sizeof stats);
  CHECK(stats.pages_fetched == 3 && stats.pages_broken == 1 && stats.edges == 3);
  CHECK(stats.bytes_fetched == 13 + 16 + 8 && stats.duplicates == 0);
  CHECK(stats.links_queue_high == 1 && stats.parser_blocked_ns == 0 && stats.elapsed_ns > 0);
  CHECK(stats.download_workers == 1 && stats.parse_workers == 1);
  CHECK(crawl_worker_pages(world.job, 0) == 4 && crawl_worker_pages(world.job, 1) == 0);
  CHECK(crawl_worker_edges(world.job, 0) == 3 && crawl_worker_edges(world.job, 1) == 0);
  CHECK(crawl_run(world.job) == CRAWL_FAILED);
  CHECK(strcmp(crawl_error(), "") != 0);
  crawl_close(world.job);

  fill(&options, &world);
  options.fetch = stopping_fetch;
  world.job = crawl_open(&options);
  CHECK(crawl_run(world.job) == CRAWL_STOPPED);
  crawl_close(world.job);

  fill(&options, &world);
  options.fetch = NULL;
  CHECK(crawl_open(&options) == NULL);
  CHECK(strcmp(crawl_error(), "") != 0);

  CHECK(strchr(crawl_version(), '.') != NULL);
  if (failures == 0) printf("crawler.h works from C99, version %s\n", crawl_version());
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
