// SPDX-License-Identifier: Apache-2.0
#include "web_tools.hpp"

#include <chrono>
#include <utility>

namespace gantry::web {
namespace {

constexpr const char* kFetchSchema =
    R"({"type":"object","properties":{)"
    R"("url":{"type":"string","minLength":1,"maxLength":8192,"description":)"
    R"("Address of the page, with https:// or http:// in front."},)"
    R"("offset":{"type":"integer","minimum":0,"description":)"
    R"("Bytes of its text to skip: the number that an earlier answer named for going on."},)"
    R"("max_bytes":{"type":"integer","minimum":1,"description":"Most bytes of text to be told."},)"
    R"("raw":{"type":"boolean","description":)"
    R"("True for the source of an HTML page instead of its text."}},)"
    R"("required":["url"],"additionalProperties":false})";

constexpr const char* kSearchSchema =
    R"({"type":"object","properties":{)"
    R"("query":{"type":"string","minLength":1,"maxLength":400,"description":"What to look for."},)"
    R"("count":{"type":"integer","minimum":1,"maximum":50,"description":"Most results; usually 8."},)"
    R"("domains":{"type":"array","maxItems":10,"items":{"type":"string"},"description":)"
    R"("Only pages of these domains and what is below them, such as example.org."},)"
    R"("recency_days":{"type":"integer","minimum":1,"description":)"
    R"("Only pages of about the last so many days."}},)"
    R"("required":["query"],"additionalProperties":false})";

constexpr const char* kHitsSchema =
    R"({"type":"object","properties":{"results":{"type":"array","items":{"type":"object",)"
    R"("properties":{"url":{"type":"string"},"title":{"type":"string"},"snippet":{"type":"string"},)"
    R"("age":{"type":"string"},"provider":{"type":"string"},"rank":{"type":"integer"},)"
    R"("query":{"type":"string"}},"required":["url","provider","rank","query"]}}},)"
    R"("required":["results"]})";

ToolDescription reader(const char* name, const char* title, const char* text, const char* schema) {
  ToolDescription out = tools::reading_tool(name, title, text, schema);
  out.open_world = true;
  out.long_running = true;
  return out;
}

}  // namespace

void WebTools::set_settings(Settings settings) {
  std::vector<Network> allowed;
  for (const std::string& text : settings.fetch.allow_networks) {
    if (auto network = read_network(text); network.ok()) allowed.push_back(*network);
  }
  settings_ = std::move(settings);
  rules_ = std::make_shared<const AddressRules>(std::move(allowed));
}

std::vector<tools::Tool> WebTools::tools() {
  ToolDescription fetch_tool = reader(
      "web_fetch", "Read a web page",
      "Fetch a public address of the web and read it: the text of an HTML page with its links, "
      "plain text, JSON, or a picture. Long texts come in pieces. Machines of this network and "
      "this machine itself are not reached.",
      kFetchSchema);
  ToolDescription search_tool = reader(
      "web_search", "Search the web",
      "Search the web: titles, addresses and short extracts. Read a page itself with web_fetch.",
      kSearchSchema);
  search_tool.output_schema = Json(kHitsSchema);
  search_tool.unavailable = no_search_reason(settings_.search);
  return {{std::move(fetch_tool), [this](const tools::CallPtr& call) { fetch(call); }},
          {std::move(search_tool), [this](const tools::CallPtr& call) { search(call); }}};
}

void WebTools::fetch(const tools::CallPtr& call) {
  auto arguments = read_fetch_arguments(call->request().arguments);
  if (!arguments.ok()) return call->fail(arguments.error());
  waiting_.push_back(std::make_shared<FetchRun>(
      host_, settings_.fetch, checked_lookup(lookup_, rules_), call, std::move(*arguments)));
  start_more();
}

void WebTools::start_more() {
  while (!waiting_.empty() &&
         static_cast<std::int64_t>(running_.size()) < settings_.fetch.parallel) {
    const std::uint64_t id = ++last_;
    const auto run = std::move(waiting_.front());
    waiting_.pop_front();
    running_.emplace(id, run);
    run->begin([this, id] {
      running_.erase(id);
      start_more();
    });
  }
}

void WebTools::search(const tools::CallPtr& call) {
  auto arguments = read_search_arguments(call->request().arguments, settings_.search);
  if (!arguments.ok()) return call->fail(arguments.error());
  call->progress("Searching for " + arguments->query);
  search_with(call, std::move(*arguments));
}

void WebTools::search_with(const tools::CallPtr& call, SearchArguments arguments) {
  const SearchSettings settings = settings_.search;
  const Duration limit = std::chrono::milliseconds(settings.timeout);
  http::HttpOptions options;
  options.proxy = settings.proxy;
  options.ca_file = settings.ca_file;
  http::FetchLimits limits;
  limits.phases = {limit, limit, limit};
  limits.body = std::size_t{4} << 20U;
  const std::uint64_t id = ++last_;
  auto request = search_request(arguments, settings);
  searching_[id] = http::begin_fetch(host_, options, std::move(request), limits,
                                     [this, id, call, settings, arguments = std::move(arguments)](
                                         const Result<http::HttpAnswer>& answer) {
                                       searching_.erase(id);
                                       if (!answer.ok()) return call->fail(answer.error());
                                       const auto hits = read_hits(*answer, arguments, settings);
                                       if (!hits.ok()) return call->fail(hits.error());
                                       call->finish(search_result(*hits, arguments));
                                     });
  call->on_cancel([this, id] {
    const auto found = searching_.find(id);
    if (found == searching_.end()) return;
    found->second->cancel();
    searching_.erase(found);
  });
}

}  // namespace gantry::web
