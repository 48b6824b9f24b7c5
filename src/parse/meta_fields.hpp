#pragma once

#include "parse/extractor.hpp"

namespace crawler {

/// Collects <meta property=… content=…> (OpenGraph, article:*, …) and <meta name=… content=…>
/// (author, keywords, twitter:*, …) as fields: the name in lower case, the value with its blanks
/// trimmed. Elements without a name or without content are left out.
class MetaFields final : public Extractor {
 public:
  void OnStartTag(const StartTag& tag, ExtractorOutput& out) override;
};

}  // namespace crawler
