// SPDX-License-Identifier: Apache-2.0
#include "header_check.hpp"

#include "echo.hpp"

#include <gantry/codec.hpp>
#include <gantry/mcp/json_rpc.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace gantry::mcp {
namespace {

namespace json = boost::json;

constexpr std::string_view kPrefix = "=?base64?";
constexpr std::string_view kSuffix = "?=";
constexpr int kDeepestSchema = 16;

struct NamedMethod {
  std::string_view method, member;
};
constexpr std::array<NamedMethod, 3> kNamed{{
    {"tools/call", "name"},
    {"prompts/get", "name"},
    {"resources/read", "uri"},
}};

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return out;
}

bool is_plain(std::string_view value) {
  return std::all_of(value.begin(), value.end(),
                     [](char c) { return c == '\t' || (c >= ' ' && c <= '~'); });
}

std::string differs(std::string_view header, std::string_view found, std::string_view wanted) {
  return "the header " + std::string(header) + " says '" + echoed(found) + "', the body says '" +
         echoed(wanted) + "'";
}

bool same_number(std::string_view header, std::int64_t body) {
  double value = 0;
  const auto [end, problem] = std::from_chars(header.data(), header.data() + header.size(), value);
  return problem == std::errc() && end == header.data() + header.size() &&
         value == static_cast<double>(body);
}

bool same_value(std::string_view header, const json::value& body) {
  if (body.is_string()) return header == std::string_view(body.get_string());
  if (body.is_bool()) return header == (body.get_bool() ? "true" : "false");
  if (body.is_int64()) return same_number(header, body.get_int64());
  return header == json_text(body);
}

std::string check_parameter(const Headers& headers, const std::string& name,
                            const json::value* value) {
  const std::string header = "mcp-param-" + lowered(name);
  const auto raw = find_header(headers, header);
  if (value == nullptr || value->is_null()) return {};
  const std::string shown = "Mcp-Param-" + name;
  if (!raw) return "the header " + shown + " is missing; the body has a value for it";
  const auto decoded = decode_header(*raw);
  if (!decoded) return "the header " + shown + " has characters that it must not have";
  if (!same_value(*decoded, *value)) return differs(shown, *decoded, json_text(*value));
  return {};
}

/// Only chains of `properties` count.
std::string check_level(const Headers& headers, const json::object& schema,
                        const json::object* arguments, int depth) {
  const json::object* properties = object_member(schema, "properties");
  if (properties == nullptr || depth > kDeepestSchema) return {};
  for (const auto& [key, value] : *properties) {
    const json::object* property = value.if_object();
    if (property == nullptr) continue;
    const json::value* argument = arguments == nullptr ? nullptr : arguments->if_contains(key);
    if (const auto name = text_member(*property, "x-mcp-header")) {
      if (auto problem = check_parameter(headers, *name, argument); !problem.empty()) {
        return problem;
      }
    }
    const json::object* inner = argument == nullptr ? nullptr : argument->if_object();
    if (auto problem = check_level(headers, *property, inner, depth + 1); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

}  // namespace

std::optional<std::string_view> find_header(const Headers& headers, std::string_view name) {
  for (const HttpHeader& header : headers) {
    if (header.name == name) return header.value;
  }
  return std::nullopt;
}

std::optional<std::string> decode_header(std::string_view value) {
  if (!is_plain(value)) return std::nullopt;
  const bool encoded = value.size() >= kPrefix.size() + kSuffix.size() &&
                       value.starts_with(kPrefix) && value.ends_with(kSuffix);
  if (!encoded) return std::string(value);
  const auto bytes = codec::read_base64(
      value.substr(kPrefix.size(), value.size() - kPrefix.size() - kSuffix.size()));
  if (!bytes.ok()) return std::nullopt;
  return std::string(bytes->begin(), bytes->end());
}

std::string check_method_headers(const Headers& headers, std::string_view method,
                                 const json::object& params) {
  const auto said = find_header(headers, "mcp-method");
  if (!said) return "the header Mcp-Method is missing";
  if (*said != method) return differs("Mcp-Method", *said, method);
  const auto* const named =
      std::find_if(kNamed.begin(), kNamed.end(),
                   [method](const NamedMethod& row) { return row.method == method; });
  if (named == kNamed.end()) return {};
  const auto wanted = text_member(params, named->member);
  if (!wanted) return {};  // the method refuses the request
  const auto raw = find_header(headers, "mcp-name");
  if (!raw) return "the header Mcp-Name is missing";
  const auto name = decode_header(*raw);
  if (!name) return "the header Mcp-Name has characters that it must not have";
  return *name == *wanted ? std::string() : differs("Mcp-Name", *name, *wanted);
}

std::string check_parameter_headers(const Headers& headers, const json::value& input_schema,
                                    const json::object& arguments) {
  const json::object* schema = input_schema.if_object();
  return schema == nullptr ? std::string() : check_level(headers, *schema, &arguments, 0);
}

}  // namespace gantry::mcp
