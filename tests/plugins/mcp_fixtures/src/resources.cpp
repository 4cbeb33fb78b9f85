// SPDX-License-Identifier: Apache-2.0
#include "resources.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "content.hpp"
#include "media.hpp"

namespace gantry::mcp_fixtures {
namespace {

struct Row {
  const char* uri;
  const char* name;
  const char* description;
  const char* media_type;
  const char* text;  // nullptr: the red pixel
};

constexpr std::array<Row, 5> kRows{{
    {"test://static-text", "static-text", "A text that never changes", "text/plain",
     "This is the content of the static text resource."},
    {"test://static-binary", "static-binary", "A picture that never changes", "image/png", nullptr},
    {"test://watched-resource", "watched-resource", "Something to subscribe to", "text/plain",
     "Watched resource content"},
    {"test://embedded-resource", "embedded-resource", "What test_embedded_resource answers with",
     "text/plain", "This is an embedded resource content."},
    {"test://mixed-content-resource", "mixed-content-resource",
     "What test_multiple_content_types answers with", "application/json",
     R"({"test":"data","value":123})"},
}};

// test://template/{id}/data
constexpr std::string_view kTemplateBegin = "test://template/";
constexpr std::string_view kTemplateEnd = "/data";

/// The id in the address of a templated resource; empty when it is none.
std::string template_id(std::string_view uri) {
  if (!uri.starts_with(kTemplateBegin) || !uri.ends_with(kTemplateEnd)) return {};
  uri.remove_prefix(kTemplateBegin.size());
  if (uri.size() <= kTemplateEnd.size()) return {};
  uri.remove_suffix(kTemplateEnd.size());
  return uri.find_first_of("/\"\\") == std::string_view::npos ? std::string(uri) : std::string();
}

}  // namespace

ResourceDescriptions resource_descriptions() {
  ResourceDescriptions out;
  for (const Row& row : kRows) {
    ResourceDescription resource;
    resource.uri = row.uri;
    resource.name = row.name;
    resource.description = row.description;
    resource.media_type = row.media_type;
    out.resources.push_back(std::move(resource));
  }
  return out;
}

ResourceTemplates resource_templates() {
  ResourceTemplate made;
  made.uri_template = std::string(kTemplateBegin) + "{id}" + std::string(kTemplateEnd);
  made.name = "template-data";
  made.description = "Data that belongs to an id";
  made.media_type = "application/json";
  return {{std::move(made)}};
}

Result<ResourceContents> read_resource(const std::string& uri) {
  for (const Row& row : kRows) {
    if (uri != row.uri) continue;
    auto block = resource_block(uri, row.media_type, row.text != nullptr ? row.text : "");
    if (row.text == nullptr) block.data = red_pixel();
    return ResourceContents{{std::move(block)}};
  }
  if (const auto id = template_id(uri); !id.empty()) {
    return ResourceContents{{resource_block(
        uri, "application/json",
        R"({"id":")" + id + R"(","templateTest":true,"data":"Data for ID: )" + id + R"("})")}};
  }
  return not_found("there is no resource '" + uri + "'");
}

}  // namespace gantry::mcp_fixtures
