// SPDX-License-Identifier: Apache-2.0
//
// Prompts: texts that a user picks to begin with. Any plugin may serve them, beside others; they
// are found like tools (contracts/tool.hpp).
#pragma once

#include <gantry/contracts/content.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

struct PromptParameter {
  std::string name;
  std::string title;
  std::string description;
  bool required = false;
};
BOOST_DESCRIBE_STRUCT(PromptParameter, (), (name, title, description, required))

struct PromptDescription {
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptParameter> parameters;
};
BOOST_DESCRIBE_STRUCT(PromptDescription, (), (name, title, description, parameters))

struct PromptDescriptions {
  std::vector<PromptDescription> prompts;
};
BOOST_DESCRIBE_STRUCT(PromptDescriptions, (), (prompts))

struct PromptList {
  static constexpr std::string_view kName = "gantry.prompt.list/1";
  static constexpr std::string_view kDoc = "Lists the prompts of one plugin.";
  using Request = Nothing;
  using Response = PromptDescriptions;
};

struct PromptRequest {
  std::string name;
  std::map<std::string, std::string> arguments;
  std::string caller;  // protocol and client, for audit and traces
  ClientAbilities client;
};
BOOST_DESCRIBE_STRUCT(PromptRequest, (), (name, arguments, caller, client))

enum class PromptRole : std::uint8_t { User, Assistant };
BOOST_DESCRIBE_ENUM(PromptRole, User, Assistant)

struct PromptMessage {
  PromptRole role = PromptRole::User;
  ContentBlock content;
};
BOOST_DESCRIBE_STRUCT(PromptMessage, (), (role, content))

struct PromptText {
  std::string description;
  std::vector<PromptMessage> messages;
};
BOOST_DESCRIBE_STRUCT(PromptText, (), (description, messages))

/// Questions, or the prompt, which is the last chunk.
struct PromptUpdate {
  std::vector<Ask> asks;
  std::optional<PromptText> prompt;
};
BOOST_DESCRIBE_STRUCT(PromptUpdate, (), (asks, prompt))

/// Writes a prompt. Ends with an error: not_found (no such prompt), invalid_argument (an argument
/// is missing or wrong), failed_precondition as in ToolRun.
struct PromptGet {
  static constexpr std::string_view kName = "gantry.prompt.get/1";
  static constexpr std::string_view kDoc = "Writes one prompt of one plugin.";
  using Opening = PromptRequest;
  using Down = PromptUpdate;
  using Up = AskAnswer;
};

/// What is being completed: an argument of a prompt, or a variable of a resource template.
struct CompletionRequest {
  std::string prompt;        // name; empty: a resource template
  std::string uri_template;  // empty: a prompt
  std::string argument;
  std::string value;                           // what has been typed
  std::map<std::string, std::string> context;  // the other arguments, as far as they are known
};
BOOST_DESCRIBE_STRUCT(CompletionRequest, (), (prompt, uri_template, argument, value, context))

struct Completions {
  std::vector<std::string> values;  // the best first, at most 100
  std::optional<std::int64_t> total;
  bool more = false;
};
BOOST_DESCRIBE_STRUCT(Completions, (), (values, total, more))

/// Errors: not_found (not one of this plugin's). Nothing that fits is no error.
struct Complete {
  static constexpr std::string_view kName = "gantry.prompt.complete/1";
  static constexpr std::string_view kDoc = "Completes an argument of a prompt or of a resource.";
  using Request = CompletionRequest;
  using Response = Completions;
};

struct PromptsChangedEvent {
  std::string plugin;
};
BOOST_DESCRIBE_STRUCT(PromptsChangedEvent, (), (plugin))

/// Published by the plugin whose prompts are others than before; also once when it has started.
struct PromptsChanged {
  static constexpr std::string_view kName = "gantry.prompt.changed/1";
  static constexpr std::string_view kDoc = "The prompts of a plugin have changed.";
  using Event = PromptsChangedEvent;
};

}  // namespace gantry
