/* Crawls two pages that link to each other; exits 0 if that is what it saw. */
#include <crawler/crawler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int edges;

static char* fetch(char* link) {
  const char* text = strcmp(link, "a") == 0 ? "link:b" : "link:a";
  char* copy = malloc(strlen(text) + 1);
  return copy == NULL ? NULL : strcpy(copy, text);
}

/* One parse worker: no two calls at a time. */
static void edge(char* from, char* to) { edges += strcmp(from, to) != 0; }

int main(int argc, char** argv) {
  char start[] = "a";
  if (argc > 1 && strcmp(argv[1], "--version") == 0) return puts(crawl_version()) < 0;
  return crawl(start, 2, 1, 1, fetch, edge) == 0 && edges == 2 ? 0 : 1;
}
