// SPDX-License-Identifier: Apache-2.0
//
// Turns of the agent engine: what a user said, model calls and tool calls until there is a final
// answer. A session does one turn at a time, the others wait in line. Everything that a turn does
// is in its session's log (gantry.session.watch/1); the calls here start, steer and stop it.
#pragma once

#include <gantry/contracts/content.hpp>
#include <gantry/contracts/session.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// What a call of a tool may do; approvals are decided by it.
enum class ToolClass : std::uint8_t {
  Read,     // changes nothing
  Act,      // changes something: input, files, other programs
  Execute,  // runs code or commands
  Network   // reaches beyond this machine
};
BOOST_DESCRIBE_ENUM(ToolClass, Read, Act, Execute, Network)

enum class ToolPlace : std::uint8_t {
  Daemon,  // runs here
  Client,  // the client that offered it runs it and answers with gantry.turn.results/1
  Nowhere  // was not run: unknown, forbidden, or its arguments do not fit
};
BOOST_DESCRIBE_ENUM(ToolPlace, Daemon, Client, Nowhere)

/// A tool that the client runs itself.
struct ClientTool {
  std::string name;
  std::string description;
  Json schema{R"({"type":"object"})"};  // of the arguments, as the model is told
  std::string capability;               // ocr, vision, embeddings, web_search, browser, or empty
  std::int64_t timeout_ms = 0;          // how long its result may take; 0: the engine's rule
  // Its arguments may name a place by text, candidate or description (ocr_text, candidate_id,
  // source_description, and the same after drag_to_): the client gets x and y instead.
  bool grounded = false;
};
BOOST_DESCRIBE_STRUCT(ClientTool, (), (name, description, schema, capability, timeout_ms, grounded))

/// Text that goes between the system prompt and the history, in the order given.
struct PromptLayer {
  std::string id;
  std::string type;  // for <CLIENT_PROMPT_LAYER type="…">; empty: the text as it is, role user
  std::string content;
};
BOOST_DESCRIBE_STRUCT(PromptLayer, (), (id, type, content))

enum class ApprovalMode : std::uint8_t { Ask, Allow, Deny };
BOOST_DESCRIBE_ENUM(ApprovalMode, Ask, Allow, Deny)

/// Each member can only narrow what the daemon's configuration allows.
struct ToolPolicy {
  std::vector<std::string> daemon_tools;          // names or patterns (web_*, *) of tools run here
  std::optional<std::vector<std::string>> allow;  // nothing else is offered, wherever it runs
  std::vector<std::string> deny;
  std::vector<std::string> disabled_capabilities;
  ApprovalMode read = ApprovalMode::Allow;  // by ToolClass, for tools that run here
  ApprovalMode act = ApprovalMode::Ask;
  ApprovalMode execute = ApprovalMode::Ask;
  ApprovalMode network = ApprovalMode::Allow;
  std::int64_t approval_timeout_ms = 120'000;  // then it is denied
  std::int64_t questionnaire_timeout_ms = 0;   // 0: it waits for as long as the turn may run
  bool questionnaires = false;                 // this protocol can put questions to its user
};
BOOST_DESCRIBE_STRUCT(ToolPolicy, (),
                      (daemon_tools, allow, deny, disabled_capabilities, read, act, execute,
                       network, approval_timeout_ms, questionnaire_timeout_ms, questionnaires))

/// How a turn is done. All of it is frozen when the turn starts.
struct TurnOptions {
  std::string model;           // id of the catalogue; empty: the configured default
  std::string mode = "agent";  // agent, chat
  std::vector<ClientTool> client_tools;
  ToolPolicy tools;
  std::optional<std::string> system_prompt;  // instead of the default one
  std::vector<PromptLayer> layers;
  std::string operating_system;  // of the client, for the default prompt; empty: this machine's
  std::string workspace_path;    // the same
  std::vector<std::string> coordinate_methods;  // manual, ocr, prediction; empty: all
  Json capture{};                               // ImageRef::capture of the last attachment
  // For the provider: temperature, max_output_tokens, effort, web_search, image_output. Anything
  // else is refused.
  Json model_settings{"{}"};
  std::map<std::string, std::string> provider_keys;  // secret; by provider; never kept
  bool transparency = false;                         // log PromptBuilt
  std::int64_t linger_ms = 30'000;     // goes on so long without a watcher; below 0: for ever
  std::int64_t max_ms = 0;             // of the whole turn; 0: the configured limit
  std::int32_t max_model_calls = 0;    // 0: the configured limit
  std::int64_t max_output_tokens = 0;  // of all its model calls; 0: the configured limit
  // Who of the principal's users asks, as limits count them: a protocol without log-in names its
  // connection. Empty: the principal.
  std::string counted_for;
  bool waits = true;  // for a place when too many run; false: refused
};
BOOST_DESCRIBE_STRUCT(TurnOptions, (),
                      (model, mode, client_tools, tools, system_prompt, layers, operating_system,
                       workspace_path, coordinate_methods, capture, model_settings, provider_keys,
                       transparency, linger_ms, max_ms, max_model_calls, max_output_tokens,
                       counted_for, waits))

struct TurnStartRequest {
  SessionKey session;                    // made when it is not there
  std::string turn;                      // unique in its session; empty: made here
  std::string text;                      // what the model reads as the user's message
  std::vector<ContentBlock> content;     // Text and Resource blocks with text, after it
  std::vector<std::string> attachments;  // artifact ids, of this principal
  std::string caller;                    // protocol and client, for audit: "agent_ws:renderer"
  TurnOptions options;
};
BOOST_DESCRIBE_STRUCT(TurnStartRequest, (),
                      (session, turn, text, content, attachments, caller, options))

struct TurnStarted {
  std::string turn;
  std::uint64_t sequence = 0;  // of TurnAccepted: watch from sequence - 1 to see all of the turn
  std::int32_t position = 0;   // turns of the session before it
};
BOOST_DESCRIBE_STRUCT(TurnStarted, (), (turn, sequence, position))

/// Answers as soon as the turn is safely in the log. Above the limits it waits there: users take
/// turns, each in the order in which they asked. Errors: invalid_argument (nothing said),
/// already_exists (the turn's id), resource_exhausted (too many run, or wait; detail {"limit":
/// "principal" | "process"}), aborted (a stop of this turn came before it), not_found (an
/// attachment).
struct TurnStart {
  static constexpr std::string_view kName = "gantry.turn.start/1";
  static constexpr std::string_view kDoc = "Starts a turn, or puts it in line.";
  using Request = TurnStartRequest;
  using Response = TurnStarted;
};

/// What a turn would send to the model; nothing is kept.
struct TurnPreviewed {
  std::string model;
  std::string provider;
  std::string system_prompt;
  std::vector<HistoryRow> messages;  // layers, history, the user's message; as the model reads them
  Json tools{"[]"};                  // [{"name", "description", "parameters"}], canonical names
  std::optional<std::int64_t> prompt_tokens;
  std::string token_error;  // why there is no number
};
BOOST_DESCRIBE_STRUCT(TurnPreviewed, (),
                      (model, provider, system_prompt, messages, tools, prompt_tokens, token_error))

struct TurnPreviewRequest {
  TurnStartRequest turn;                           // its session need not exist
  std::optional<std::vector<HistoryRow>> history;  // instead of the session's
};
BOOST_DESCRIBE_STRUCT(TurnPreviewRequest, (), (turn, history))

struct TurnPreview {
  static constexpr std::string_view kName = "gantry.turn.preview/1";
  static constexpr std::string_view kDoc = "The prompt that a turn would send.";
  using Request = TurnPreviewRequest;
  using Response = TurnPreviewed;
};

struct TurnStopRequest {
  std::string principal;
  std::optional<SessionKey> session;  // only turns of this session
  std::string turn;                   // only this one; empty: all that fit
  std::string reason;                 // for the log
  // When none fits: a turn that fits and starts within so many milliseconds is refused (aborted).
  std::int64_t remember_ms = 0;
};
BOOST_DESCRIBE_STRUCT(TurnStopRequest, (), (principal, session, turn, reason, remember_ms))

struct StoppedTurn {
  SessionKey session;
  std::string turn;
};
BOOST_DESCRIBE_STRUCT(StoppedTurn, (), (session, turn))

struct StoppedTurns {
  std::vector<StoppedTurn> turns;  // in the order in which they had started
};
BOOST_DESCRIBE_STRUCT(StoppedTurns, (), (turns))

/// Answers at once: the model's request is being closed and tools are being ended. TurnFinished
/// with `cancelled` follows within 50 ms. Call it on the control lane.
struct TurnStop {
  static constexpr std::string_view kName = "gantry.turn.stop/1";
  static constexpr std::string_view kDoc = "Stops turns.";
  using Request = TurnStopRequest;
  using Response = StoppedTurns;
};

/// A client's result of one call.
struct ClientToolResult {
  std::string call;  // ToolCallItem::request
  bool success = true;
  std::string output;  // what the model reads: text, or JSON text
  std::string error;   // of a failure
  std::vector<ImageRef> images;
  Json extra;  // kept in the log with the result (system_state, capture_meta …), else null
};
BOOST_DESCRIBE_STRUCT(ClientToolResult, (), (call, success, output, error, images, extra))

struct TurnResultsRequest {
  std::string principal;
  std::vector<ClientToolResult> results;
  std::string bundle;  // ToolCallsBody::bundle: its calls without a result here failed
};
BOOST_DESCRIBE_STRUCT(TurnResultsRequest, (), (principal, results, bundle))

struct TurnResultsTaken {
  std::vector<std::string> unknown;  // calls that nobody waits for (late, or never asked)
};
BOOST_DESCRIBE_STRUCT(TurnResultsTaken, (), (unknown))

/// Never refused for load. Call it on the control lane.
struct TurnResults {
  static constexpr std::string_view kName = "gantry.turn.results/1";
  static constexpr std::string_view kDoc = "Hands over results of tools that the client ran.";
  using Request = TurnResultsRequest;
  using Response = TurnResultsTaken;
};

struct TurnInjectRequest {
  SessionKey session;
  std::string text;
};
BOOST_DESCRIBE_STRUCT(TurnInjectRequest, (), (session, text))

/// Adds a user message to the running turn, before its next model call; when the model has given
/// its last answer meanwhile, it is asked once more. What a turn that ends cannot ask any more is
/// in the history. Errors: failed_precondition (no turn is running), resource_exhausted (five wait
/// already).
struct TurnInject {
  static constexpr std::string_view kName = "gantry.turn.inject/1";
  static constexpr std::string_view kDoc = "Says something to a turn that is running.";
  using Request = TurnInjectRequest;
  using Response = Done;
};

// ---- bodies of SessionEvent ---------------------------------------------------------------------

struct TurnAcceptedBody {
  std::string caller;
  std::string mode;
  std::int32_t position = 0;  // turns of the session before it
};
BOOST_DESCRIBE_STRUCT(TurnAcceptedBody, (), (caller, mode, position))

struct PromptBuiltBody {
  std::string system_prompt;
  std::vector<PromptLayer> layers;
  Json tools{"[]"};  // [{"name", "description", "parameters"}], canonical names
};
BOOST_DESCRIBE_STRUCT(PromptBuiltBody, (), (system_prompt, layers, tools))

struct ModelCallBody {
  std::int32_t iteration = 0;  // from 1
  std::int32_t attempt = 1;    // 2: the one retry
  std::string provider;
  std::string model;
  std::string stop_reason;       // Finished: stop, tools, length, filter, cancelled, error
  std::int64_t duration_ms = 0;  // Finished
};
BOOST_DESCRIBE_STRUCT(ModelCallBody, (),
                      (iteration, attempt, provider, model, stop_reason, duration_ms))

struct UsageBody {
  std::int64_t prompt_tokens = 0;
  std::int64_t visible_output_tokens = 0;
  std::optional<std::int64_t> thinking_tokens;
  std::int64_t output_tokens_total = 0;
  std::int64_t total_tokens = 0;
  std::int64_t conversation_tokens = 0;  // the history as it is now
  std::string usage_source;              // provider, estimated
  std::optional<std::int64_t> cached_tokens;
};
BOOST_DESCRIBE_STRUCT(UsageBody, (),
                      (prompt_tokens, visible_output_tokens, thinking_tokens, output_tokens_total,
                       total_tokens, conversation_tokens, usage_source, cached_tokens))

/// How the places that a grounded tool was asked for became pixels of the client's desktop.
struct ToolGrounding {
  std::string method;             // manual, ocr, prediction: of the call's first place
  std::int32_t source_width = 0;  // of the picture that the model pointed into; 0: not known
  std::int32_t source_height = 0;
  std::int32_t target_width = 0;  // of what x and y are pixels of; 0: not known
  std::int32_t target_height = 0;
  Json asked{"{}"};  // the arguments as the model wrote them
};
BOOST_DESCRIBE_STRUCT(ToolGrounding, (),
                      (method, source_width, source_height, target_width, target_height, asked))

struct ToolCallItem {
  std::string id;        // the model's
  std::string request;   // unique in the daemon: what results and approvals name
  std::string name;      // as the model called it
  std::string tool;      // canonical name; empty: there is no such tool
  Json arguments{"{}"};  // repaired when the model's were malformed; {} when that failed
  ToolClass kind = ToolClass::Read;
  ToolPlace place = ToolPlace::Daemon;
  std::string problem;  // why it is Nowhere: a failed ToolResult follows, nobody must run it
  std::int64_t timeout_ms = 0;
  std::optional<ToolGrounding> grounding;
};
BOOST_DESCRIBE_STRUCT(ToolCallItem, (),
                      (id, request, name, tool, arguments, kind, place, problem, timeout_ms,
                       grounding))

struct ToolCallsBody {
  std::string bundle;  // id; not empty when the client has two or more of them to run
  std::vector<ToolCallItem> calls;
};
BOOST_DESCRIBE_STRUCT(ToolCallsBody, (), (bundle, calls))

struct ToolProgressBody {
  std::string request;
  std::string tool;
  double progress = 0;
  std::optional<double> total;
};
BOOST_DESCRIBE_STRUCT(ToolProgressBody, (), (request, tool, progress, total))

/// How a call ended.
enum class ToolEnd : std::uint8_t {
  Done,       // it ran; is_error says how
  Rejected,   // unknown, forbidden, or the arguments do not fit
  Denied,     // not approved
  TimedOut,   // no result in time
  Cancelled,  // the turn was stopped
  Restarted   // the daemon ended meanwhile: it may have run or not
};
BOOST_DESCRIBE_ENUM(ToolEnd, Done, Rejected, Denied, TimedOut, Cancelled, Restarted)

struct ToolResultBody {
  std::string id;       // the model's
  std::string request;  // ours
  std::string name;     // as the model called it
  std::string tool;
  ToolPlace place = ToolPlace::Daemon;
  ToolEnd end = ToolEnd::Done;
  bool is_error = false;
  std::string output;  // as the tool gave it, within the configured limit
  bool truncated = false;
  std::optional<Json> structured;
  std::vector<ImageRef> images;
  std::int64_t duration_ms = 0;
  Json extra;  // ClientToolResult::extra, else null
};
BOOST_DESCRIBE_STRUCT(ToolResultBody, (),
                      (id, request, name, tool, place, end, is_error, output, truncated, structured,
                       images, duration_ms, extra))

struct HistoryUpdatedBody {
  std::uint64_t revision = 0;
  std::int64_t rows = 0;
};
BOOST_DESCRIBE_STRUCT(HistoryUpdatedBody, (), (revision, rows))

/// The codes of the published text of the agent backend, as they appear in logs and metrics.
enum class AgentErrorCode : std::uint8_t {
  CONFIG_ERROR,
  LLM_ERROR,
  LLM_API_ERROR,
  LLM_RATE_LIMIT,
  TOOL_EXECUTION_ERROR,
  TOOL_VALIDATION_ERROR,
  TOOL_NOT_FOUND,
  MEMORY_ERROR,
  MEMORY_STORE_ERROR,
  EMBEDDING_ERROR,
  SESSION_ERROR,
  INPUT_SIZE_LIMIT_ERROR,
  PARSE_TIMEOUT_ERROR,
  PARSE_VALIDATION_ERROR
};
BOOST_DESCRIBE_ENUM(AgentErrorCode, CONFIG_ERROR, LLM_ERROR, LLM_API_ERROR, LLM_RATE_LIMIT,
                    TOOL_EXECUTION_ERROR, TOOL_VALIDATION_ERROR, TOOL_NOT_FOUND, MEMORY_ERROR,
                    MEMORY_STORE_ERROR, EMBEDDING_ERROR, SESSION_ERROR, INPUT_SIZE_LIMIT_ERROR,
                    PARSE_TIMEOUT_ERROR, PARSE_VALIDATION_ERROR)

struct ErrorBody {
  AgentErrorCode code = AgentErrorCode::LLM_ERROR;
  std::string message;  // for the principal: no secrets, but a protocol may say less
  std::string provider;
  std::int32_t http_status = 0;     // of the provider; 0: none
  std::int64_t retry_after_ms = 0;  // 0: unknown
  bool retryable = false;
};
BOOST_DESCRIBE_STRUCT(ErrorBody, (),
                      (code, message, provider, http_status, retry_after_ms, retryable))

enum class TurnEnd : std::uint8_t {
  Completed,  // with a final text
  Cancelled,  // somebody stopped it
  Abandoned,  // nobody watched it for too long
  Failed,     // Error came before
  Limit,      // a budget of the turn was used up; the text says which
  Restarted   // the daemon ended meanwhile
};
BOOST_DESCRIBE_ENUM(TurnEnd, Completed, Cancelled, Abandoned, Failed, Limit, Restarted)

struct TurnFinishedBody {
  TurnEnd end = TurnEnd::Completed;
  std::string final_text;
  bool final_was_empty = false;  // final_text was made here, for the model said nothing
  std::string reason;            // of the other ends
  std::int32_t model_calls = 0;
  std::int32_t tool_calls = 0;
  std::int64_t input_tokens = 0;   // of all model calls
  std::int64_t output_tokens = 0;  // of all model calls
  std::int64_t duration_ms = 0;
};
BOOST_DESCRIBE_STRUCT(TurnFinishedBody, (),
                      (end, final_text, final_was_empty, reason, model_calls, tool_calls,
                       input_tokens, output_tokens, duration_ms))

// ---- the registry -------------------------------------------------------------------------------

struct AgentToolsRequest {
  std::string mode = "agent";
  std::vector<ClientTool> client_tools;
  ToolPolicy tools;
};
BOOST_DESCRIBE_STRUCT(AgentToolsRequest, (), (mode, client_tools, tools))

struct AgentTool {
  std::string name;  // canonical: what policies and models name
  std::string description;
  Json schema{R"({"type":"object"})"};
  std::string plugin;  // that runs it; empty: the client
  ToolClass kind = ToolClass::Read;
  ToolPlace place = ToolPlace::Daemon;
  std::string capability;
  bool offered = false;  // to the model, with this policy
  std::string reason;    // why not
};
BOOST_DESCRIBE_STRUCT(AgentTool, (),
                      (name, description, schema, plugin, kind, place, capability, offered, reason))

struct AgentToolList {
  std::vector<AgentTool> tools;  // by name
};
BOOST_DESCRIBE_STRUCT(AgentToolList, (), (tools))

struct AgentTools {
  static constexpr std::string_view kName = "gantry.agent.tools/1";
  static constexpr std::string_view kDoc = "All tools, and which of them a turn would be offered.";
  using Request = AgentToolsRequest;
  using Response = AgentToolList;
};

}  // namespace gantry
