#include "corpus.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <unordered_map>

#include "parse/html_extractor.hpp"

namespace crawler {
namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return std::move(bytes).str();
}

/// The words of a text, one after another.
template <typename Take>
void EachWord(const std::string& text, Take take) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    take(begin, end);
    begin = end + 1;
  }
}

/// Those that end within `size` bytes.
std::vector<PageSlice> Within(const std::vector<PageSlice>& slices, std::size_t size) {
  std::vector<PageSlice> kept;
  for (const PageSlice& slice : slices) {
    if (std::size_t{slice.offset} + slice.size <= size) kept.push_back(slice);
  }
  return kept;
}

/// Marks in a copy of a text, whose words have other lengths, what is marked in the text.
class SliceCopier {
 public:
  SliceCopier(const std::vector<PageSlice>& from, std::vector<PageSlice>* to)
      : from_(from), to_(*to) {}

  /// The word at `begin` of the text is from `copy_begin` to `copy_end` in the copy.
  void Add(std::size_t begin, std::size_t copy_begin, std::size_t copy_end) {
    while (next_ < from_.size() && begin >= std::size_t{from_[next_].offset} + from_[next_].size) {
      ++next_;
      inside_ = false;
    }
    if (next_ == from_.size() || begin < from_[next_].offset) return;
    if (!inside_) to_.push_back({static_cast<std::uint32_t>(copy_begin), 0});
    inside_ = true;
    to_.back().size = static_cast<std::uint32_t>(copy_end - to_.back().offset);
  }

 private:
  const std::vector<PageSlice>& from_;
  std::vector<PageSlice>& to_;
  std::size_t next_ = 0;
  bool inside_ = false;  // The last of to_ goes on.
};

}  // namespace

Corpus::Corpus(const std::vector<std::string>& folders, std::size_t max_text) {
  HtmlExtractor extractor;
  Page page;
  std::unordered_map<std::string, std::size_t> numbers;
  std::vector<std::vector<std::pair<std::string, std::string>>> links;
  for (const std::string& folder : folders) {
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (std::filesystem::recursive_directory_iterator at(folder, error), end; at != end;
         at.increment(error)) {
      if (at->path().extension() == ".html" && at->is_regular_file(error)) {
        files.push_back(at->path());
      }
    }
    std::sort(files.begin(), files.end());
    for (const std::filesystem::path& file : files) {
      Url url;
      const std::string name = "http://docs.example" + file.string();
      if (ParseUrl(name, nullptr, &url) != UrlKind::kFollowable) continue;
      extractor.Extract(ReadFile(file), url, &page);
      numbers.emplace(url.href(), pages_.size());
      CorpusPage& kept = pages_.emplace_back();
      kept.url = url.href();
      std::set<std::string> seen;
      links.emplace_back();
      for (const Link& link : page.links) {
        std::string to(page.UrlOf(link).substr(0, page.UrlOf(link).find('#')));
        if (link.source != LinkSource::kAHref || !seen.insert(to).second) continue;
        links.back().emplace_back(std::move(to), page.TextOf(link));
      }
      kept.title = page.title;
      kept.text = page.text.substr(0, page.text.find(' ', max_text));
      kept.headings = Within(page.headings, kept.text.size());
      kept.link_blocks = Within(page.link_blocks, kept.text.size());
      EachWord(kept.text, [&](std::size_t begin, std::size_t end) {
        if (words_.size() < 4'000'000) words_.push_back(kept.text.substr(begin, end - begin));
      });
    }
  }
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    for (auto& [url, text] : links[i]) {
      const auto to = numbers.find(url);
      if (to != numbers.end()) pages_[i].links.emplace_back(to->second, std::move(text));
    }
  }
}

CorpusPage Corpus::Get(std::size_t number) const {
  const CorpusPage& original = pages_[number % pages_.size()];
  if (number < pages_.size()) return original;
  std::mt19937 random(static_cast<unsigned>(number));
  CorpusPage page;
  const std::size_t copy = number / pages_.size();
  page.url = original.url + "?copy=" + std::to_string(copy);
  page.title = original.title + " " + Word(random);
  page.links = original.links;
  for (auto& [to, text] : page.links) to += copy * pages_.size();
  SliceCopier headings(original.headings, &page.headings);
  SliceCopier link_blocks(original.link_blocks, &page.link_blocks);
  EachWord(original.text, [&](std::size_t begin, std::size_t end) {
    const std::size_t at = page.text.size();
    const unsigned chance = random() % 100;
    if (chance < 32) {
      page.text += Word(random);
    } else if (chance == 32) {
      page.text += "w" + std::to_string(random() % 100'000'000);
    } else {
      page.text.append(original.text, begin, end - begin);
    }
    headings.Add(begin, at, page.text.size());
    link_blocks.Add(begin, at, page.text.size());
    page.text.push_back(end < original.text.size() ? original.text[end] : '\n');
  });
  return page;
}

}  // namespace crawler
