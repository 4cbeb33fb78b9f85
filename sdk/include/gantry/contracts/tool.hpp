// SPDX-License-Identifier: Apache-2.0
//
// Tools for models. Any plugin may serve both contracts below, beside others that do; whoever shows
// tools (MCP, gateways) finds the plugins by gantry.kernel.contracts/1 and calls each by name
// (CallOptions::target, StreamOptions::target). Names are shared by all: the first plugin in
// alphabetical order keeps a name that two use.
#pragma once

#include <gantry/contracts/content.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// What a tool is and takes. The hints are for whoever decides what needs no question; they
/// protect nothing.
struct ToolDescription {
  std::string name;                           // [A-Za-z0-9_.-], 1 to 128 characters
  std::string title;                          // for people; may be empty
  std::string description;                    // for models: what it does and when to use it
  Json input_schema{R"({"type":"object"})"};  // JSON Schema 2020-12 of an object
  std::optional<Json> output_schema;          // of ToolResult::structured, when it always has one
  bool listed = true;                         // false: may be called, is not shown
  bool read_only = false;                     // changes nothing
  bool destructive = true;                    // may destroy or replace something
  bool idempotent = false;                    // the same call again changes nothing more
  bool open_world = true;                     // reaches beyond what this daemon controls
  bool long_running = false;                  // may take seconds: show its progress
  std::string unavailable;  // why it cannot run at present, with the cure; empty: it can
};
BOOST_DESCRIBE_STRUCT(ToolDescription, (),
                      (name, title, description, input_schema, output_schema, listed, read_only,
                       destructive, idempotent, open_world, long_running, unavailable))

struct ToolDescriptions {
  std::vector<ToolDescription> tools;  // in the order in which they are shown
};
BOOST_DESCRIBE_STRUCT(ToolDescriptions, (), (tools))

struct ToolList {
  static constexpr std::string_view kName = "gantry.tool.list/1";
  static constexpr std::string_view kDoc = "Lists the tools of one plugin.";
  using Request = Nothing;
  using Response = ToolDescriptions;
};

/// Severities of the MCP log (RFC 5424), least first.
enum class NoticeLevel : std::uint8_t {
  Debug,
  Info,
  Notice,
  Warning,
  Error,
  Critical,
  Alert,
  Emergency
};
BOOST_DESCRIBE_ENUM(NoticeLevel, Debug, Info, Notice, Warning, Error, Critical, Alert, Emergency)

struct ToolCallRequest {
  std::string name;
  Json arguments{"{}"};  // an object; the tool checks it against its own schema
  std::string caller;    // protocol and client, for audit and traces: "mcp:inspector"
  std::string session;   // whose calls belong together; empty: each stands alone
  ClientAbilities client;
  bool progress = false;               // somebody looks at ToolUpdate::progress
  std::optional<NoticeLevel> notices;  // least severity that anybody reads; empty: none
  std::string principal;               // who asks, as in SessionKey; empty: not known
  std::string workspace;               // folder that the session works in, as its client says; may
                                       // be empty, wrong, or one that the tool must not touch
};
BOOST_DESCRIBE_STRUCT(ToolCallRequest, (),
                      (name, arguments, caller, session, client, progress, notices, principal,
                       workspace))

struct ToolProgress {
  double progress = 0;          // grows with every one
  std::optional<double> total;  // when it is known
  std::string message;
};
BOOST_DESCRIBE_STRUCT(ToolProgress, (), (progress, total, message))

struct ToolNotice {
  NoticeLevel level = NoticeLevel::Info;
  std::string logger;
  Json data{"\"\""};  // any JSON; no secrets
};
BOOST_DESCRIBE_STRUCT(ToolNotice, (), (level, logger, data))

/// A failure of the tool is a result too: `is_error`, and content that says what to do next.
/// `structured` fits the output schema where the tool has one and the call did not fail.
struct ToolResult {
  std::vector<ContentBlock> content;
  std::optional<Json> structured;
  bool is_error = false;
};
BOOST_DESCRIBE_STRUCT(ToolResult, (), (content, structured, is_error))

/// One chunk of a run; any of its members may be filled.
struct ToolUpdate {
  std::optional<ToolProgress> progress;
  std::optional<ToolNotice> notice;
  // Questions that can be put together; the run goes on when all of them are answered.
  std::vector<Ask> asks;
  // The client may hang up now and come back for the rest after so many milliseconds.
  std::optional<std::int64_t> come_back_ms;
  std::optional<ToolResult> result;  // the last chunk
};
BOOST_DESCRIBE_STRUCT(ToolUpdate, (), (progress, notice, asks, come_back_ms, result))

/// Runs a tool. The serving side sends updates, the last one with the result, and closes. The
/// opening side closes to cancel: the tool stops at once. Questions are answered upwards, in any
/// order, each once. Ends with an error: not_found (no such tool), failed_precondition (the client
/// lacks what the tool needs; detail {"required": ["elicit_form", …]}), invalid_argument (the
/// arguments are no object), unavailable.
struct ToolRun {
  static constexpr std::string_view kName = "gantry.tool.run/1";
  static constexpr std::string_view kDoc = "Runs one tool of one plugin.";
  using Opening = ToolCallRequest;
  using Down = ToolUpdate;
  using Up = AskAnswer;
};

/// Published by the plugin whose tools are others than before; also once when it has started, so
/// that whoever shows tools hears of a plugin that came late.
struct ToolsChangedEvent {
  std::string plugin;
};
BOOST_DESCRIBE_STRUCT(ToolsChangedEvent, (), (plugin))

struct ToolsChanged {
  static constexpr std::string_view kName = "gantry.tool.changed/1";
  static constexpr std::string_view kDoc = "The tools of a plugin have changed.";
  using Event = ToolsChangedEvent;
};

}  // namespace gantry
