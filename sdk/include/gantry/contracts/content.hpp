// SPDX-License-Identifier: Apache-2.0
//
// What tools, resources and prompts hand to clients and models: blocks of content, and the
// questions that they may put to a client meanwhile. The shapes follow the Model Context Protocol
// (2025-11-25, "Tool Result", "Elicitation", "Sampling"), so that a protocol plugin only
// translates.
#pragma once

#include <gantry/buffer.hpp>
#include <gantry/contracts/common.hpp>
#include <gantry/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gantry {

/// Text     `text`
/// Image    `data`, `media_type` (image/png, …)
/// Audio    `data`, `media_type` (audio/wav, …)
/// Resource the resource itself: `uri`, `media_type`, and `text`, or `data` when it is binary
/// Link     only where it is: `uri`, `name`, and what is known of it
enum class ContentKind : std::uint8_t { Text, Image, Audio, Resource, Link };
BOOST_DESCRIBE_ENUM(ContentKind, Text, Image, Audio, Resource, Link)

/// Hints for the client; nothing relies on them.
struct ContentAnnotations {
  std::vector<std::string> audience;  // user, assistant
  std::optional<double> priority;     // 0 (may be left out) to 1 (needed)
  std::string last_modified;          // ISO 8601
};
BOOST_DESCRIBE_STRUCT(ContentAnnotations, (), (audience, priority, last_modified))

struct ContentBlock {
  ContentKind kind = ContentKind::Text;
  std::string text;
  Buffer data;  // the bytes themselves, never base64
  std::string media_type;
  std::string uri;
  std::string name;
  std::string title;
  std::string description;
  std::optional<std::int64_t> size;  // of the linked resource, bytes
  std::optional<ContentAnnotations> annotations;
};
BOOST_DESCRIBE_STRUCT(ContentBlock, (),
                      (kind, text, data, media_type, uri, name, title, description, size,
                       annotations))

/// What the client at the other end declared that it can do.
struct ClientAbilities {
  bool elicit_form = false;  // ask its user with a form
  bool elicit_url = false;   // ask its user to open an address
  bool sampling = false;     // let its model write something
  bool sampling_tools = false;
  bool roots = false;  // tell the folders that it works in
};
BOOST_DESCRIBE_STRUCT(ClientAbilities, (),
                      (elicit_form, elicit_url, sampling, sampling_tools, roots))

enum class AskKind : std::uint8_t { ElicitForm, ElicitUrl, Sample, Roots };
BOOST_DESCRIBE_ENUM(AskKind, ElicitForm, ElicitUrl, Sample, Roots)

/// A question to the client. `params` are those of the MCP request, without mode and message:
///   ElicitForm {"requestedSchema": {…}}
///   ElicitUrl  {"url": …, "elicitationId": …}
///   Sample     {"messages": […], "maxTokens": …, …}
///   Roots      {}
/// An ask of a kind that the client cannot answer ends the run as failed_precondition.
struct Ask {
  std::string id;  // unique within the run
  AskKind kind = AskKind::ElicitForm;
  std::string message;  // what the user reads (ElicitForm, ElicitUrl)
  Json params{"{}"};
};
BOOST_DESCRIBE_STRUCT(Ask, (), (id, kind, message, params))

/// The client's answer: the MCP result as it came ({"action": "accept", "content": {…}},
/// {"role": …, "content": …}, {"roots": […]}), checked to be an object. `error` is not empty when
/// the client refused or could not.
struct AskAnswer {
  std::string id;
  Json result{"{}"};
  std::string error;
};
BOOST_DESCRIBE_STRUCT(AskAnswer, (), (id, result, error))

}  // namespace gantry
