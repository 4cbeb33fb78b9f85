// SPDX-License-Identifier: Apache-2.0
// /openapi.json against the rules of OpenAPI 3.1 that an importing program relies on, and against
// the table of routes.
#include <catch2/catch.hpp>
#include <gantry/testkit/net_client.hpp>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cctype>
#include <set>

#include "observer_server.hpp"
#include "routes.hpp"

namespace gantry::conformance {
namespace {

namespace json = boost::json;

json::value get_json(std::uint16_t port, std::string_view path) {
  testkit::HttpClient client("127.0.0.1", port);
  const auto reply = client.get(path);
  REQUIRE(reply.status == 200);
  CHECK(reply.header("content-type") == "application/json");
  return json::parse(reply.body);
}

/// Every $ref of the document leads somewhere inside it.
void check_references(const json::value& document, const json::value& part) {
  if (const json::array* array = part.if_array()) {
    for (const json::value& element : *array) check_references(document, element);
  }
  const json::object* object = part.if_object();
  if (object == nullptr) return;
  for (const auto& [key, value] : *object) {
    if (key == "$ref") {
      const std::string target(value.as_string());
      INFO(target);
      REQUIRE(target.starts_with("#/"));
      json::error_code missing;
      CHECK(document.find_pointer(target.substr(1), missing) != nullptr);
    }
    check_references(document, value);
  }
}

void check_schema(const json::object& schema) {
  static const std::set<std::string> kTypes{"object",  "array",   "string", "number",
                                            "integer", "boolean", "null"};
  const auto known = [&](const json::value& type) {
    return kTypes.contains(std::string(type.as_string()));
  };
  if (const json::value* type = schema.if_contains("type")) {
    if (type->is_array()) {
      for (const json::value& one : type->get_array()) CHECK(known(one));
    } else {
      CHECK(known(*type));
    }
  }
  const json::value* properties = schema.if_contains("properties");
  if (properties != nullptr) {
    for (const auto& [name, property] : properties->as_object()) check_schema(property.as_object());
  }
  if (const json::value* required = schema.if_contains("required")) {
    for (const json::value& name : required->as_array()) {
      INFO(name);
      if (properties != nullptr) CHECK(properties->as_object().contains(name.as_string()));
    }
  }
  if (const json::value* words = schema.if_contains("enum")) CHECK_FALSE(words->as_array().empty());
  if (const json::value* items = schema.if_contains("items")) check_schema(items->as_object());
}

void check_content(const json::value& content) {
  CHECK(content.as_object().size() == 1);
  for (const auto& [type, media] : content.as_object()) {
    CHECK(type.contains('/'));
    check_schema(media.at("schema").as_object());
  }
}

void check_parameters(const std::string& path, const json::object& operation) {
  std::set<std::string> in_path;
  std::set<std::string> seen;
  if (const json::value* parameters = operation.if_contains("parameters")) {
    for (const json::value& parameter : parameters->as_array()) {
      const std::string name(parameter.at("name").as_string());
      INFO(name);
      CHECK(seen.insert(name).second);
      const bool of_path = parameter.at("in") == "path";
      CHECK((of_path || parameter.at("in") == "query"));
      if (of_path) in_path.insert(name);
      if (of_path) CHECK(parameter.at("required").as_bool());
      // Exactly one of the two says what it looks like.
      CHECK(parameter.as_object().contains("schema") != parameter.as_object().contains("content"));
      if (!of_path) CHECK_FALSE(parameter.at("description").as_string().empty());
    }
  }
  for (const std::string& name : in_path) CHECK(path.find('{' + name + '}') != std::string::npos);
  CHECK(static_cast<std::size_t>(std::count(path.begin(), path.end(), '{')) == in_path.size());
}

void check_operation(const std::string& path, const std::string& method,
                     const json::object& operation, std::set<std::string>& ids) {
  INFO(method << ' ' << path);
  CHECK(ids.insert(std::string(operation.at("operationId").as_string())).second);
  CHECK_FALSE(operation.at("summary").as_string().empty());
  check_parameters(path, operation);
  CHECK(operation.contains("requestBody") == (method == "post"));
  if (const json::value* body = operation.if_contains("requestBody")) {
    check_content(body->at("content"));
  }
  const json::object& responses = operation.at("responses").as_object();
  check_content(responses.at("200").at("content"));
  for (const char* others : {"4XX", "5XX"}) CHECK(responses.at(others).is_object());
}

TEST_CASE("openapi.json is sound and describes every route") {
  ObserverServer server("{port: 0}");
  const json::value document = get_json(server.port(), "/openapi.json");
  CHECK(document.at("openapi") == "3.1.0");
  CHECK_FALSE(document.at("info").at("title").as_string().empty());
  CHECK_FALSE(document.at("info").at("version").as_string().empty());
  check_references(document, document);
  for (const auto& [name, schema] : document.at("components").at("schemas").as_object()) {
    check_schema(schema.as_object());
  }

  std::set<std::string> ids;
  std::set<std::string> described;
  for (const auto& [path, item] : document.at("paths").as_object()) {
    for (const auto& [method, operation] : item.as_object()) {
      check_operation(path, method, operation.as_object(), ids);
      described.insert(std::string(method) + ' ' + std::string(path));
    }
  }
  const json::value names = get_json(server.port(), "/api/tools").at("tools");
  for (const rest_observer::Route& route : rest_observer::all_routes()) {
    const auto& tools = names.as_array();
    INFO(route.path);
    CHECK((route.tool.empty() ||
           std::find(tools.begin(), tools.end(), json::value(route.tool)) != tools.end()));
    for (const char* method : {"GET", "POST", "DELETE"}) {
      if (route.methods.find(method) == std::string_view::npos) continue;
      std::string lower(method);
      std::transform(lower.begin(), lower.end(), lower.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      INFO(method << ' ' << route.path);
      CHECK(described.contains(lower + ' ' + std::string(route.path)));
    }
  }
}

TEST_CASE("openapi.json says what a caller has to send") {
  ObserverServer server("{port: 0}");
  const json::value document = get_json(server.port(), "/openapi.json");
  const json::value& paths = document.at("paths");
  const json::value& click =
      paths.at("/api/action").at("post").at("requestBody").at("content").at("application/json");
  const json::array& forms = click.at("schema").at("oneOf").as_array();
  REQUIRE(forms.size() == 4);
  CHECK(forms[0].at("properties").at("action").at("const") == "click_at");
  CHECK(forms[1].at("properties").as_object().contains("value"));
  CHECK(forms[1].at("required") == json::array{"action", "value"});
  CHECK(paths.at("/api/windows").at("get").at("operationId") == "list_windows");
}

}  // namespace
}  // namespace gantry::conformance
