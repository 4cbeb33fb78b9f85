// SPDX-License-Identifier: Apache-2.0
#include "sought_values.hpp"

#include <algorithm>

#include "redaction.hpp"
#include "trace_record.hpp"

namespace gantry::observation {

std::string without_sought_values(std::string_view selector) {
  // What has none of these asks for nothing: an id, or a role.
  if (selector.find_first_of("[\"'=") == std::string_view::npos) return std::string(selector);
  const Outcome<SelectorAst> ast = parse_selector(selector);
  if (!ast.ok()) return std::string(kRedacted);
  std::string out;
  std::size_t kept = 0;  // up to here it is in `out`
  for (const SelectorStep& step : ast->steps) {
    for (const SelectorPredicate& predicate : step.predicates) {
      if (!asks_for_value(predicate) || predicate.size == 0) continue;
      out += selector.substr(kept, predicate.at - kept);
      out.append("\"").append(kRedacted).append("\"");
      kept = predicate.at + predicate.size;
    }
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
