#include "model/page.hpp"

#include <array>

namespace crawler {
namespace {

struct SourceNames {
  std::string_view tag;
  std::string_view attribute;
};

#define CRAWLER_NAMES(id, tag, attribute) SourceNames{tag, attribute},
constexpr auto kSourceNames = std::to_array<SourceNames>({CRAWLER_LINK_SOURCES(CRAWLER_NAMES)});
#undef CRAWLER_NAMES

}  // namespace

std::string_view LinkTag(LinkSource source) {
  return kSourceNames[static_cast<std::size_t>(source)].tag;
}

std::string_view LinkAttribute(LinkSource source) {
  return kSourceNames[static_cast<std::size_t>(source)].attribute;
}

bool IsNavigation(const Link& link) {
  switch (link.source) {
    case LinkSource::kAHref:
    case LinkSource::kAreaHref:
    case LinkSource::kFrameSrc:
    case LinkSource::kIframeSrc:
    case LinkSource::kMetaContent:
    case LinkSource::kSvgAHref:
    case LinkSource::kSvgAXlinkHref:
      return true;
    case LinkSource::kLinkHref:
      return (link.rel & (kRelNext | kRelPrev)) != 0;
    default:
      return false;
  }
}

RobotsDirectives& RobotsDirectives::operator|=(const RobotsDirectives& other) {
  noindex |= other.noindex;
  nofollow |= other.nofollow;
  noarchive |= other.noarchive;
  nosnippet |= other.nosnippet;
  noimageindex |= other.noimageindex;
  return *this;
}

void Page::Clear() {
  for (std::string* field :
       {&base_url, &title, &description, &language, &canonical, &text, &strings}) {
    field->clear();
  }
  alternates.clear();
  fields.clear();
  headings.clear();
  h1 = {};
  link_blocks.clear();
  links.clear();
  targets.clear();
  robots = {};
  links_truncated = text_truncated = false;
}

}  // namespace crawler
