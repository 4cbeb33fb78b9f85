// SPDX-License-Identifier: Apache-2.0
#pragma once
// The answer of every list method.

#include <string>
#include <string_view>
#include <vector>

#include "call.hpp"
#include "settings.hpp"

namespace gantry::mcp {

/// How long a client may keep an answer, and whether others may get it from a cache.
struct Freshness {
  std::int64_t ttl_ms = 0;
  std::string_view scope = "private";
};

/// Answers with the page of `items` that the request's cursor names.
void answer_list(Call& call, std::string_view member_name, const std::vector<std::string>& items,
                 const Settings& settings, const Freshness& freshness);

/// Adds ttlMs and cacheScope where the revision has them.
void add_freshness(ObjectText& result, const Revision& revision, const Freshness& freshness);

}  // namespace gantry::mcp
