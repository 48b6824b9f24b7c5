#include "parse/meta_fields.hpp"

#include "base/ascii.hpp"

namespace crawler {
namespace {

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

void MetaFields::OnStartTag(const StartTag& tag, ExtractorOutput& out) {
  if (tag.id() != TagId::kMeta || tag.name_space() != Namespace::kHtml) return;
  std::optional<std::string> name = tag.Attribute(AttrId::kProperty);
  if (!name) name = tag.Attribute(AttrId::kName);
  const std::optional<std::string> content = tag.Attribute(AttrId::kContent);
  if (!name || !content) return;
  for (char& c : *name) c = Lower(c);
  const std::string_view key = Trimmed(*name);
  const std::string_view value = Trimmed(*content);
  if (!key.empty() && !value.empty()) out.AddField(key, value);
}

}  // namespace crawler
