// SPDX-License-Identifier: Apache-2.0
// Settings of users, models, history rows and texts of errors: the tables.
#include <catch2/catch.hpp>

#include "client_settings.hpp"
#include "error_text.hpp"
#include "history_rows.hpp"
#include "message.hpp"
#include "model_rows.hpp"
#include "plan.hpp"
#include "query_screenshot.hpp"
#include "remote_tools.hpp"
#include "turn_request.hpp"

namespace gantry::agent_ws {
namespace {

Message message(const std::string& type, const std::string& payload) {
  Read read = read_message(R"({"id":"a","type":")" + type + R"(","payload":)" + payload + "}");
  INFO(read.refusal);
  REQUIRE(read.message);
  return std::move(*read.message);
}

Result<std::vector<std::string>> update(ClientSettings& settings, const std::string& payload) {
  const Message given = message("update-settings", payload);
  return settings.update(std::get<UpdateSettingsPayload>(given.payload), given.raw);
}

TEST_CASE("updated keys are those that were given, in their order") {
  ClientSettings settings{SettingDefaults{}};
  const auto keys = update(
      settings,
      R"({"tools":{"mode":"replace_client_manifest"},"wakeword_enabled":true,"agent_definition":{},"model_mode":"local","interaction_mode":null})");
  REQUIRE(keys.ok());
  CHECK(*keys ==
        std::vector<std::string>{"wakeword_enabled", "model_mode", "tools", "agent_definition"});
  CHECK(settings.values().model_mode == "local");
  CHECK(settings.values().interaction_mode == "agent");
}

TEST_CASE("a value that is not allowed changes nothing") {
  ClientSettings settings{SettingDefaults{}};
  const auto bad = update(settings, R"({"wakeword_enabled":true,"interaction_mode":"dance"})");
  REQUIRE_FALSE(bad.ok());
  CHECK(bad.error().message == "Invalid settings: Unsupported interaction_mode: dance");
  CHECK_FALSE(settings.values().wakeword_enabled);
  CHECK(update(settings, R"({"tools":{"mode":"merge"}})").error().message ==
        "Invalid settings: Unsupported tools.mode: merge");
  const auto keyed = [&settings](std::size_t size) {
    return update(settings, R"({"provider_api_keys":{"openai":{"enabled":true,"api_key":")" +
                                std::string(size, 'k') + R"("}}})");
  };
  CHECK(keyed(4097).error().message ==
        "Invalid settings: provider_api_keys.openai.api_key is longer than 4096 bytes");
  CHECK(settings.credentials().empty());
  CHECK(keyed(4096).ok());
}

TEST_CASE("what a user has changed is kept, but no key of a provider") {
  ClientSettings settings{SettingDefaults{}};
  CHECK(settings.saved().text == "{}");
  REQUIRE(
      update(
          settings,
          R"({"selected_model_id":"m","interaction_mode":"agent","wakeword_enabled":true,"provider_api_keys":{"openai":{"enabled":true,"api_key":"sk-secret"}}})")
          .ok());
  const Json saved = settings.saved();
  CHECK(saved.text ==
        R"({"selected_model_id":"m","interaction_mode":"agent","wakeword_enabled":true})");

  SettingDefaults others;
  others.interaction_mode = "chat";
  others.model_mode = "local";
  ClientSettings later{others};
  REQUIRE(update(later, R"({"selected_model_id":"newer"})").ok());
  later.restore(saved);
  CHECK(later.values().selected_model_id == "newer");  // said after it was kept
  CHECK(later.values().interaction_mode == "agent");   // set by the user, also to the usual value
  CHECK(later.values().wakeword_enabled);
  CHECK(later.values().model_mode == "local");  // never set: as it is configured today

  ClientSettings same{SettingDefaults{}};
  for (const char* broken : {"", "[]", "{", R"({"wakeword_enabled":"yes","no_such":1})"}) {
    same.restore(Json(broken));
    CHECK_FALSE(same.values().wakeword_enabled);
  }
}

TEST_CASE("keys of providers are shown empty and kept apart from the rest") {
  ClientSettings settings{SettingDefaults{}};
  REQUIRE(
      update(
          settings,
          R"({"provider_api_keys":{"openai":{"enabled":true,"api_key":"sk-secret"},"anthropic":{"enabled":false,"api_key":"k"},"google":{"enabled":true,"api_key":""}}})")
          .ok());
  const std::string config = settings.config().text;
  CHECK(config.find("sk-secret") == std::string::npos);
  CHECK(config.find(R"("openai":{"api_key":"","enabled":true})") != std::string::npos);
  CHECK(config.starts_with(
      R"({"browser_automation_enabled":true,"include_query_screenshot":false,"interaction_mode")"));
  const auto keys = settings.provider_keys();
  CHECK(keys == std::map<std::string, std::string>{{"openai", "sk-secret"}});
}

struct ModelNameRow {
  const char* provider;
  const char* id;
  const char* engine;
};

TEST_CASE("the engine's name of a chosen model") {
  const ModelNameRow rows[] = {
      {"openai", "gpt-5.4@@gpt-5-4-none-thinking", "openai/gpt-5.4@@none"},
      {"", "gpt-5.4@@gpt-5-4-xhigh-thinking", "gpt-5.4@@max"},
      {"", "gpt@@high", "gpt@@high"},
      {"openai", "gpt@@whatever", "openai/gpt"},
      {"openrouter", "openrouter/x", "openrouter/x"},
      {"openai", "", ""},
      {"", "llama-2-7b", "llama-2-7b"},
  };
  for (const ModelNameRow& row : rows) CHECK(engine_model(row.provider, row.id) == row.engine);
}

TEST_CASE("a model has a row for each reasoning mode") {
  LlmModel thinking;
  thinking.id = "gpt-5.4";
  thinking.provider = "openai";
  thinking.display_name = "GPT-5.4";
  thinking.efforts = {LlmEffort::Low, LlmEffort::None, LlmEffort::Max};
  thinking.context_window = 400000;
  thinking.prices = LlmPrices{0, 2.5, {}, {}};
  LlmModel plain;
  plain.id = "llama";
  plain.provider = "ollama";
  plain.local = true;
  const ModelGroups groups = model_groups({thinking, plain});
  REQUIRE(groups.online.size() == 3);
  const ModelRow& first = groups.online[0];
  CHECK(first.id == "gpt-5.4@@gpt-5-4-none-thinking");
  CHECK(first.runtime_model_id == "gpt-5.4");
  CHECK(first.display_name == "GPT-5.4 None");
  CHECK(first.reasoning_modes == std::vector<std::string>{"none", "low", "xhigh"});
  CHECK(first.default_model_id == first.id);
  CHECK(first.input_price == "Free");
  CHECK(first.output_price == "$2.5 / 1M tokens");
  REQUIRE(groups.local.size() == 1);
  CHECK(groups.local[0].display_name == "ollama/llama");
  CHECK_FALSE(groups.local[0].context_window);
  CHECK_FALSE(groups.local[0].reasoning_mode);
  CHECK(flat_rows(groups).size() == 4);
}

struct TextRow {
  ErrorBody error;
  const char* text;
};

TEST_CASE("what a request fails with is counted under the code of its kind") {
  using Codes = AgentErrorCode;
  const std::pair<Code, Codes> rows[] = {
      {Code::InvalidArgument, Codes::PARSE_VALIDATION_ERROR},
      {Code::OutOfRange, Codes::INPUT_SIZE_LIMIT_ERROR},
      {Code::DeadlineExceeded, Codes::PARSE_TIMEOUT_ERROR},
      {Code::Unavailable, Codes::CONFIG_ERROR},
      {Code::DataLoss, Codes::MEMORY_STORE_ERROR},
      {Code::NotFound, Codes::SESSION_ERROR},
      {Code::ResourceExhausted, Codes::SESSION_ERROR},
  };
  for (const auto& [code, counted] : rows) {
    INFO(code_text(counted));
    CHECK(code_of(Error{code, "why", {}}) == counted);
  }
  CHECK(code_text(Codes::PARSE_TIMEOUT_ERROR) == "PARSE_TIMEOUT_ERROR");
}

TEST_CASE("errors of a turn say what clients know, and nothing of the inside") {
  const auto error = [](AgentErrorCode code, const char* message, const char* provider,
                        int status) {
    ErrorBody body;
    body.code = code;
    body.message = message;
    body.provider = provider;
    body.http_status = status;
    return body;
  };
  using Codes = AgentErrorCode;
  const TextRow rows[] = {
      {error(Codes::LLM_RATE_LIMIT, "Rate limit exceeded. Wait 3 s.", "openai", 429),
       "Rate limit exceeded. Wait 3 s."},
      {error(Codes::LLM_RATE_LIMIT, "quota", "openai", 429),
       "Rate limit exceeded. Please wait and try again."},
      {error(Codes::LLM_API_ERROR, "secret detail", "anthropic", 401),
       "Anthropic API error (HTTP 401)"},
      {error(Codes::LLM_API_ERROR, "secret detail", "unheard-of", 400),
       "LLM API error (HTTP 400). Please retry."},
      {error(Codes::LLM_API_ERROR, "secret detail", "openai", 503),
       "OpenAI is temporarily unavailable (HTTP 503). Please retry shortly."},
      {error(Codes::LLM_ERROR, "OpenAI Responses stream ended without final response payload",
             "openai", 0),
       "OpenAI Responses stream ended without final response payload"},
      {error(Codes::LLM_ERROR, "segfault at 0x0", "", 0),
       "Internal server error. Start a new chat and try again."},
      {error(Codes::CONFIG_ERROR, "no key for openai (cure: set one)", "openai", 0),
       "no key for openai (cure: set one)"},
  };
  for (const TextRow& row : rows) CHECK(turn_error_text(row.error) == row.text);
}

TEST_CASE("refused requests tell what is wrong with them only") {
  CHECK(request_error_text(internal_error("the stack is on fire")) == kInternalSentence);
  CHECK(request_error_text(invalid_argument("Invalid tool_calls")) == "Invalid tool_calls");
  CHECK(request_error_text(not_found("artifact NOT FOUND")) == "artifact NOT FOUND");
  CHECK(request_error_text(unavailable("no engine", "enable it")) == "no engine (cure: enable it)");
  CHECK(start_error_text({Code::ResourceExhausted, "x", R"({"limit": "process"})"}) ==
        "Backend query capacity is saturated. Please retry shortly.");
  CHECK(start_error_text(invalid_argument("attachment x: that is no id")) ==
        "Invalid query: attachment x: that is no id");
  CHECK(start_error_text(invalid_argument("Invalid query: nothing was said")) ==
        "Invalid query: nothing was said");
  CHECK(start_error_text(internal_error("the stack is on fire")) == kInternalSentence);
  CHECK(start_error_text({Code::ResourceExhausted, "x", R"({"limit": "principal"})"}) ==
        "Too many active queries for this user. Wait for an existing query to finish or stop it.");
}

Result<Rehydrated> rehydrated(const std::string& payload) {
  const Message given = message("rehydrate-conversation", payload);
  const auto& read = std::get<RehydratePayload>(given.payload);
  return read.model_history ? rows_from_model_history(read) : rows_from_messages(read);
}

TEST_CASE("entries of a conversation become rows of the history") {
  const auto rows = rehydrated(
      R"({"conversation_ref":"c","messages":[
        {"role":"user","content":"hi","screenshot_ref":"a.jpg","transparency":{"system_prompt":"be brief"}},
        {"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{\"x\":1}"}}]},
        {"role":"tool","content":[{"type":"text","text":"done"}],"tool_name":"f","correlation_id":"1"},
        {"role":"assistant","content":"sum","message_type":"context_compaction"}]})");
  REQUIRE(rows.ok());
  REQUIRE(rows->rows.size() == 4);
  CHECK(rows->system_prompt == "be brief");
  CHECK(rows->rows[0].images.at(0).artifact == "a.jpg");
  CHECK(rows->rows[1].calls.at(0).arguments.text == R"({"x":1})");
  CHECK(rows->rows[2].text == "done");
  CHECK(rows->rows[2].call == "1");
  CHECK(rows->rows[3].type == RowType::ContextCompaction);
}

TEST_CASE("rows of a checkpoint must be of its conversation and revision") {
  CHECK(
      rehydrated(
          R"({"conversation_ref":"c","model_history":{"revision_id":"r","rows":[{"conversation_ref":"d","role":"user","content":"x"}]}})")
          .error()
          .message ==
      "model_history row conversation_ref does not match rehydrate conversation_ref");
  CHECK_FALSE(
      rehydrated(
          R"({"conversation_ref":"c","model_history":{"revision_id":"r","rows":[{"revision_id":"s","role":"user","content":"x"}]}})")
          .ok());
  const auto rows = rehydrated(
      R"({"conversation_ref":"c","model_history":{"revision_id":"r","rows":[{"role":"system","content":"p"},{"id":"1","role":"user","content":"x","image_refs":["a.png"]}]}})");
  REQUIRE(rows.ok());
  CHECK(rows->system_prompt == "p");
  REQUIRE(rows->rows.size() == 1);
  CHECK(rows->rows[0].id == "1");
}

TEST_CASE("the catalogue of remote tools names what is missing") {
  AgentTool search;
  search.name = "web_search";
  search.description = "Search";
  search.offered = true;
  const RemoteToolCatalog there = remote_tools({"web_search"}, {search});
  REQUIRE(there.remote_tools.size() == 1);
  CHECK(there.remote_tools[0].available);
  CHECK(there.remote_tools[0].reason_unavailable.text == "null");
  const RemoteToolCatalog gone = remote_tools({"web_search", "wait"}, {});
  REQUIRE(gone.remote_tools.size() == 2);
  CHECK(gone.remote_tools[0].enabled);
  CHECK_FALSE(gone.remote_tools[0].available);
  CHECK(gone.remote_tools[0].reason_unavailable.text.find("cure") != std::string::npos);
  CHECK_FALSE(remote_tools({}, {}).remote_tools[0].enabled);
}

TEST_CASE("a plan is what a query would start, without secrets") {
  ClientSettings client{SettingDefaults{}};
  REQUIRE(update(client, R"({"provider_api_keys":{"openai":{"api_key":"sk-secret"}}})").ok());
  AgentPlanRequest request;
  request.principal = "ann";
  request.model_id = "gpt@@high";
  request.interaction_mode = "chat";
  request.query = Json(
      R"({"text":"open file","conversation_ref":"c","agent_definition":{"tools":{"client_manifest":{"tools":[{"name":"mine","description":"d","schema":{}}]}}}})");
  const auto planned = plan_query(Settings{}, client, request);
  REQUIRE(planned.ok());
  const TurnStartRequest& turn = planned->preview.turn;
  CHECK(turn.session == SessionKey{"ann", kWorkspace, "c"});
  CHECK(turn.text == "open file");
  CHECK(turn.options.model == "gpt@@high");
  CHECK(turn.options.mode == "chat");
  CHECK(turn.options.client_tools.size() == 1);
  CHECK(turn.options.provider_keys.at("openai") == "sk-secret");  // the engine needs it
  const AgentPlanned shown = describe_plan(*planned, {}, {});
  CHECK(shown.turn.options.provider_keys.empty());
  CHECK(to_json(shown).find("sk-secret") == std::string::npos);

  request.query = Json("{}");
  CHECK(plan_query(Settings{}, client, request).ok());
  request.query = Json(R"({"text":7})");
  const auto refused = plan_query(Settings{}, client, request);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "query.payload.text: Input should be a valid string");
  CHECK(refused.error().detail ==
        R"([{"at":"query.payload.text","problem":"Input should be a valid string"}])");
}

TEST_CASE("the user's last message of a conversation is the query that is planned") {
  AgentPlanRequest request;
  request.principal = "ann";
  request.messages = Json(
      R"([{"role":"user","content":"a"},{"role":"assistant","content":"b","more":1},{"role":"user","content":"<c>x</c><user_query>d</user_query>"}])");
  auto planned = plan_query(Settings{}, ClientSettings{SettingDefaults{}}, request);
  REQUIRE(planned.ok());
  CHECK(planned->typed == "d");
  CHECK(planned->preview.turn.text == "<c>x</c><user_query>d</user_query>");
  REQUIRE(planned->preview.history->size() == 2);
  CHECK(planned->preview.history->back().role == RowRole::Assistant);
  const AgentPlanned shown = describe_plan(*planned, {}, {});
  CHECK(
      shown.query_message.text ==
      R"({"type":"query","payload":{"text":"d","content":"<c>x</c><user_query>d</user_query>"}})");
  CHECK(shown.transparency.text.find("tool-schemas") != std::string::npos);

  request.tools = false;
  planned = plan_query(Settings{}, ClientSettings{SettingDefaults{}}, request);
  REQUIRE(planned.ok());
  CHECK(planned->preview.turn.options.tools.allow == std::vector<std::string>{});
  CHECK(describe_plan(*planned, {}, {}).transparency.text.find("tool-schemas") ==
        std::string::npos);

  request.messages = Json(R"([{"role":"robot","content":"a"}])");
  const auto refused = plan_query(Settings{}, ClientSettings{SettingDefaults{}}, request);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message ==
        "messages.0.role: Input should be 'user', 'assistant' or 'tool'");
}

TEST_CASE("only who may use the screenshot tool may see the desktop") {
  CHECK(may_see_desktop({"web_search", "screenshot"}));
  CHECK(may_see_desktop({"*"}));
  CHECK(may_see_desktop({"screen*"}));
  CHECK_FALSE(may_see_desktop({}));
  CHECK_FALSE(may_see_desktop({"web_*", "screen"}));
}

TEST_CASE("a query becomes options that only narrow") {
  Settings settings;
  ClientSettings client(settings.defaults);
  REQUIRE(update(client, R"({"browser_automation_enabled":false,"interaction_mode":"chat"})").ok());
  std::string problem;
  const auto handshake = read_handshake(
      R"({"type":"handshake","user_id":"u","agent_definition":{"system_prompt":{"mode":"replace","content":"P"},"tools":{"mode":"client_only","disabled_tools":["x"],"disabled_capabilities":["ocr"],"client_manifest":{"tools":[{"name":"mine","description":"d","schema":{}}]}},"runtime":{"operating_system":"macOS","workspace_path":"/a"}}})",
      false, problem);
  REQUIRE(handshake);
  const AgentDefinition& definition = *handshake->agent_definition;
  const ManifestReport manifest = check_manifest(definition.tools->client_manifest);
  const Message given = message(
      "query",
      R"({"text":"t","conversation_ref":"c","workspace_path":"/b","screenshot_ref":"a.png","screenshot_refs":["a.png","b.png"],"repo_instruction_messages":[{"role":"user","content":"R"}],"client_prompt_layers":[{"id":"l","type":"t","content":"L"}]})");
  const auto& query = std::get<QueryPayload>(given.payload);
  const TurnOptions options = turn_options({settings, client, &definition, manifest}, query);
  CHECK(options.mode == "chat");
  CHECK(options.system_prompt == "P");
  CHECK(options.operating_system == "macOS");
  CHECK(options.workspace_path == "/b");
  CHECK(options.tools.daemon_tools == std::vector<std::string>{"web_search"});
  CHECK(options.tools.allow == std::vector<std::string>{"mine"});
  CHECK(options.tools.deny == std::vector<std::string>{"x", "browser"});
  CHECK(options.tools.disabled_capabilities == std::vector<std::string>{"ocr", "browser"});
  CHECK(options.tools.act == ApprovalMode::Ask);
  CHECK(options.tools.network == ApprovalMode::Allow);
  REQUIRE(options.client_tools.size() == 1);
  REQUIRE(options.layers.size() == 2);
  CHECK(options.layers[0].type.empty());
  CHECK(options.layers[1].type == "t");
  CHECK(options.transparency);
  CHECK(screenshot_refs(query) == std::vector<std::string>{"a.png", "b.png"});
}

}  // namespace
}  // namespace gantry::agent_ws
