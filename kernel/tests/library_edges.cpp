// library_edges ROOT START: the edges that libcrawler.so reports for the same pages.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <mutex>
#include <string>

#include "crawler/crawler.h"

namespace {

std::string root;
std::mutex output;

char* Fetch(char* address) {
  std::ifstream file(root + "/" + address, std::ios::binary);
  if (!file) return nullptr;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return strdup(text.c_str());
}

void Edge(char* from, char* to) {
  const std::lock_guard<std::mutex> guard(output);
  std::cout << "EDGE " << from << ' ' << to << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  root = argv[1];
  return crawl(argv[2], 3, 2, 4, Fetch, Edge) == 0 ? 0 : 1;
}
