#include "parse/tokenizer.hpp"

#include <algorithm>

namespace crawler {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// A cursor over the inside of a document type declaration.
class DoctypeReader {
 public:
  DoctypeReader(std::string_view raw, bool ended) : rest_(raw), ended_(ended) {}

  Doctype Read() {
    SkipSpaces();
    if (rest_.empty()) return Quirks();
    const std::size_t name_size =
        static_cast<std::size_t>(std::find_if(rest_.begin(), rest_.end(), IsSpace) - rest_.begin());
    doctype_.name = NormalizedName(rest_.substr(0, name_size));
    doctype_.has_name = true;
    rest_.remove_prefix(name_size);
    SkipSpaces();
    if (rest_.empty()) return ended_ ? doctype_ : Quirks();

    const std::string keyword = rest_.size() >= 6 ? NormalizedName(rest_.substr(0, 6)) : "";
    if (keyword != "public" && keyword != "system") return Quirks();
    rest_.remove_prefix(6);
    SkipSpaces();
    if (keyword == "public") {
      if (!ReadQuoted(&doctype_.public_id, &doctype_.has_public_id)) return Quirks();
      SkipSpaces();
      if (rest_.empty()) return ended_ ? doctype_ : Quirks();
    }
    if (!ReadQuoted(&doctype_.system_id, &doctype_.has_system_id)) return Quirks();
    SkipSpaces();
    // Anything behind the system identifier is ignored, except for the end of the input there.
    if (rest_.empty() && !ended_) return Quirks();
    return doctype_;
  }

 private:
  Doctype Quirks() {
    doctype_.force_quirks = true;
    return doctype_;
  }

  void SkipSpaces() {
    while (!rest_.empty() && IsSpace(rest_.front())) rest_.remove_prefix(1);
  }

  // False when there is no quote, or the closing one is missing.
  bool ReadQuoted(std::string* value, bool* has_value) {
    if (rest_.empty() || (rest_.front() != '"' && rest_.front() != '\'')) return false;
    const std::size_t close = rest_.find(rest_.front(), 1);
    *has_value = true;
    AppendNormalized(rest_.substr(1, close == rest_.npos ? close : close - 1), true, value);
    if (close == rest_.npos) return false;
    rest_.remove_prefix(close + 1);
    return true;
  }

  std::string_view rest_;
  const bool ended_;
  Doctype doctype_;
};

}  // namespace

Doctype ParseDoctype(std::string_view raw, bool ended) { return DoctypeReader(raw, ended).Read(); }

std::string NormalizedName(std::string_view raw) {
  std::string name;
  name.reserve(raw.size());
  for (const char c : raw) {
    if (c == '\0') {
      name += kReplacement;
    } else {
      name += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
  }
  return name;
}

void AppendNormalized(std::string_view raw, bool replace_nul, std::string* out) {
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\r') {
      out->push_back('\n');
      if (i + 1 < raw.size() && raw[i + 1] == '\n') ++i;
    } else if (raw[i] == '\0' && replace_nul) {
      out->append(kReplacement);
    } else {
      out->push_back(raw[i]);
    }
  }
}

}  // namespace crawler
