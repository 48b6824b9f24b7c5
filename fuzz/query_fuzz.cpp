// ParseQuery() on any bytes: a query, or a message that says what is wrong with it. A query written
// by FormatQuery() is read to the same tree, and is bounded.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "search/query.hpp"

namespace {

using crawler::QueryNode;
using Kind = QueryNode::Kind;

void Require(bool holds) {
  if (!holds) std::abort();
}

// Counts the leaves.
std::size_t CheckTree(const QueryNode& node, std::size_t depth) {
  // Negations and groups may alternate.
  Require(depth <= 2 * crawler::kMaxQueryDepth + 2);
  switch (node.kind) {
    case Kind::kAnd:
    case Kind::kOr: {
      Require(node.children.size() >= 2);
      std::size_t leaves = 0;
      for (const QueryNode& child : node.children) {
        Require(child.kind != node.kind);
        leaves += CheckTree(child, depth + 1);
      }
      return leaves;
    }
    case Kind::kNot:
      Require(node.children.size() == 1 && node.children[0].kind != Kind::kNot);
      return CheckTree(node.children[0], depth + 1);
    case Kind::kAfter:
      Require(node.time >= 0 && node.children.empty());
      return 1;
    default:
      Require(!node.text.empty() && node.children.empty());
      return 1;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view query(reinterpret_cast<const char*>(data), size);
  const crawler::Result<QueryNode> tree = crawler::ParseQuery(query);
  if (!tree.ok()) {
    Require(tree.status().code() == crawler::StatusCode::kInvalidArgument);
    Require(!tree.status().message().empty());
    return 0;
  }
  Require(CheckTree(*tree, 0) <= crawler::kMaxQueryTerms);
  const std::string written = crawler::FormatQuery(*tree);
  // Writing it may take more room than a query may have (title:(a b) becomes title:a title:b).
  if (written.size() > crawler::kMaxQueryBytes) return 0;
  const crawler::Result<QueryNode> again = crawler::ParseQuery(written);
  Require(again.ok() && *again == *tree);
  return 0;
}
