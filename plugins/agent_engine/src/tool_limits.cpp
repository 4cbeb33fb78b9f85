// SPDX-License-Identifier: Apache-2.0
#include "tool_limits.hpp"

#include <gantry/codec.hpp>

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "text.hpp"

namespace gantry::agent {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostCalls = 50;
constexpr std::size_t kLongestName = 256;
constexpr std::size_t kLargestArguments = 1 << 20;
constexpr std::size_t kMostArguments = 100;
constexpr std::size_t kLargestValue = 64 << 10;
constexpr std::size_t kShownName = 64;

/// Bytes of a text, or of anything else as JSON.
std::size_t size_of(const json::value& value) {
  const json::string* text = value.if_string();
  return text != nullptr ? text->size() : codec::serialize(value).size();
}

std::string arguments_problem(const std::string& arguments) {
  json::parse_options options;
  options.max_depth = kDeepestArguments;
  json::error_code problem;
  const json::value parsed = json::parse(arguments, problem, {}, options);
  if (problem == json::error::too_deep) {
    return fmt::format("the arguments are deeper than {} levels", kDeepestArguments);
  }
  if (problem || !parsed.is_object()) return {};  // a problem of its own
  const json::object& members = parsed.get_object();
  if (members.size() > kMostArguments) {
    return fmt::format("the call has {} arguments; at most {} are taken", members.size(),
                       kMostArguments);
  }
  for (const auto& member : members) {
    if (const std::size_t size = size_of(member.value()); size > kLargestValue) {
      return fmt::format("the argument '{}' has {} bytes; at most {} are taken",
                         cut_end({member.key().data(), member.key().size()}, kShownName), size,
                         kLargestValue);
    }
  }
  return {};
}

}  // namespace

std::string limit_problem(const LlmToolCall& call, std::size_t before, bool by_client) {
  if (before >= kMostCalls) {
    return fmt::format("an answer may have {} calls, and this is one more; make it afterwards",
                       kMostCalls);
  }
  if (call.name.size() > kLongestName) {
    return fmt::format("the tool's name has {} bytes; at most {} are taken", call.name.size(),
                       kLongestName);
  }
  if (call.arguments.text.size() > kLargestArguments) {
    return fmt::format("the arguments have {} bytes; at most {} are taken",
                       call.arguments.text.size(), kLargestArguments);
  }
  return by_client ? arguments_problem(call.arguments.text) : std::string();
}

}  // namespace gantry::agent
