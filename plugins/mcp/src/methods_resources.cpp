// SPDX-License-Identifier: Apache-2.0
// resources/list, resources/templates/list, resources/read.
#include <array>

#include "connection.hpp"
#include "echo.hpp"
#include "lists.hpp"
#include "methods.hpp"

namespace gantry::mcp {
namespace {

using CallPtr = std::shared_ptr<Call>;

void list_resources(Connection& connection, const CallPtr& call) {
  Core& core = connection.core();
  core.catalog.resources([&core, call](std::vector<Entry<ResourceDescription>> entries) {
    std::vector<std::string> items;
    for (const auto& entry : entries) items.push_back(resource_json(entry.what, call->revision()));
    answer_list(*call, "resources", items, core.settings, {});
  });
}

void list_templates(Connection& connection, const CallPtr& call) {
  Core& core = connection.core();
  core.catalog.templates().load([&core, call] {
    std::vector<std::string> items;
    for (const auto& entry : core.catalog.templates().entries()) {
      items.push_back(template_json(entry.what, call->revision()));
    }
    answer_list(*call, "resourceTemplates", items, core.settings,
                {core.settings.list_ttl, "public"});
  });
}

void read_failed(Call& call, const std::string& uri, const Error& error) {
  if (error.code == Code::NotFound) {
    return call.fail({call.revision().missing_resource, error.message,
                      ObjectText().add("uri", echoed(uri)).text()});
  }
  call.fail(refusal(error, uri));
}

void read(Connection& connection, const CallPtr& call) {
  const auto uri = text_member(call->params(), "uri");
  if (!uri) return call->invalid_params("`uri` must be a string");
  if (uri->size() > kLongestEcho) return call->invalid_params(kUriTooLong);
  Core& core = connection.core();
  if (const ContentBlock* kept = core.shelf.find(*uri, core.environment.now_ns())) {
    ObjectText result;
    result.raw("contents", ArrayText().raw(contents_json(*kept)).text());
    add_freshness(result, call->revision(), {});
    return call->answer(std::move(result));
  }
  core.catalog.read(
      {*uri, call->caller()}, [&core, call, uri = *uri](Result<ResourceContents> contents) {
        if (!contents.ok()) return read_failed(*call, uri, contents.error());
        ArrayText all;
        for (const ContentBlock& block : contents->contents) all.raw(contents_json(block));
        std::string text = all.text();
        if (text.size() > static_cast<std::size_t>(core.settings.max_resource_bytes)) {
          return read_failed(*call, uri,
                             {Code::ResourceExhausted,
                              "the resource has " + std::to_string(text.size()) +
                                  " bytes, more than max_resource_bytes allows",
                              {}});
        }
        ObjectText result;
        result.raw("contents", text);
        add_freshness(result, call->revision(), {});
        call->answer(std::move(result));
      });
}

constexpr std::array<Method, 3> kResourceMethods{{
    {"resources/list", list_resources},
    {"resources/templates/list", list_templates},
    {"resources/read", read},
}};

}  // namespace

std::span<const Method> resource_methods() { return kResourceMethods; }

}  // namespace gantry::mcp
