// SPDX-License-Identifier: Apache-2.0
//
// Language models. Several plugins serve these contracts side by side; whoever lets a model answer
// finds them by gantry.kernel.contracts/1, reads each one's catalogue and calls the one that has
// the model by name (CallOptions::target, StreamOptions::target). A model is (provider, id): one
// plugin may serve several providers (endpoints), and two providers may have an id of the same
// name.
#pragma once

#include <gantry/buffer.hpp>
#include <gantry/contracts/common.hpp>
#include <gantry/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

// ---- secrets ------------------------------------------------------------------------------------

/// A credential. Never logged, traced, stored or put into an error: whoever prints a message that
/// holds one prints *** in its place.
struct LlmSecret {
  std::string value;

  [[nodiscard]] bool empty() const { return value.empty(); }
  friend bool operator==(const LlmSecret&, const LlmSecret&) = default;
};
BOOST_DESCRIBE_STRUCT(LlmSecret, (), (value))

/// A credential of one session for one provider; it goes before the configured one. An empty key
/// means the configured one.
struct LlmCredential {
  std::string provider;
  LlmSecret api_key;
};
BOOST_DESCRIBE_STRUCT(LlmCredential, (), (provider, api_key))

// ---- messages -----------------------------------------------------------------------------------

enum class LlmRole : std::uint8_t { System, User, Assistant, Tool };
BOOST_DESCRIBE_ENUM(LlmRole, System, User, Assistant, Tool)

/// How closely the model looks at an image, where the provider lets one say so.
enum class LlmDetail : std::uint8_t { Auto, Low, High };
BOOST_DESCRIBE_ENUM(LlmDetail, Auto, Low, High)

/// The bytes are PNG, JPEG, WebP or GIF. `artifact` names where the caller keeps the image and
/// means nothing to a provider: who opens the stream loads the bytes (and checks their owner).
struct LlmImage {
  Buffer data;
  std::string media_type;  // image/png, …
  std::string artifact;
  LlmDetail detail = LlmDetail::Auto;
};
BOOST_DESCRIBE_STRUCT(LlmImage, (), (data, media_type, artifact, detail))

/// Something that only its provider understands (the signature of a thought, encrypted reasoning).
/// It goes back unchanged with the history; other plugins and models leave it out.
struct LlmOpaque {
  std::string plugin;  // who made it
  std::string model;
  std::string data;
};
BOOST_DESCRIBE_STRUCT(LlmOpaque, (), (plugin, model, data))

/// A call that the model wants. `arguments` is always an object: what the model wrote, repaired
/// where that was possible. `problem` is not empty when it was not: then nobody may run the call,
/// and its result is that problem.
struct LlmToolCall {
  std::string id;  // unique within the history; the result names it
  std::string name;
  Json arguments{"{}"};
  std::string problem;
};
BOOST_DESCRIBE_STRUCT(LlmToolCall, (), (id, name, arguments, problem))

struct LlmToolResult {
  std::string call_id;
  std::string name;  // of the tool
  std::string text;
  std::vector<LlmImage> images;
  bool is_error = false;
};
BOOST_DESCRIBE_STRUCT(LlmToolResult, (), (call_id, name, text, images, is_error))

/// Text        `text`
/// Image       `image`
/// ToolCall    `tool_call` (of the assistant)
/// ToolResult  `tool_result` (role Tool)
/// Thinking    `text` (may be empty) and `opaque` (of the assistant)
enum class LlmBlockKind : std::uint8_t { Text, Image, ToolCall, ToolResult, Thinking };
BOOST_DESCRIBE_ENUM(LlmBlockKind, Text, Image, ToolCall, ToolResult, Thinking)

struct LlmBlock {
  LlmBlockKind kind = LlmBlockKind::Text;
  std::string text;
  std::optional<LlmImage> image;
  std::optional<LlmToolCall> tool_call;
  std::optional<LlmToolResult> tool_result;
  std::optional<LlmOpaque> opaque;
};
BOOST_DESCRIBE_STRUCT(LlmBlock, (), (kind, text, image, tool_call, tool_result, opaque))

/// `cache_until_here` marks the end of a prefix that later requests repeat: a hint for providers
/// that cache prompts.
struct LlmMessage {
  LlmRole role = LlmRole::User;
  std::vector<LlmBlock> blocks;
  bool cache_until_here = false;
};
BOOST_DESCRIBE_STRUCT(LlmMessage, (), (role, blocks, cache_until_here))

// ---- what may be asked for ----------------------------------------------------------------------

struct LlmTool {
  std::string name;
  std::string description;
  Json input_schema{R"({"type":"object"})"};  // JSON Schema of an object
  bool strict = false;                        // arguments must fit exactly, where that is supported
};
BOOST_DESCRIBE_STRUCT(LlmTool, (), (name, description, input_schema, strict))

/// Named: the tool `LlmChatRequest::tool_choice_name`.
enum class LlmToolChoice : std::uint8_t { Auto, None, Required, Named };
BOOST_DESCRIBE_ENUM(LlmToolChoice, Auto, None, Required, Named)

/// How much a model thinks before it answers. Default: whatever the model does by itself. A model
/// takes the nearest of LlmModel::efforts.
enum class LlmEffort : std::uint8_t { Default, None, Minimal, Low, Medium, High, Max };
BOOST_DESCRIBE_ENUM(LlmEffort, Default, None, Minimal, Low, Medium, High, Max)

/// The answer must be JSON of this schema.
struct LlmOutputSchema {
  std::string name = "answer";  // [A-Za-z0-9_-], 1 to 64 characters
  Json schema{R"({"type":"object"})"};
  bool strict = true;
};
BOOST_DESCRIBE_STRUCT(LlmOutputSchema, (), (name, schema, strict))

/// The provider's own web search, where it has one.
struct LlmWebSearch {
  bool enabled = false;
  std::vector<std::string> domains;  // only these; empty: all
};
BOOST_DESCRIBE_STRUCT(LlmWebSearch, (), (enabled, domains))

/// One question to a model. Messages are in order; System ones may stand first only.
struct LlmChatRequest {
  std::string model;     // LlmModel::id; empty: the plugin's default
  std::string provider;  // LlmModel::provider; empty: the plugin's only or first one with the model
  std::vector<LlmMessage> messages;
  std::vector<LlmTool> tools;
  LlmToolChoice tool_choice = LlmToolChoice::Auto;
  std::string tool_choice_name;
  bool parallel_tool_calls = true;
  LlmEffort effort = LlmEffort::Default;
  std::optional<std::int64_t> max_output_tokens;
  std::optional<double> temperature;
  std::optional<LlmOutputSchema> output_schema;
  LlmWebSearch web_search;
  bool image_output = false;  // the answer may have images
  std::string cache_key;      // same for requests that share a prefix, such as a session's; a hint
  std::vector<LlmCredential> credentials;
};
BOOST_DESCRIBE_STRUCT(LlmChatRequest, (),
                      (model, provider, messages, tools, tool_choice, tool_choice_name,
                       parallel_tool_calls, effort, max_output_tokens, temperature, output_schema,
                       web_search, image_output, cache_key, credentials))

// ---- the answer ---------------------------------------------------------------------------------

/// Tokens as the provider counts them. `estimated`: counted here, because it did not say.
struct LlmUsage {
  std::int64_t prompt_tokens = 0;  // with those from the cache
  std::int64_t output_tokens = 0;  // with those of thinking
  std::optional<std::int64_t> thinking_tokens;
  std::optional<std::int64_t> cached_tokens;       // of the prompt, read from the cache
  std::optional<std::int64_t> cache_write_tokens;  // of the prompt, written into the cache
  bool estimated = false;
};
BOOST_DESCRIBE_STRUCT(LlmUsage, (),
                      (prompt_tokens, output_tokens, thinking_tokens, cached_tokens,
                       cache_write_tokens, estimated))

/// A step of the provider's own web search. Foreign text: title and snippet are as untrusted as the
/// pages.
struct LlmSearchHit {
  std::string url;
  std::string title;
  std::string snippet;
};
BOOST_DESCRIBE_STRUCT(LlmSearchHit, (), (url, title, snippet))

struct LlmSearchStep {
  std::string id;
  std::string action;   // search, open_page, find_in_page
  std::string status;   // started, searching, completed, failed
  std::string query;    // search
  std::string url;      // open_page, find_in_page
  std::string pattern;  // find_in_page
  std::vector<LlmSearchHit> hits;
};
BOOST_DESCRIBE_STRUCT(LlmSearchStep, (), (id, action, status, query, url, pattern, hits))

/// Stop: it said all. ToolCalls: it waits for results. Length: max_output_tokens or the context
/// window. ContentFilter: the provider cut it off. Refusal: the model refused.
enum class LlmFinishReason : std::uint8_t { Stop, ToolCalls, Length, ContentFilter, Refusal };
BOOST_DESCRIBE_ENUM(LlmFinishReason, Stop, ToolCalls, Length, ContentFilter, Refusal)

/// The whole answer once more: `blocks` are what to append to the history as the assistant's
/// message, in order, with what is opaque.
struct LlmFinish {
  LlmFinishReason reason = LlmFinishReason::Stop;
  std::vector<LlmBlock> blocks;
  LlmUsage usage;
  std::string model;        // the one that answered, as the provider names it
  std::string response_id;  // the provider's, for its support
};
BOOST_DESCRIBE_STRUCT(LlmFinish, (), (reason, blocks, usage, model, response_id))

/// Started        the provider has accepted the request; comes first, once
/// Text           `text`, a piece of the answer
/// Thinking       `text`, a piece of what the model lets one see of its thoughts
/// ToolCallBegin  `tool_call` with id and name, as soon as they are known
/// ToolCallDelta  `text`, a piece of the arguments as the model writes them; `tool_call_id`
/// ToolCall       `tool_call`, complete
/// Image          `image`
/// Search         `search`
/// Usage          `usage` so far
/// Finish         `finish`; the last chunk, then the stream closes
/// Pieces that wait for credit are joined, so their number says nothing.
enum class LlmChunkKind : std::uint8_t {
  Started,
  Text,
  Thinking,
  ToolCallBegin,
  ToolCallDelta,
  ToolCall,
  Image,
  Search,
  Usage,
  Finish
};
BOOST_DESCRIBE_ENUM(LlmChunkKind, Started, Text, Thinking, ToolCallBegin, ToolCallDelta, ToolCall,
                    Image, Search, Usage, Finish)

struct LlmChunk {
  LlmChunkKind kind = LlmChunkKind::Text;
  std::string text;
  std::string tool_call_id;
  std::optional<LlmToolCall> tool_call;
  std::optional<LlmImage> image;
  std::optional<LlmSearchStep> search;
  std::optional<LlmUsage> usage;
  std::optional<LlmFinish> finish;
};
BOOST_DESCRIBE_STRUCT(LlmChunk, (),
                      (kind, text, tool_call_id, tool_call, image, search, usage, finish))

/// Detail of the error that ends a chat, as JSON in Error::detail.
///   no_key            unauthenticated      nothing was sent: no credential is known
///   bad_key           unauthenticated, permission_denied
///   unknown_model     not_found
///   rate_limit        resource_exhausted   with retry_after_ms where the provider says it
///   quota             resource_exhausted   waiting does not help
///   context_overflow  out_of_range         the prompt does not fit: shorten it
///   bad_request       invalid_argument
///   overloaded        unavailable          the provider's 5xx, 529
///   unreachable       unavailable          no connection, name, certificate
///   timeout           deadline_exceeded    `phase` says which: connect, first_byte, idle
///   broken_stream     data_loss            the answer stopped in the middle, or cannot be read
/// An answer with neither words nor calls is asked for once more; a second one is a Finish.
struct LlmErrorDetail {
  std::string kind;
  std::string provider;
  std::string phase;
  std::int32_t http_status = 0;  // 0: none
  std::optional<std::int64_t> retry_after_ms;
  std::int32_t attempts = 0;  // requests that were made
  bool visible = false;       // chunks of the answer had been sent: asking again would repeat them
};
BOOST_DESCRIBE_STRUCT(LlmErrorDetail, (),
                      (kind, provider, phase, http_status, retry_after_ms, attempts, visible))

/// Asks a model. Close the stream to cancel: the connection to the provider ends at once, and
/// nothing more comes. Ends without error after Finish, else with one of LlmErrorDetail's.
struct LlmChat {
  static constexpr std::string_view kName = "gantry.llm.chat/1";
  static constexpr std::string_view kDoc = "Lets a language model answer, chunk by chunk.";
  using Opening = LlmChatRequest;
  using Down = LlmChunk;
  using Up = Nothing;
};

// ---- catalogue ----------------------------------------------------------------------------------

struct LlmCapabilities {
  bool tools = false;
  bool parallel_tool_calls = false;
  bool images_in = false;
  bool images_out = false;
  bool thinking = false;
  bool structured_output = false;
  bool web_search = false;  // the provider's own
  bool caching = false;     // cache_until_here has an effect
  bool temperature = true;
};
BOOST_DESCRIBE_STRUCT(LlmCapabilities, (),
                      (tools, parallel_tool_calls, images_in, images_out, thinking,
                       structured_output, web_search, caching, temperature))

/// US dollars for a million tokens.
struct LlmPrices {
  double input = 0;
  double output = 0;
  std::optional<double> cached_input;
  std::optional<double> cache_write;
};
BOOST_DESCRIBE_STRUCT(LlmPrices, (), (input, output, cached_input, cache_write))

struct LlmModel {
  std::string id;        // what LlmChatRequest::model takes
  std::string provider;  // openai, anthropic, google, ollama, rules, …
  std::string display_name;
  std::string family;  // gpt, claude, gemini, …; empty: not known
  LlmCapabilities capabilities;
  std::optional<std::int64_t> context_window;  // tokens; empty: not known
  std::optional<std::int64_t> max_output_tokens;
  std::optional<LlmPrices> prices;
  std::vector<LlmEffort> efforts;  // that make a difference; empty: none does
  bool local = false;              // on this machine: nothing leaves it
  bool is_default = false;         // of its plugin
  bool discovered = false;         // the provider lists it; else it is configured or well known
  bool available = false;
  std::string reason;  // why it is not available
  std::string cure;
};
BOOST_DESCRIBE_STRUCT(LlmModel, (),
                      (id, provider, display_name, family, capabilities, context_window,
                       max_output_tokens, prices, efforts, local, is_default, discovered, available,
                       reason, cure))

struct LlmModelsRequest {
  std::vector<LlmCredential> credentials;  // availability is judged with these
  bool refresh = false;                    // ask the providers again instead of what they last said
};
BOOST_DESCRIBE_STRUCT(LlmModelsRequest, (), (credentials, refresh))

struct LlmModelList {
  std::vector<LlmModel> models;       // the default first
  std::vector<std::string> problems;  // providers that could not be asked, one sentence each
};
BOOST_DESCRIBE_STRUCT(LlmModelList, (), (models, problems))

struct LlmModels {
  static constexpr std::string_view kName = "gantry.llm.models/1";
  static constexpr std::string_view kDoc = "Lists the language models of one plugin.";
  using Request = LlmModelsRequest;
  using Response = LlmModelList;
};

struct LlmCountRequest {
  std::string model;
  std::string provider;
  std::vector<LlmMessage> messages;
  std::vector<LlmTool> tools;
  bool exact = false;  // may ask the provider; else it is estimated here, at once
  std::vector<LlmCredential> credentials;
};
BOOST_DESCRIBE_STRUCT(LlmCountRequest, (), (model, provider, messages, tools, exact, credentials))

struct LlmTokenCount {
  std::int64_t tokens = 0;
  bool exact = false;
  std::string method;  // how it was counted
};
BOOST_DESCRIBE_STRUCT(LlmTokenCount, (), (tokens, exact, method))

struct LlmCountTokens {
  static constexpr std::string_view kName = "gantry.llm.count_tokens/1";
  static constexpr std::string_view kDoc = "Counts the tokens of a prompt, or estimates them.";
  using Request = LlmCountRequest;
  using Response = LlmTokenCount;
};

/// Published by the plugin whose models are others than before, and once when it has started.
struct LlmModelsChangedEvent {
  std::string plugin;
};
BOOST_DESCRIBE_STRUCT(LlmModelsChangedEvent, (), (plugin))

struct LlmModelsChanged {
  static constexpr std::string_view kName = "gantry.llm.changed/1";
  static constexpr std::string_view kDoc = "The language models of a plugin have changed.";
  using Event = LlmModelsChangedEvent;
};

}  // namespace gantry
