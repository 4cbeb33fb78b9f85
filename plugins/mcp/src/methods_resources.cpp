// SPDX-License-Identifier: Apache-2.0
// resources/list, resources/templates/list, resources/read.
#include <array>

#include "connection.hpp"
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
  const std::string where = ObjectText().add("uri", uri).text();
  if (error.code == Code::NotFound) {
    const std::string message =
        error.message.empty() ? "there is no resource " + uri : error.message;
    return call.fail({call.revision().missing_resource, message, where});
  }
  const int code = error.code == Code::InvalidArgument ? kInvalidParams : kInternalError;
  call.fail({code, error.message,
             ObjectText().add("uri", uri).add("code", code_name(error.code)).text()});
}

void read(Connection& connection, const CallPtr& call) {
  const auto uri = text_member(call->params(), "uri");
  if (!uri) return call->invalid_params("`uri` must be a string");
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
