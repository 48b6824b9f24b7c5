#include "parse/extractor.hpp"

#include "parse/tokenizer.hpp"

namespace crawler {
namespace {

std::string Decoded(std::string_view raw) {
  std::string value;
  AppendDecoded(raw, /*in_attribute=*/true, &value);
  return value;
}

}  // namespace

std::string StartTag::name() const {
  // <image> makes an img: the element's name counts, not that of the tag.
  return id_ != TagId::kUnknown ? std::string(TagName(id_)) : NormalizedName(tag_.raw_name);
}

std::optional<std::string> StartTag::Attribute(AttrId id) const {
  if (!tag_.attributes.Has(id)) return std::nullopt;
  return Decoded(tag_.attributes.RawValue(id));
}

std::optional<std::string> StartTag::Attribute(std::string_view lower_case_name) const {
  std::optional<std::string_view> raw;
  bool self_closing = false;
  const std::string_view source = tag_.raw_attributes;
  ParseAttributes(scanner_, source.data(), source.data() + source.size(), &self_closing,
                  [&](const NameKey&, const struct Attribute& attribute) {
                    // The first of several attributes with one name counts.
                    if (!raw && NormalizedName(attribute.raw_name) == lower_case_name) {
                      raw = attribute.raw_value;
                    }
                  });
  if (!raw) return std::nullopt;
  return Decoded(*raw);
}

}  // namespace crawler
