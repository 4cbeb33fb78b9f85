// SPDX-License-Identifier: Apache-2.0
// Whatever a client may ask of the engine: the first line names a tool (any text picks one), the
// rest is its arguments. Beside memory errors it looks for answers that break the protocol: no JSON
// object, ok and success that disagree, a failure without a code, or one as Internal that is no
// report of what an element shows after an act.
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fake_desktop.hpp"

namespace {

namespace json = boost::json;
using gantry::observation::all_tools;
using gantry::observation::find_tool;
using gantry::observation::tests::Bench;

void expect(bool holds, const char* what, const std::string& answer) {
  if (holds) return;
  std::fprintf(stderr, "tool_arguments: %s\n%s\n", what, answer.c_str());
  std::abort();
}

std::string tool_of(std::string_view line) {
  if (find_tool(line) != nullptr) return std::string(line);
  const auto tools = all_tools();
  const std::size_t pick = line.empty() ? 0 : static_cast<unsigned char>(line.front());
  return std::string(tools[pick % tools.size()].name);
}

bool flag_is(const json::object& object, const char* name, bool wanted) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_bool() && value->get_bool() == wanted;
}

bool names_element(const json::object& answer) {
  const json::value* error = answer.if_contains("error");
  const json::value* context =
      error != nullptr && error->is_object() ? error->get_object().if_contains("context") : nullptr;
  return context != nullptr && context->is_object() && context->get_object().contains("element_id");
}

void check(const gantry::ObserverToolResult& result) {
  const std::string& text = result.result.text;
  json::error_code broken;
  const json::value answer = json::parse(text, broken);
  expect(!broken && answer.is_object(), "the answer is no JSON object", text);
  const json::object& object = answer.get_object();
  expect(flag_is(object, "ok", result.ok), "ok disagrees with the result", text);
  expect(flag_is(object, "success", result.ok), "success disagrees with ok", text);
  if (result.ok) return;
  expect(!result.error_code.empty() && !result.message.empty(), "a failure without words", text);
  // This desktop delivers input but its elements keep their values: the contract of the element
  // verbs (1.4) calls it Internal when what was set is not read back. Nothing else may fail
  // internally.
  const bool internal = result.error_code == "Internal";
  expect(!internal || names_element(object), "an internal error", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find('\n');
  if (end == std::string_view::npos) return 0;
  static const gantry::testkit::TempDir recordings;
  gantry::observation::Settings settings;
  settings.tracing.dir = recordings.path().string();
  Bench bench(settings);
  check(bench.run(tool_of(input.substr(0, end)), std::string(input.substr(end + 1))));
  return 0;
}
