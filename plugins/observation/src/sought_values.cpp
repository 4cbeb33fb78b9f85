// SPDX-License-Identifier: Apache-2.0
#include "sought_values.hpp"

#include <algorithm>
#include <vector>

#include "redaction.hpp"
#include "trace_record.hpp"

namespace gantry::observation {

namespace {

/// In the order of the text.
std::vector<SelectorSpan> hidden_parts(const SelectorAst& ast, bool values_told) {
  std::vector<SelectorSpan> out;
  for (const SelectorStep& step : ast.steps) {
    out.insert(out.end(), step.passed_over.begin(), step.passed_over.end());
    for (const SelectorPredicate& predicate : step.predicates) {
      if (values_told || !asks_for_value(predicate) || predicate.size == 0) continue;
      out.push_back({predicate.at, predicate.size});
    }
  }
  std::sort(out.begin(), out.end(),
            [](const SelectorSpan& a, const SelectorSpan& b) { return a.at < b.at; });
  return out;
}

}  // namespace

std::string recordable_selector(std::string_view selector, bool values_told) {
  // What has none of these asks for nothing: an id, or a role.
  if (selector.find_first_of("[(\"'=") == std::string_view::npos) return std::string(selector);
  const Outcome<SelectorAst> ast = parse_selector(selector);
  if (!ast.ok()) return std::string(values_told ? selector : kRedacted);
  std::string out;
  std::size_t kept = 0;  // up to here it is in `out`
  for (const SelectorSpan& part : hidden_parts(*ast, values_told)) {
    out += selector.substr(kept, part.at - kept);
    out.append("\"").append(kRedacted).append("\"");
    kept = part.at + part.size;
  }
  out += selector.substr(kept);
  return out;
}

Sought sought_by(const Selector& selector, const Node& root) {
  if (!selector.asks_for_values() || !selector.matches(root).empty()) return Sought::Found;
  const std::vector<const Node*> aimed_at = selector.whatever_value(root);
  const bool secret = std::any_of(aimed_at.begin(), aimed_at.end(), [](const Node* node) {
    return node->hidden != nullptr || is_password(*node);
  });
  if (secret) return Sought::Secret;
  return aimed_at.empty() || selector.gave_up() ? Sought::Nowhere : Sought::Readable;
}

}  // namespace gantry::observation
