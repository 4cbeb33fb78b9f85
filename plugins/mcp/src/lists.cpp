// SPDX-License-Identifier: Apache-2.0
#include "lists.hpp"

#include "paging.hpp"

namespace gantry::mcp {

void add_freshness(ObjectText& result, const Revision& revision, const Freshness& freshness) {
  if (!revision.stateless) return;
  result.add("ttlMs", freshness.ttl_ms);
  result.add("cacheScope", freshness.scope);
}

void answer_list(Call& call, std::string_view member_name, const std::vector<std::string>& items,
                 const Settings& settings, const Freshness& freshness) {
  const boost::json::value* cursor = member(call.params(), "cursor");
  if (cursor != nullptr && !cursor->is_string()) {
    return call.invalid_params("`cursor` must be a string that an earlier page gave out");
  }
  const std::string_view begin = cursor == nullptr ? std::string_view() : cursor->get_string();
  const auto page = page_of(items, begin, static_cast<std::size_t>(settings.max_bytes));
  if (!page || (cursor != nullptr && begin.empty())) {
    return call.invalid_params("the cursor is of no page of this list; begin again without one");
  }
  ObjectText result;
  result.raw(member_name, page->items);
  result.add_if("nextCursor", page->next);
  add_freshness(result, call.revision(), freshness);
  call.answer(std::move(result));
}

}  // namespace gantry::mcp
