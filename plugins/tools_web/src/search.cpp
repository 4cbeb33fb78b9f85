// SPDX-License-Identifier: Apache-2.0
#include "search.hpp"

#include <gantry/codec.hpp>
#include <gantry/tools/tool_server.hpp>

#include <Poco/URI.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "html_text.hpp"
#include "text_flow.hpp"
#include "web_address.hpp"

GANTRY_INSTANTIATE(gantry::web::SearchArguments)
GANTRY_INSTANTIATE(gantry::web::SearchHits)

namespace gantry::web {

// What is read of the engines' answers; everything else is ignored.
struct SearxngResult {
  std::string url;
  std::optional<std::string> title;
  std::optional<std::string> content;
  std::optional<std::string> publishedDate;  // NOLINT(readability-identifier-naming)
};
BOOST_DESCRIBE_STRUCT(SearxngResult, (), (url, title, content, publishedDate))
struct SearxngAnswer {
  std::optional<std::vector<SearxngResult>> results;
};
BOOST_DESCRIBE_STRUCT(SearxngAnswer, (), (results))

struct BraveResult {
  std::string url;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> age;
};
BOOST_DESCRIBE_STRUCT(BraveResult, (), (url, title, description, age))
struct BraveWeb {
  std::vector<BraveResult> results;
};
BOOST_DESCRIBE_STRUCT(BraveWeb, (), (results))
struct BraveAnswer {
  std::string type;
  std::optional<BraveWeb> web;  // none where nothing was found
};
BOOST_DESCRIBE_STRUCT(BraveAnswer, (), (type, web))

}  // namespace gantry::web

GANTRY_INSTANTIATE(gantry::web::SearxngAnswer)
GANTRY_INSTANTIATE(gantry::web::BraveAnswer)

namespace gantry::web {
namespace {

constexpr std::size_t kLongestQuery = 400;  // Brave's limit
constexpr std::size_t kMostDomains = 10;
constexpr std::int64_t kMostOfBrave = 20;
constexpr std::size_t kLongestSnippet = 600;
constexpr std::size_t kLongestHitTitle = 200;
constexpr const char* kBraveUrl = "https://api.search.brave.com";
constexpr const char* kBraveKeyVariable = "BRAVE_SEARCH_API_KEY";

std::string key_of(const SearchSettings& settings) {
  if (!settings.api_key.empty()) return settings.api_key;
  // Brave's key is for Brave; a base_url without a provider means SearXNG.
  const bool brave =
      settings.provider == "brave" || (settings.provider == "auto" && settings.base_url.empty());
  const char* value = std::getenv(kBraveKeyVariable);
  return brave && value != nullptr ? std::string(value) : std::string();
}

std::string encoded(const std::string& text) {
  std::string out;
  Poco::URI::encode(text, "!#$&'()*+,/:;=?@[]", out);
  return out;
}

/// The query with the domains in the words that engines share.
std::string words_of(const SearchArguments& arguments) {
  std::string out = arguments.query;
  for (std::size_t i = 0; i < arguments.domains.size(); ++i) {
    out += (i == 0 ? " (site:" : " OR site:") + arguments.domains[i];
  }
  return arguments.domains.empty() ? out : out + ")";
}

struct Span {
  std::int64_t days;
  std::string_view searxng, brave;
};
constexpr std::array<Span, 4> kSpans{
    {{1, "day", "pd"}, {7, "week", "pw"}, {31, "month", "pm"}, {366, "year", "py"}}};

/// The shortest span of the engine that holds so many days; empty: it has none.
std::string_view span_of(const SearchArguments& arguments, std::string_view Span::*name) {
  if (!arguments.recency_days) return {};
  for (const Span& span : kSpans) {
    if (*arguments.recency_days <= span.days) return span.*name;
  }
  return {};
}

std::string base_of(const SearchSettings& settings, const char* usual) {
  std::string base = settings.base_url.empty() ? usual : settings.base_url;
  while (base.ends_with('/')) base.pop_back();
  return base;
}

std::string shortened(const std::string& text, std::size_t limit) {
  std::string line = html_line(text);
  if (line.size() <= limit) return line;
  return cut_to(std::move(line), limit) + "…";
}

bool wanted(const SearchArguments& arguments, const std::string& url) {
  const std::size_t begin = url.find("://");
  if (!url.starts_with("http://") && !url.starts_with("https://")) return false;
  if (arguments.domains.empty()) return true;
  std::string host = url.substr(begin + 3);
  host.resize(std::min(host.find_first_of("/?#:"), host.size()));
  return host_listed(arguments.domains, host);
}

void add_hit(SearchHits& hits, const SearchArguments& arguments, SearchProvider provider,
             SearchHit hit) {
  if (static_cast<std::int64_t>(hits.results.size()) >= arguments.count) return;
  if (!wanted(arguments, hit.url) || hit.url.size() > 2000) return;
  if (hit.title) hit.title = shortened(*hit.title, kLongestHitTitle);
  if (hit.snippet) hit.snippet = shortened(*hit.snippet, kLongestSnippet);
  if (hit.age) hit.age = shortened(*hit.age, 40);
  hit.provider = provider_name(provider);
  hit.rank = static_cast<std::int64_t>(hits.results.size()) + 1;
  hit.query = arguments.query;
  hits.results.push_back(std::move(hit));
}

Error refusal_of(int status, SearchProvider provider) {
  const std::string name(provider_name(provider));
  const std::string words = name + " answered " + std::to_string(status);
  if (status == 401 || (status == 422 && provider == SearchProvider::Brave)) {
    return {Code::Unauthenticated, words + " (cure: check tools_web.search.api_key)", {}};
  }
  if (status == 403) {
    return {Code::PermissionDenied,
            words + (provider == SearchProvider::Searxng
                         ? " (cure: add json to search.formats in its settings.yml)"
                         : " (cure: check what tools_web.search.api_key may do)"),
            {}};
  }
  if (status == 429) return {Code::ResourceExhausted, words + ": too many searches", {}};
  if (status >= 300 && status <= 399) {
    return failed_precondition(words +
                               " (cure: tools_web.search.base_url must be the address "
                               "itself; redirects are not followed)");
  }
  if (status == 404) {
    return failed_precondition(words + " (cure: check tools_web.search.base_url)");
  }
  return unavailable(words, "try again later");
}

}  // namespace

SearchProvider provider_of(const SearchSettings& settings) {
  const bool has_key = !key_of(settings).empty();
  if (settings.provider == "searxng") {
    return settings.base_url.empty() ? SearchProvider::None : SearchProvider::Searxng;
  }
  if (settings.provider == "brave") return has_key ? SearchProvider::Brave : SearchProvider::None;
  if (settings.provider != "auto") return SearchProvider::None;
  if (!settings.base_url.empty()) return SearchProvider::Searxng;
  return has_key ? SearchProvider::Brave : SearchProvider::None;
}

std::string_view provider_name(SearchProvider provider) {
  switch (provider) {
    case SearchProvider::Searxng: return "searxng";
    case SearchProvider::Brave: return "brave";
    case SearchProvider::None: break;
  }
  return "none";
}

std::string no_search_reason(const SearchSettings& settings) {
  if (provider_of(settings) != SearchProvider::None) return {};
  if (settings.provider == "none") {
    return "web search is switched off (cure: set tools_web.search.provider)";
  }
  return "no search engine is configured (cure: set tools_web.search.base_url to a SearXNG, or "
         "tools_web.search.api_key to a key of Brave)";
}

Result<SearchArguments> read_search_arguments(const Json& arguments,
                                              const SearchSettings& settings) {
  GANTRY_ASSIGN(SearchArguments out, from_json<SearchArguments>(arguments.text));
  if (out.query.empty() || out.query.size() > kLongestQuery) {
    return invalid_argument("query must have 1 to " + std::to_string(kLongestQuery) + " bytes");
  }
  if (out.domains.size() > kMostDomains) {
    return invalid_argument("at most " + std::to_string(kMostDomains) + " domains");
  }
  for (const std::string& domain : out.domains) {
    const bool usual = !domain.empty() && domain.size() <= 253 &&
                       domain.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                           "0123456789.-") == std::string::npos;
    if (!usual) return invalid_argument("'" + domain + "' is no domain such as example.org");
  }
  if (out.recency_days && *out.recency_days < 1) {
    return invalid_argument("recency_days must be 1 or more");
  }
  out.count = std::clamp<std::int64_t>(out.count, 1, settings.max_results);
  return out;
}

http::HttpRequest search_request(const SearchArguments& arguments, const SearchSettings& settings) {
  http::HttpRequest out;
  out.method = "GET";
  out.headers = {{"Accept", "application/json"}, {"User-Agent", "Gantry/0.1 (web_search)"}};
  const std::string key = key_of(settings);
  if (provider_of(settings) == SearchProvider::Brave) {
    out.url = base_of(settings, kBraveUrl) +
              "/res/v1/web/search?q=" + encoded(words_of(arguments)) +
              "&count=" + std::to_string(std::min(arguments.count, kMostOfBrave)) +
              "&text_decorations=false";
    const std::string_view span = span_of(arguments, &Span::brave);
    if (!span.empty()) out.url += "&freshness=" + std::string(span);
    out.headers.emplace_back("X-Subscription-Token", key);
    return out;
  }
  out.url = base_of(settings, "") + "/search?format=json&q=" + encoded(words_of(arguments));
  const std::string_view span = span_of(arguments, &Span::searxng);
  if (!span.empty()) out.url += "&time_range=" + std::string(span);
  if (!key.empty()) out.headers.emplace_back("Authorization", "Bearer " + key);
  return out;
}

Result<SearchHits> read_hits(const http::HttpAnswer& answer, const SearchArguments& arguments,
                             const SearchSettings& settings) {
  const SearchProvider provider = provider_of(settings);
  if (answer.head.status != 200) return refusal_of(answer.head.status, provider);
  SearchHits hits;
  const Error other{Code::DataLoss,
                    std::string(provider_name(provider)) +
                        " answered with something that is no list of results (cure: check "
                        "tools_web.search.base_url and provider)",
                    {}};
  if (provider == SearchProvider::Brave) {
    auto read = from_json<BraveAnswer>(answer.body);
    if (!read.ok() || (read->type != "search" && !read->web)) return other;
    if (!read->web) return hits;
    for (BraveResult& one : read->web->results) {
      add_hit(hits, arguments, provider,
              {std::move(one.url),
               std::move(one.title),
               std::move(one.description),
               std::move(one.age),
               {},
               0,
               {}});
    }
    return hits;
  }
  auto read = from_json<SearxngAnswer>(answer.body);
  if (!read.ok() || !read->results) return other;
  for (SearxngResult& one : *read->results) {
    add_hit(hits, arguments, provider,
            {std::move(one.url),
             std::move(one.title),
             std::move(one.content),
             std::move(one.publishedDate),
             {},
             0,
             {}});
  }
  return hits;
}

ToolResult search_result(const SearchHits& hits, const SearchArguments& arguments) {
  std::string text;
  for (const SearchHit& hit : hits.results) {
    text += std::to_string(hit.rank) + ". " + hit.title.value_or(hit.url) + "\n   " + hit.url;
    if (hit.age) text += "\n   " + *hit.age;
    if (hit.snippet && !hit.snippet->empty()) text += "\n   " + *hit.snippet;
    text += "\n\n";
  }
  if (text.empty()) {
    text = "Nothing was found for '" + arguments.query + "'.";
  } else {
    text.resize(text.size() - 2);
  }
  ToolResult result = tools::text_result(std::move(text));
  result.structured = Json(to_json(hits));
  return result;
}

}  // namespace gantry::web
