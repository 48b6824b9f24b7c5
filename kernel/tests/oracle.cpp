// oracle ROOT START: the edges of a `link:` site, found one page after the other by a second, plain
// reading of the format; what the crawl on the kernel has to agree with.
#include <deque>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string root = argv[1];
  std::deque<std::string> queue{argv[2]};
  std::set<std::string> seen{argv[2]};
  for (; !queue.empty(); queue.pop_front()) {
    const std::string from = queue.front();
    std::ifstream file(root + "/" + from, std::ios::binary);
    if (!file) continue;
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (size_t at = 0; (at = text.find("link:", at)) != std::string::npos;) {
      const bool stands_alone =
          at == 0 || std::string(" \t\n\v\f\r").find(text[at - 1]) != std::string::npos;
      at += 5;
      if (!stands_alone) continue;
      const std::string to = text.substr(at, text.find_first_of(" \n", at) - at);
      at += to.size();
      if (to.empty()) continue;
      std::cout << "EDGE " << from << ' ' << to << '\n';
      if (seen.insert(to).second) queue.push_back(to);
    }
  }
  return 0;
}
