// SPDX-License-Identifier: Apache-2.0
#pragma once
// Search engines with an API: the question as a request, the answer as hits. Pure. Sources: the
// SearXNG search API (docs.searxng.org/dev/search_api.html), the Brave web search API
// (api-dashboard.search.brave.com).

#include <gantry/contracts/tool.hpp>
#include <gantry/http/fetch.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "settings.hpp"

namespace gantry::web {

struct SearchArguments {
  std::string query;
  std::int64_t count = 8;
  std::vector<std::string> domains;
  std::optional<std::int64_t> recency_days;
};
BOOST_DESCRIBE_STRUCT(SearchArguments, (), (query, count, domains, recency_days))

struct SearchHit {
  std::string url;
  std::optional<std::string> title;
  std::optional<std::string> snippet;
  std::optional<std::string> age;  // as the engine says it: a date, or "2 days ago"
  std::string provider;
  std::int64_t rank = 1;
  std::string query;
};
BOOST_DESCRIBE_STRUCT(SearchHit, (), (url, title, snippet, age, provider, rank, query))

struct SearchHits {
  std::vector<SearchHit> results;
};
BOOST_DESCRIBE_STRUCT(SearchHits, (), (results))

enum class SearchProvider { None, Searxng, Brave };

/// What is configured; None when it is not enough for any.
[[nodiscard]] SearchProvider provider_of(const SearchSettings& settings);
[[nodiscard]] std::string_view provider_name(SearchProvider provider);
/// Why there is no search, with the cure; empty: there is one.
[[nodiscard]] std::string no_search_reason(const SearchSettings& settings);

/// Errors: invalid_argument. `count` is bounded by the configuration.
[[nodiscard]] Result<SearchArguments> read_search_arguments(const Json& arguments,
                                                            const SearchSettings& settings);
/// The request; its headers hold the key.
[[nodiscard]] http::HttpRequest search_request(const SearchArguments& arguments,
                                               const SearchSettings& settings);
/// Errors: unauthenticated, permission_denied, resource_exhausted, unavailable (the engine says
/// so), data_loss (it answered with something else). They hold neither key nor address.
[[nodiscard]] Result<SearchHits> read_hits(const http::HttpAnswer& answer,
                                           const SearchArguments& arguments,
                                           const SearchSettings& settings);
[[nodiscard]] ToolResult search_result(const SearchHits& hits, const SearchArguments& arguments);

}  // namespace gantry::web
