// SPDX-License-Identifier: Apache-2.0
//
// The frames that the server sends, as the published text has them.
#pragma once

#include <gantry/json.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gantry::chat_aide {

/// US dollars for a million tokens.
struct Pricing {
  double prompt = 0;
  double completion = 0;
};
BOOST_DESCRIBE_STRUCT(Pricing, (), (prompt, completion))

struct Capabilities {
  bool vision = false;
  bool tools = false;
  bool online = false;
};
BOOST_DESCRIBE_STRUCT(Capabilities, (), (vision, tools, online))

/// What is not known of a model is left out.
struct ModelRow {
  std::string id;  // provider:model
  std::string name;
  std::string provider;
  std::optional<std::int64_t> context_length;
  std::optional<Pricing> pricing;
  Capabilities capabilities;
};
BOOST_DESCRIBE_STRUCT(ModelRow, (), (id, name, provider, context_length, pricing, capabilities))

// `default` is a word of the language: models_frame() writes that member.
struct ModelsFrame {
  std::string type = "models";
  std::vector<ModelRow> models;
};
BOOST_DESCRIBE_STRUCT(ModelsFrame, (), (type, models))

struct TextFrame {
  std::string type = "text";
  std::string content;
};
BOOST_DESCRIBE_STRUCT(TextFrame, (), (type, content))

struct ToolStartFrame {
  std::string type = "tool_start";
  std::string call_id;
  std::string tool_name;
  Json arguments{"{}"};
};
BOOST_DESCRIBE_STRUCT(ToolStartFrame, (), (type, call_id, tool_name, arguments))

struct ToolDoneFrame {
  std::string type = "tool_done";
  std::string call_id;
  std::string tool_name;
  bool success = false;
  std::string result_summary;  // at most 500 characters
  bool confirmed = false;      // a confirmation was asked for and given
};
BOOST_DESCRIBE_STRUCT(ToolDoneFrame, (),
                      (type, call_id, tool_name, success, result_summary, confirmed))

struct ConfirmationFrame {
  std::string type = "confirmation_required";
  std::string call_id;
  std::string tool_name;
  Json arguments{"{}"};
  std::string description;
};
BOOST_DESCRIBE_STRUCT(ConfirmationFrame, (), (type, call_id, tool_name, arguments, description))

struct ImagesFrame {
  std::string type = "images";
  std::vector<std::string> data_urls;
};
BOOST_DESCRIBE_STRUCT(ImagesFrame, (), (type, data_urls))

struct UsageRow {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
};
BOOST_DESCRIBE_STRUCT(UsageRow, (), (input_tokens, output_tokens))

struct DoneFrame {
  std::string type = "done";
  std::string text;
  std::int32_t tool_calls_made = 0;
  UsageRow usage;
  std::string session_id;  // the conversation; beyond the published text
};
BOOST_DESCRIBE_STRUCT(DoneFrame, (), (type, text, tool_calls_made, usage, session_id))

struct ErrorFrame {
  std::string type = "error";
  std::string message;
};
BOOST_DESCRIBE_STRUCT(ErrorFrame, (), (type, message))

/// {"type":"models","models":[…],"default":"provider:model"}
[[nodiscard]] std::string models_frame(std::vector<ModelRow> models,
                                       const std::string& default_model);
[[nodiscard]] std::string error_frame(std::string message);

/// The beginning of a text, of at most 500 characters with the three dots that say so.
[[nodiscard]] std::string summary_of(std::string_view text);

}  // namespace gantry::chat_aide
