#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model/page.hpp"
#include "parse/html_names.hpp"
#include "parse/scan.hpp"

namespace crawler {

struct Tag;

enum class Namespace : std::uint8_t { kHtml, kSvg, kMathMl };

/// A start tag that has made an element. Valid during the call that it is passed to.
class StartTag {
 public:
  StartTag(TagId id, Namespace name_space, const Tag& tag, const Scanner& scanner)
      : id_(id), name_space_(name_space), tag_(tag), scanner_(scanner) {}

  /// kUnknown for a name that is not in html_tags.inc; name() tells such elements apart.
  TagId id() const { return id_; }
  Namespace name_space() const { return name_space_; }
  /// In lower case.
  std::string name() const;

  /// The value of an attribute with its character references decoded; empty if the tag has no such
  /// attribute. An AttrId costs one lookup. A name (in lower case) is looked for in the source of
  /// the tag: for attributes that are not in html_attributes.inc.
  std::optional<std::string> Attribute(AttrId id) const;
  std::optional<std::string> Attribute(std::string_view lower_case_name) const;

 private:
  const TagId id_;
  const Namespace name_space_;
  const Tag& tag_;
  const Scanner& scanner_;
};

/// Receives the findings of an Extractor.
class ExtractorOutput {
 public:
  virtual ~ExtractorOutput() = default;
  /// Adds a link as the document writes it; the base URL of the document is applied later. The link
  /// counts towards the limits of ExtractOptions.
  virtual void AddLink(std::string_view href, LinkSource source) = 0;
  /// Adds to Page::fields, within the limits of ExtractOptions.
  virtual void AddField(std::string_view name, std::string_view value) = 0;
};

/// Finds links or fields in the token stream of a document, beside those that every page has.
///
///     Begin -> OnStartTag, OnText, OnEndTag in the order of the document -> Finish
///
/// The tokens are those of the HTML standard: comments and the content of <template> are left out,
/// a start tag that makes no element is left out, text is decoded. Text comes in pieces, split at
/// any character, and includes the content of <script>, <style> and <title>. An element without an
/// end tag in the source gets no OnEndTag.
/// Threads: each HtmlExtractor has its own instance and uses it from one thread at a time.
class Extractor {
 public:
  virtual ~Extractor() = default;
  /// A new document begins: forget the one before.
  virtual void Begin() {}
  virtual void OnStartTag(const StartTag& tag, ExtractorOutput& out) = 0;
  virtual void OnText(std::string_view /*text*/, ExtractorOutput& /*out*/) {}
  virtual void OnEndTag(TagId /*id*/, ExtractorOutput& /*out*/) {}
  /// The document has ended.
  virtual void Finish(ExtractorOutput& /*out*/) {}
};

/// Makes the instance of one HtmlExtractor.
using ExtractorFactory = std::function<std::unique_ptr<Extractor>()>;

}  // namespace crawler
