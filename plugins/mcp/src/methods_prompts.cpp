// SPDX-License-Identifier: Apache-2.0
// prompts/list, prompts/get, completion/complete.
#include <array>

#include "asking_run.hpp"
#include "connection.hpp"
#include "echo.hpp"
#include "lists.hpp"
#include "methods.hpp"
#include "near_names.hpp"
#include "resume.hpp"

namespace gantry::mcp {
namespace {

namespace json = boost::json;

using CallPtr = std::shared_ptr<Call>;

constexpr std::size_t kMostCompletions = 100;

void list_prompts(Connection& connection, const CallPtr& call) {
  Core& core = connection.core();
  core.catalog.prompts().load([&core, call] {
    std::vector<std::string> items;
    for (const auto& entry : core.catalog.prompts().entries()) {
      items.push_back(prompt_json(entry.what, call->revision()));
    }
    answer_list(*call, "prompts", items, core.settings, {core.settings.list_ttl, "public"});
  });
}

/// Arguments of prompts and completions are strings.
bool read_strings(const json::object* given, std::map<std::string, std::string>& out) {
  if (given == nullptr) return true;
  for (const auto& [key, value] : *given) {
    if (!value.is_string()) return false;
    out.emplace(key, value.get_string());
  }
  return true;
}

PromptEvents events_of(const std::shared_ptr<AskingRun>& run) {
  PromptEvents events;
  events.update = [run](const PromptUpdate& update) {
    run->on_asks(update.asks);
    if (!update.prompt) return;
    run->on_result([prompt = *update.prompt](Call& call) {
      ObjectText result;
      result.add_if("description", prompt.description);
      result.raw("messages", messages_json(prompt, call.revision()));
      call.answer(std::move(result));
    });
  };
  events.end = [run](const Error& error) { run->on_end(error); };
  return events;
}

void begin(Connection& connection, const CallPtr& call, const Entry<PromptDescription>& entry,
           std::map<std::string, std::string> arguments, const std::string& arguments_text) {
  for (const PromptParameter& parameter : entry.what.parameters) {
    if (parameter.required && !arguments.contains(parameter.name)) {
      return call->invalid_params("the prompt '" + entry.what.name + "' needs the argument '" +
                                  parameter.name + "'");
    }
  }
  const std::string& name = entry.what.name;
  auto run = std::make_shared<AskingRun>(
      connection.core(),
      RunSubject{call->facts().method, name, run_binding(*call, name, arguments_text)});
  run->attach(call, connection.weak_from_this());
  run->expect(early_answers(*call));
  PromptRequest request;
  request.name = name;
  request.arguments = std::move(arguments);
  request.caller = call->caller();
  request.client = call->facts().client;
  run->set_run(entry.source->get_prompt(std::move(request), events_of(run)));
}

void refuse_unknown_prompt(Core& core, Call& call, const std::string& name) {
  const std::string shown = echoed(name);
  std::vector<std::string> names;
  for (const auto& entry : core.catalog.prompts().entries()) names.push_back(entry.what.name);
  call.fail(
      {kInvalidParams, "Unknown prompt: " + shown, near_matches_json(near_names(shown, names))});
}

void get_prompt(Connection& connection, const CallPtr& call) {
  const auto name = text_member(call->params(), "name");
  if (!name) return call->invalid_params("`name` must be a string, the name of a prompt");
  std::map<std::string, std::string> arguments;
  const json::object* given = object_member(call->params(), "arguments");
  if (!read_strings(given, arguments)) {
    return call->invalid_params("the arguments of a prompt must be strings");
  }
  const std::weak_ptr<Connection> weak = connection.weak_from_this();
  connection.core().catalog.prompts().load([weak, call, name = *name, arguments] {
    const auto alive = weak.lock();
    if (!alive || call->over()) return;
    const auto* entry = alive->core().catalog.prompts().find(name);
    if (entry == nullptr) return refuse_unknown_prompt(alive->core(), *call, name);
    const json::object* object = object_member(call->params(), "arguments");
    const std::string text = object == nullptr ? "{}" : json_text(*object);
    if (resume(*alive, call, name, text)) return;
    begin(*alive, call, *entry, arguments, text);
  });
}

void answer_completions(Call& call, const Completions& found) {
  ArrayText values;
  for (std::size_t i = 0; i < found.values.size() && i < kMostCompletions; ++i) {
    values.add(found.values[i]);
  }
  ObjectText completion;
  completion.raw("values", values.text());
  if (found.total) completion.add("total", *found.total);
  completion.add("hasMore", found.more || found.values.size() > kMostCompletions);
  call.answer(ObjectText().raw("completion", completion.text()));
}

void complete(Connection& connection, const CallPtr& call) {
  const json::object* ref = object_member(call->params(), "ref");
  const json::object* argument = object_member(call->params(), "argument");
  if (ref == nullptr || argument == nullptr) {
    return call->invalid_params("`ref` and `argument` must be objects");
  }
  CompletionRequest request;
  const std::string type = text_member(*ref, "type").value_or("");
  if (type == "ref/prompt") {
    request.prompt = text_member(*ref, "name").value_or("");
  } else if (type == "ref/resource") {
    request.uri_template = text_member(*ref, "uri").value_or("");
  }
  if (request.prompt.empty() && request.uri_template.empty()) {
    return call->invalid_params(
        "`ref` must be {type: ref/prompt, name} or {type: ref/resource, "
        "uri}");
  }
  const auto name = text_member(*argument, "name");
  const auto value = text_member(*argument, "value");
  if (!name || !value) return call->invalid_params("`argument` needs `name` and `value`, strings");
  request.argument = *name;
  request.value = *value;
  const json::object* context = object_member(call->params(), "context");
  if (!read_strings(context == nullptr ? nullptr : object_member(*context, "arguments"),
                    request.context)) {
    return call->invalid_params("the arguments of the context must be strings");
  }
  connection.core().catalog.complete(std::move(request), [call](Result<Completions> found) {
    if (found.ok()) return answer_completions(*call, *found);
    if (found.error().code == Code::NotFound) return call->invalid_params(found.error().message);
    call->fail(refusal(found.error()));
  });
}

constexpr std::array<Method, 3> kPromptMethods{{
    {"prompts/list", list_prompts},
    {"prompts/get", get_prompt},
    {"completion/complete", complete},
}};

}  // namespace

std::span<const Method> prompt_methods() { return kPromptMethods; }

}  // namespace gantry::mcp
