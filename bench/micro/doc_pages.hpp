#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace crawler {

/// A page of the documentation that Debian packages install.
struct DocPage {
  std::string path;
  std::string html;
};

/// About `per_folder` pages of each package that is there (cppreference-doc-en-html, python3-doc,
/// postgresql-doc-15): every n-th, so that all kinds are there and caches are not all they need.
inline std::vector<DocPage> ReadDocPages(std::size_t per_folder) {
  namespace fs = std::filesystem;
  std::vector<DocPage> pages;
  for (const char* folder : {"/usr/share/cppreference/doc/html", "/usr/share/doc/python3-doc/html",
                             "/usr/share/doc/postgresql-doc-15/html"}) {
    std::error_code error;
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
      if (entry.path().extension() == ".html") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    const std::size_t step = std::max<std::size_t>(1, files.size() / per_folder);
    for (std::size_t i = 0; i < files.size(); i += step) {
      std::ifstream in(files[i], std::ios::binary);
      pages.push_back({files[i].string(), std::string(std::istreambuf_iterator<char>(in), {})});
    }
  }
  return pages;
}

inline constexpr const char* kNoDocPages =
    "no pages: install the documentation named in scripts/packages";

}  // namespace crawler
