/* libcrawler: crawl anything that has links.
 *
 * The caller brings two callbacks: one fetches the content behind an address, the other is called
 * for every link found. The library brings the threads, the queues, the deduplication and a clean
 * end.
 *
 * Conventions:
 * - The library never prints, exits or aborts. It is silent unless a log callback is set.
 * - Callbacks run on threads of the library, several at a time, with no lock held: they may block,
 *   and may start a crawl of their own. They must not end their thread. If a callback written in
 *   C++ throws, the crawl ends with CRAWL_FAILED and the message in crawl_error(); `free_content`
 *   must not throw.
 * - Strings given to callbacks belong to the library, must not be changed, and stay valid until
 *   the call that runs the crawl returns. The same address is always the same pointer.
 * - Structures grow at the end only, and callers pass the size that they know: a program built
 *   against an older header goes on working.
 */
#ifndef CRAWLER_CRAWLER_H_
#define CRAWLER_CRAWLER_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CRAWLER_EXPORT __attribute__((visibility("default")))
#else
#define CRAWLER_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Crawls everything that can be reached from `start_url`, and returns when all of it has been
 * visited and every thread has ended.
 *
 * `download_workers` threads take addresses from the links queue and call `fetch_fn`, which returns
 * the page as a NUL-terminated string from malloc() (the library frees it with free()), or NULL if
 * there is none: a broken link. `parse_workers` threads look for links in the pages and call
 * `edge_fn` for each of them as it is queued.
 *
 * - The links queue holds at most `queue_size` addresses; a parser waits while it is full. The
 *   queue of fetched pages is unbounded, so downloaders never wait for parsers.
 * - Each address is fetched once. `edge_fn` is called for every occurrence of a link, also to a
 *   page seen before, to the page itself, or to a broken one; a page's links come in its order.
 * - A link is `link:` at the start of the page or after white space (space, newline, tab, carriage
 *   return, vertical tab, form feed). Its address is every byte up to a space, a newline or the
 *   end; tabs and carriage returns are part of it. An empty address is no link.
 *
 * Returns 0 when all has been visited (also if the start page is broken), and -1, with nothing left
 * running and nothing leaked, for bad arguments (a null pointer, an empty start, fewer than one
 * worker of a kind, a queue size below one) or when threads or memory cannot be had. */
CRAWLER_EXPORT int crawl(char* start_url, int download_workers, int parse_workers, int queue_size,
                         char* (*fetch_fn)(char* link), void (*edge_fn)(char* from, char* to));

/* -- The same crawl with more options -----------------------------------------------------------
 *
 *     crawl_options options;
 *     crawl_options_init(&options, sizeof options);
 *     options.start_url = "a.html";
 *     options.fetch = my_fetch;
 *     options.edge = my_edge;
 *     crawl_job *job = crawl_open(&options);        // NULL: a bad option, or no memory
 *     if (job) crawl_run(job);                      // crawl_stop(job) ends it early
 *     crawl_close(job);
 */

/* A crawl: opened, run once, closed. */
typedef struct crawl_job crawl_job;

/* Where a parser callback reports its links. Valid during that callback only. */
typedef struct crawl_links crawl_links;

/* An address and its length; `data` is NUL-terminated, but an address may hold NULs of its own. */
typedef struct crawl_address {
  const char* data;
  size_t length;
} crawl_address;

/* A fetched page on its way through a parser. */
typedef struct crawl_page {
  crawl_address address;
  const char* content;
  size_t content_length;
  unsigned depth; /* Links followed from the start page, which has depth 0. */
} crawl_page;

/* Left in `*length` by a fetch callback whose content is a NUL-terminated string. */
#define CRAWL_NUL_TERMINATED ((size_t)-1)

/* No limit, for the `max_` options. */
#define CRAWL_UNLIMITED UINT64_MAX

/* The options of a crawl. Callbacks get `user` as their first argument. */
typedef struct crawl_options {
  size_t size; /* Size of this structure; set by crawl_options_init(). */

  const char* start_url; /* Where to start; required, and copied by crawl_open(). */
  void* user;            /* Passed to every callback. Default: NULL. */

  /* Returns the content behind `address`, or NULL if it is broken. `*length` holds
   * CRAWL_NUL_TERMINATED; set it if the content may hold NULs. Required. */
  char* (*fetch)(void* user, crawl_address address, size_t* length);

  /* Releases the content that `fetch` returned. Default: free(). */
  void (*free_content)(void* user, char* content, size_t length);

  /* Finds the links of a page and hands each to crawl_emit(). Default: the `link:` format. */
  void (*parse)(void* user, const crawl_page* page, crawl_links* links);

  /* Called for every link, as it is queued. Default: NULL. */
  void (*edge)(void* user, crawl_address from, crawl_address to);

  /* Gets log lines of `log_level` and above, without newline; level 0 debug, 1 info, 2 warning,
   * 3 error. Debug lines tell of queue sizes, blocked parsers and workers. Default: NULL. */
  void (*log)(void* user, int level, const char* line);

  int download_workers; /* Threads that call `fetch`. Default: 4. */
  int parse_workers;    /* Threads that call `parse` and `edge`. Default: 2. */
  int queue_size;       /* Addresses that may wait to be fetched. Default: 1000. */

  /* At most this many calls of `fetch`, exactly; links beyond are reported, not followed.
   * Default: CRAWL_UNLIMITED. */
  uint64_t max_pages;

  /* Pages further than this many links from the start are not fetched; links to them are still
   * reported. Exact: with a limit the crawl goes level by level, and addresses that wait for the
   * next level are not bounded by `queue_size`. Default: CRAWL_UNLIMITED. */
  uint64_t max_depth;

  int log_level; /* The lowest level of lines that `log` gets, 0 to 3. Default: 1, info. */
} crawl_options;

/* How a run ended. */
enum {
  CRAWL_FAILED = -1, /* Threads or memory could not be had, or the job was run before. */
  CRAWL_DONE = 0,    /* Everything within the limits was visited. */
  CRAWL_STOPPED = 1  /* crawl_stop() ended it. */
};

/* Statistics of a crawl so far. */
typedef struct crawl_stats {
  uint64_t pages_fetched;     /* Calls of `fetch` that gave content. */
  uint64_t pages_broken;      /* Calls of `fetch` that gave none. */
  uint64_t bytes_fetched;     /* Length of all content. */
  uint64_t edges;             /* Links found. */
  uint64_t duplicates;        /* Links to an address that was known already. */
  uint64_t links_queue_high;  /* The most addresses that ever waited to be fetched. */
  uint64_t parser_blocked_ns; /* Time parsers spent waiting for room in the links queue, in all. */
  uint64_t elapsed_ns;        /* Since the run began; until it ended, if it has. */
  int download_workers;
  int parse_workers;
  /* Time in finished calls of `fetch`, all workers together. A worker that has no break between two
   * calls counts the time between them, which is some microseconds at most. Same for parse_ns. */
  uint64_t fetch_ns;
  uint64_t parse_ns;         /* Time in finished calls of `parse`, without parser_blocked_ns. */
  uint64_t pages_queue_high; /* The most pages that ever waited to be parsed. */
} crawl_stats;

/* Fills in the defaults; `size` is sizeof(crawl_options). */
CRAWLER_EXPORT void crawl_options_init(crawl_options* options, size_t size);

/* Checks `options` and copies them. NULL if one is invalid or memory is short; crawl_error() says
 * which. */
CRAWLER_EXPORT crawl_job* crawl_open(const crawl_options* options);

/* Why the last crawl_open() or crawl_run() of the calling thread failed; "" if it did not. Valid
 * until the thread's next such call. */
CRAWLER_EXPORT const char* crawl_error(void);

/* Runs the crawl, once, and returns when every thread has ended: CRAWL_DONE, CRAWL_STOPPED or
 * CRAWL_FAILED. */
CRAWLER_EXPORT int crawl_run(crawl_job* job);

/* Ends a run early, from any thread or callback, before it starts or while it runs: nothing new is
 * fetched or parsed, callbacks under way finish. Does not wait. Idempotent; no-op on NULL. */
CRAWLER_EXPORT void crawl_stop(crawl_job* job);

/* Reports one link of the page being parsed: calls `edge`, and queues the address if it is new,
 * waiting for room. Returns 0, or -1 once the crawl is ending: the parser may then return early.
 * An empty address is no link. One call at a time for a page: a parser with threads of its own lets
 * them take turns. */
CRAWLER_EXPORT int crawl_emit(crawl_links* links, const char* address, size_t length);

/* Copies the statistics, at any time between open and close; `size` is sizeof(crawl_stats). */
CRAWLER_EXPORT void crawl_get_stats(const crawl_job* job, crawl_stats* stats, size_t size);

/* Pages fetched (broken ones included) by download worker `worker`; 0 if there is none such. */
CRAWLER_EXPORT uint64_t crawl_worker_pages(const crawl_job* job, int worker);

/* Links found by parse worker `worker`; 0 if there is none such. */
CRAWLER_EXPORT uint64_t crawl_worker_edges(const crawl_job* job, int worker);

/* Nanoseconds that download worker `worker` has spent in finished calls of `fetch`; 0 if there is
 * no such worker. */
CRAWLER_EXPORT uint64_t crawl_worker_fetch_ns(const crawl_job* job, int worker);

/* Nanoseconds that parse worker `worker` has spent in finished calls of `parse`, without the time
 * it waited for room in the links queue; 0 if there is no such worker. */
CRAWLER_EXPORT uint64_t crawl_worker_parse_ns(const crawl_job* job, int worker);

/* Frees the job; no-op on NULL. It must not be running. */
CRAWLER_EXPORT void crawl_close(crawl_job* job);

/* The library's version, e.g. "0.1.0". */
CRAWLER_EXPORT const char* crawl_version(void);

#ifdef __cplusplus
}
#endif

#endif /* CRAWLER_CRAWLER_H_ */
