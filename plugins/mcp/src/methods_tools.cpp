// SPDX-License-Identifier: Apache-2.0
// tools/list and tools/call.
#include <array>
#include <boost/json/parse.hpp>

#include "asking_run.hpp"
#include "connection.hpp"
#include "echo.hpp"
#include "lists.hpp"
#include "methods.hpp"
#include "near_names.hpp"
#include "result_budget.hpp"
#include "resume.hpp"

namespace gantry::mcp {
namespace {

namespace json = boost::json;

using CallPtr = std::shared_ptr<Call>;

void list_tools(Connection& connection, const CallPtr& call) {
  Core& core = connection.core();
  core.catalog.tools().load([&core, call] {
    answer_list(*call, "tools", core.catalog.tool_texts(call->revision()), core.settings,
                {core.settings.list_ttl, "public"});
  });
}

/// A name that no tool has. The first revision's clients know no errors of calls.
void refuse_unknown(Core& core, Call& call, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& entry : core.catalog.tools().entries()) names.push_back(entry.what.name);
  const std::string shown = echoed(name);
  const std::vector<std::string> near = near_names(shown, names);
  if (call.revision().indented) {
    ObjectText text;
    text.add("error", "Unknown tool: " + shown);
    ArrayText near_json;
    for (const std::string& one : near) near_json.add(one);
    text.raw("near_matches", near_json.text());
    ToolResult result;
    result.is_error = true;
    result.structured = Json(text.text());
    result.content.push_back(text_block(result.structured->text));
    return call.answer(tool_result(result, call.revision()));
  }
  call.fail({kInvalidParams, "Unknown tool: " + shown, near_matches_json(near)});
}

/// What the transport repeats of the arguments must be what they say.
std::string header_problem(const Call& call, const ToolDescription& tool,
                           const json::object& arguments) {
  if (call.facts().headers.empty()) return {};
  boost::system::error_code problem;
  const json::value schema = json::parse(tool.input_schema.text, problem);
  return problem ? std::string() : check_parameter_headers(call.facts().headers, schema, arguments);
}

ToolEvents events_of(Core& core, const std::shared_ptr<AskingRun>& run) {
  ToolEvents events;
  events.update = [&core, run](const ToolUpdate& update) {
    if (update.progress) run->on_progress(*update.progress);
    if (update.notice) run->on_notice(*update.notice);
    run->on_asks(update.asks);
    if (update.come_back_ms) run->on_come_back(*update.come_back_ms);
    if (update.result) {
      run->on_result([&core, result = *update.result](Call& call) {
        call.answer(tool_result(within_budget(core, call, result), call.revision()));
      });
    }
  };
  events.end = [run](const Error& error) { run->on_end(error); };
  return events;
}

void begin(Connection& connection, const CallPtr& call, const Entry<ToolDescription>& entry,
           std::string arguments) {
  Core& core = connection.core();
  const std::string& name = entry.what.name;
  auto run = std::make_shared<AskingRun>(
      core, RunSubject{call->facts().method, name, run_binding(*call, name, arguments)});
  run->attach(call, connection.weak_from_this());
  run->expect(early_answers(*call));
  ToolCallRequest request;
  request.name = name;
  request.arguments = Json(std::move(arguments));
  request.caller = call->caller();
  request.session = call->facts().session;
  request.client = call->facts().client;
  request.progress = call->wants_progress();
  request.notices = call->facts().notices;
  run->set_run(entry.source->run_tool(std::move(request), events_of(core, run)));
}

void call_tool(Connection& connection, const CallPtr& call) {
  const auto name = text_member(call->params(), "name");
  if (!name) return call->invalid_params("`name` must be a string, the name of a tool");
  const json::value* given = member(call->params(), "arguments");
  if (given != nullptr && !given->is_object() && !given->is_null()) {
    return call->invalid_params("`arguments` must be an object");
  }
  const std::weak_ptr<Connection> weak = connection.weak_from_this();
  connection.core().catalog.tools().load([weak, call, name = *name] {
    const auto alive = weak.lock();
    if (!alive || call->over()) return;
    Core& core = alive->core();
    const auto* entry = core.catalog.tools().find(name);
    if (entry == nullptr) return refuse_unknown(core, *call, name);
    const json::object* arguments = object_member(call->params(), "arguments");
    const json::object none;
    const json::object& object = arguments == nullptr ? none : *arguments;
    if (const auto problem = header_problem(*call, entry->what, object); !problem.empty()) {
      return call->fail({kHeaderMismatch, "Header mismatch: " + problem, {}}, 400);
    }
    call->set_fragile(!entry->what.read_only);
    if (call->fragile() && alive->closing()) return call->cancel();
    const std::string text = json_text(object);
    if (resume(*alive, call, name, text)) return;
    begin(*alive, call, *entry, text);
  });
}

constexpr std::array<Method, 2> kToolMethods{{
    {"tools/list", list_tools},
    {"tools/call", call_tool},
}};

}  // namespace

std::span<const Method> tool_methods() { return kToolMethods; }

}  // namespace gantry::mcp
