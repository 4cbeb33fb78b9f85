// SPDX-License-Identifier: Apache-2.0
//
// Sessions of the agent engine: conversations with a model, whichever protocol holds them. A
// session is named by who owns it, where it works and a key that its protocol chose; it has a
// history (what the model is shown) and an append-only log of events with gapless sequence numbers
// (what happened). The log is written before anything of it is sent, so a client that comes back
// goes on from the last number that it saw.
//
// Whoever calls has already found out who the principal is (gantry.identity.*): the engine keeps
// principals apart and believes the name. Errors of all calls: invalid_argument, not_found (no such
// session of this principal), unavailable (the store).
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// Names one session. Two workspaces, or two principals, never share one.
struct SessionKey {
  std::string principal;  // "local", or what the identity contract answered; not empty
  std::string workspace;  // the protocol's idea of a place; may be empty
  std::string key;        // chosen by the client; may be empty
  friend bool operator==(const SessionKey&, const SessionKey&) = default;
};
BOOST_DESCRIBE_STRUCT(SessionKey, (), (principal, workspace, key))

enum class RowRole : std::uint8_t { User, Assistant, Tool, System };
BOOST_DESCRIBE_ENUM(RowRole, User, Assistant, Tool, System)

enum class RowType : std::uint8_t { UserQuery, AssistantResponse, ToolOutput, ContextCompaction };
BOOST_DESCRIBE_ENUM(RowType, UserQuery, AssistantResponse, ToolOutput, ContextCompaction)

/// A call that the model asked for, as the model wrote it.
struct ModelToolCall {
  std::string id;    // the model's own; unique within its answer
  std::string name;  // as the model was told it
  Json arguments{"{}"};
};
BOOST_DESCRIBE_STRUCT(ModelToolCall, (), (id, name, arguments))

/// A picture that belongs to a row or an event; its bytes are an artifact's.
struct ImageRef {
  std::string artifact;  // id; empty: the picture was shown once and not kept
  std::string media_type;
  std::string name;
  Json capture{};  // what of a desktop it shows, as its client says (capture_meta), else null
};
BOOST_DESCRIBE_STRUCT(ImageRef, (), (artifact, media_type, name, capture))

/// One message of the history that the model is shown. Every row of type ToolOutput answers a call
/// of an earlier row, and every call is answered before the next UserQuery.
struct HistoryRow {
  std::string id;    // made here when empty
  std::string turn;  // empty: not from a turn of this daemon
  RowRole role = RowRole::User;
  RowType type = RowType::UserQuery;
  std::string text;
  std::string thinking;
  std::vector<ModelToolCall> calls;  // AssistantResponse
  std::string call;                  // ToolOutput: ModelToolCall::id
  std::string tool;                  // ToolOutput: name of the tool
  bool is_error = false;
  std::vector<ImageRef> images;
  Json provider;           // what the model's provider wants back (signatures), else null
  Json facts;              // of a compaction, else null
  std::int64_t at_ms = 0;  // wall clock, milliseconds since 1970
};
BOOST_DESCRIBE_STRUCT(HistoryRow, (),
                      (id, turn, role, type, text, thinking, calls, call, tool, is_error, images,
                       provider, facts, at_ms))

struct SessionInfo {
  SessionKey session;
  std::string title;  // empty: none was given
  Json metadata{"{}"};
  std::string model;  // of the latest turn
  std::int64_t created_ms = 0;
  std::int64_t updated_ms = 0;
  std::uint64_t last_sequence = 0;  // of the log; 0: nothing has happened yet
  std::uint64_t history_revision = 0;
  std::int64_t messages = 0;  // rows of the history
  std::int64_t conversation_tokens = 0;
  std::int64_t input_tokens = 0;   // of all model calls so far
  std::int64_t output_tokens = 0;  // of all model calls so far
  std::int32_t compactions = 0;
  std::string running_turn;  // empty: idle
  std::string phase;         // queued, model, tools, approval, questionnaire, compaction, or empty
  std::string running_tool;
  std::int32_t iteration = 0;  // model calls of the running turn
  std::vector<std::string> queued_turns;
};
BOOST_DESCRIBE_STRUCT(SessionInfo, (),
                      (session, title, metadata, model, created_ms, updated_ms, last_sequence,
                       history_revision, messages, conversation_tokens, input_tokens, output_tokens,
                       compactions, running_turn, phase, running_tool, iteration, queued_turns))

struct SessionOpenRequest {
  SessionKey session;
  bool create = true;  // false: not_found when there is none
  std::string title;   // of a new one
  Json metadata{"{}"};
};
BOOST_DESCRIBE_STRUCT(SessionOpenRequest, (), (session, create, title, metadata))

/// Also the way to look at one session (`create` false).
struct SessionOpen {
  static constexpr std::string_view kName = "gantry.session.open/1";
  static constexpr std::string_view kDoc = "Opens a session of the agent engine, or makes it.";
  using Request = SessionOpenRequest;
  using Response = SessionInfo;
};

struct SessionListRequest {
  std::string principal;
  std::optional<std::string> workspace;  // only of this one
  std::int32_t limit = 20;               // 1 to 1000
  std::int64_t offset = 0;
};
BOOST_DESCRIBE_STRUCT(SessionListRequest, (), (principal, workspace, limit, offset))

struct SessionInfoList {
  std::vector<SessionInfo> sessions;  // latest change first
  std::int64_t total = 0;
};
BOOST_DESCRIBE_STRUCT(SessionInfoList, (), (sessions, total))

struct SessionList {
  static constexpr std::string_view kName = "gantry.session.list/1";
  static constexpr std::string_view kDoc = "Lists a principal's sessions, latest change first.";
  using Request = SessionListRequest;
  using Response = SessionInfoList;
};

struct SessionPatchRequest {
  SessionKey session;
  std::optional<std::string> title;
  std::optional<Json> metadata;  // replaces all of it; an object
};
BOOST_DESCRIBE_STRUCT(SessionPatchRequest, (), (session, title, metadata))

struct SessionPatch {
  static constexpr std::string_view kName = "gantry.session.patch/1";
  static constexpr std::string_view kDoc = "Changes a session's title or metadata.";
  using Request = SessionPatchRequest;
  using Response = SessionInfo;
};

struct SessionHistoryRequest {
  SessionKey session;
};
BOOST_DESCRIBE_STRUCT(SessionHistoryRequest, (), (session))

struct SessionHistoryRows {
  std::uint64_t revision = 0;  // grows whenever the rows change
  std::vector<HistoryRow> rows;
  std::string system_prompt;  // set by rehydrate; empty: made for each turn
};
BOOST_DESCRIBE_STRUCT(SessionHistoryRows, (), (revision, rows, system_prompt))

struct SessionHistory {
  static constexpr std::string_view kName = "gantry.session.history/1";
  static constexpr std::string_view kDoc = "The messages that the model is shown.";
  using Request = SessionHistoryRequest;
  using Response = SessionHistoryRows;
};

struct SessionRehydrateRequest {
  SessionKey session;
  std::vector<HistoryRow> rows;  // instead of the whole history
  std::string system_prompt;     // not empty: instead of the usual one
  std::string source;            // protocol, for the log
};
BOOST_DESCRIBE_STRUCT(SessionRehydrateRequest, (), (session, rows, system_prompt, source))

/// Replaces the history (an empty one resets the session). Errors: invalid_argument (a tool output
/// without its call, a call without its output: the text names it), failed_precondition (a turn is
/// running).
struct SessionRehydrate {
  static constexpr std::string_view kName = "gantry.session.rehydrate/1";
  static constexpr std::string_view kDoc = "Replaces a session's history; makes the session.";
  using Request = SessionRehydrateRequest;
  using Response = SessionHistoryRows;
};

struct SessionAppendRequest {
  SessionKey session;
  HistoryRow row;  // User or Assistant, no calls
};
BOOST_DESCRIBE_STRUCT(SessionAppendRequest, (), (session, row))

/// Adds one message without a turn. While a turn runs it is added when that ends.
struct SessionAppend {
  static constexpr std::string_view kName = "gantry.session.append/1";
  static constexpr std::string_view kDoc = "Adds a message to a session's history.";
  using Request = SessionAppendRequest;
  using Response = SessionInfo;
};

struct SessionCompactRequest {
  SessionKey session;
  bool force = true;                      // false: only when the history is over its limit
  std::optional<std::int32_t> keep_last;  // user messages that stay; else the configured number
  std::string model;                      // writes the summary; empty: the session's
};
BOOST_DESCRIBE_STRUCT(SessionCompactRequest, (), (session, force, keep_last, model))

/// What a compaction did; also the body of EventKind::CompactionStarted, -Finished and -Failed.
struct CompactionReport {
  std::string reason;    // manual, auto, auto-mid, overflow
  std::string strategy;  // inline, manual
  std::int64_t before_tokens = 0;
  std::int64_t projected_tokens = 0;
  std::int64_t after_tokens = 0;
  std::int64_t removed_messages = 0;
  std::string summary;
  std::vector<HistoryRow> rows;  // the history afterwards (Finished)
  std::string skipped;  // disabled, below-threshold, insufficient-history, not-applied; or empty
  std::string error;    // Failed
};
BOOST_DESCRIBE_STRUCT(CompactionReport, (),
                      (reason, strategy, before_tokens, projected_tokens, after_tokens,
                       removed_messages, summary, rows, skipped, error))

/// Errors: failed_precondition (a turn is running), and what the model's provider says.
struct SessionCompact {
  static constexpr std::string_view kName = "gantry.session.compact/1";
  static constexpr std::string_view kDoc = "Replaces the older part of a history by a summary.";
  using Request = SessionCompactRequest;
  using Response = CompactionReport;
};

struct SessionDeleteRequest {
  SessionKey session;
};
BOOST_DESCRIBE_STRUCT(SessionDeleteRequest, (), (session))

/// Stops its turns first. Deleting what is not there is not_found.
struct SessionDelete {
  static constexpr std::string_view kName = "gantry.session.delete/1";
  static constexpr std::string_view kDoc = "Deletes a session with its history and log.";
  using Request = SessionDeleteRequest;
  using Response = Done;
};

/// What happened. The body's type is named; the others have none. In the order of a turn:
enum class EventKind : std::uint8_t {
  TurnAccepted,            // TurnAcceptedBody; synced before turn.start answers
  TurnStarted,             // its wait for earlier turns is over
  UserMessage,             // HistoryRow
  PromptBuilt,             // PromptBuiltBody; once, only with TurnOptions::transparency
  ModelCallStarted,        // ModelCallBody
  ThinkingDelta,           // text
  TextDelta,               // text
  Image,                   // ImageRef: the model made a picture
  Search,                  // LlmSearchStep: a step of the provider's own web search
  ModelCallFinished,       // ModelCallBody
  Usage,                   // UsageBody
  AssistantMessage,        // HistoryRow: the whole answer of one model call
  ToolCalls,               // ToolCallsBody: all that one answer asks for
  ToolProgress,            // ToolProgressBody
  ToolResult,              // ToolResultBody: one call has its answer
  ApprovalRequested,       // Approval
  ApprovalAnswered,        // Approval
  QuestionnaireRequested,  // Questionnaire
  QuestionnaireAnswered,   // Questionnaire
  CompactionStarted,       // CompactionReport
  CompactionFinished,      // CompactionReport
  CompactionFailed,        // CompactionReport
  HistoryReplaced,         // SessionHistoryRows
  HistoryUpdated,          // HistoryUpdatedBody: a step of the turn is in the history
  Notice,                  // text: something that the user should know; the turn goes on
  Error,                   // ErrorBody: the turn fails
  TurnFinished             // TurnFinishedBody; synced
};
BOOST_DESCRIBE_ENUM(EventKind, TurnAccepted, TurnStarted, UserMessage, PromptBuilt,
                    ModelCallStarted, ThinkingDelta, TextDelta, Image, Search, ModelCallFinished,
                    Usage, AssistantMessage, ToolCalls, ToolProgress, ToolResult, ApprovalRequested,
                    ApprovalAnswered, QuestionnaireRequested, QuestionnaireAnswered,
                    CompactionStarted, CompactionFinished, CompactionFailed, HistoryReplaced,
                    HistoryUpdated, Notice, Error, TurnFinished)

/// One entry of the log. Deltas that came while an earlier write was under way are one event.
struct SessionEvent {
  std::uint64_t sequence = 0;  // from 1, without gaps, per session
  std::string turn;            // empty: of no turn
  std::int64_t at_ms = 0;      // wall clock, milliseconds since 1970
  EventKind kind = EventKind::Notice;
  std::string text;
  Json body;  // the JSON form of the struct named at `kind`; read it with from_json<T>()
};
BOOST_DESCRIBE_STRUCT(SessionEvent, (), (sequence, turn, at_ms, kind, text, body))

struct SessionWatchRequest {
  SessionKey session;
  std::uint64_t after_sequence = 0;  // replay begins with the next one
  std::string turn;  // only this turn's events (and it counts as this turn's watcher); empty: all
  bool live_only = false;  // begin with what happens from now on, whatever after_sequence says
};
BOOST_DESCRIBE_STRUCT(SessionWatchRequest, (), (session, after_sequence, turn, live_only))

/// Events in order. `caught_up` is true once, on the batch (maybe without events) after which what
/// arrives is live.
struct SessionEvents {
  std::vector<SessionEvent> events;
  bool caught_up = false;
};
BOOST_DESCRIBE_STRUCT(SessionEvents, (), (events, caught_up))

/// A watcher that reads slowly gets everything, later; it holds up nobody. With `turn` the stream
/// ends normally after TurnFinished. Errors: not_found (no such session, or no such turn in it),
/// out_of_range (after_sequence is beyond the log).
struct SessionWatch {
  static constexpr std::string_view kName = "gantry.session.watch/1";
  static constexpr std::string_view kDoc = "A session's log from a number on, then live.";
  using Opening = SessionWatchRequest;
  using Down = SessionEvents;
  using Up = Nothing;
};

struct SessionPollRequest {
  SessionKey session;
  std::uint64_t after_sequence = 0;
  std::string turn;          // only this turn's events (and it counts as watched); empty: all
  std::int32_t limit = 200;  // 1 to 1000
  std::int64_t wait_ms = 0;  // how long to wait for an event when there is none yet
};
BOOST_DESCRIBE_STRUCT(SessionPollRequest, (), (session, after_sequence, turn, limit, wait_ms))

/// For whoever cannot hold a stream. No events: none came in time. Errors as of SessionWatch.
struct SessionPoll {
  static constexpr std::string_view kName = "gantry.session.poll/1";
  static constexpr std::string_view kDoc = "Events of a session's log after a number.";
  using Request = SessionPollRequest;
  using Response = SessionEvents;
};

}  // namespace gantry
