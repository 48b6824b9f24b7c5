/* Crawls a folder of `link:` files and prints the graph.
 *
 *     crawl_folder FOLDER START      e.g. crawl_folder examples/site index
 *
 * An address is the name of a file in the folder. */
#include <crawler/crawler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* folder;

/* The content of a file as a string, or NULL if it cannot be read. */
static char* read_file(const char* path) {
  FILE* file = fopen(path, "rb");
  char* text = NULL;
  size_t size = 0, capacity = 0, got;
  if (file == NULL) return NULL;
  do {
    char* bigger;
    capacity = capacity * 2 + 4096;
    bigger = realloc(text, capacity);
    if (bigger == NULL) break;
    text = bigger;
    got = fread(text + size, 1, capacity - size - 1, file);
    size += got;
  } while (size + 1 == capacity);
  if (text != NULL && (ferror(file) || size + 1 == capacity)) {
    free(text);
    text = NULL;
  }
  fclose(file);
  if (text != NULL) text[size] = '\0';
  return text;
}

static char* fetch(char* link) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/%s", folder, link);
  /* A page must not lead out of the folder. */
  if (length < 0 || (size_t)length >= sizeof path || strstr(link, "..") != NULL) return NULL;
  return read_file(path);
}

/* Called by several threads; printf() locks stdout for each line. */
static void edge(char* from, char* to) { printf("%s -> %s\n", from, to); }

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s FOLDER START\n", argv[0]);
    return 2;
  }
  folder = argv[1];
  if (crawl(argv[2], 4, 2, 16, fetch, edge) != 0) {
    fprintf(stderr, "%s: the crawl failed: %s\n", argv[0], crawl_error());
    return 1;
  }
  return 0;
}
