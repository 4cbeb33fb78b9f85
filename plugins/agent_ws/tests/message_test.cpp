// SPDX-License-Identifier: Apache-2.0
// Reading messages and handshakes. What clients see over a socket is in tests/conformance/agent_ws.
#include "message.hpp"

#include <catch2/catch.hpp>

#include "agent_definition.hpp"
#include "user_message.hpp"

namespace gantry::agent_ws {
namespace {

struct RefusalRow {
  const char* text;
  const char* refusal;
};

TEST_CASE("refusals have the words that clients know") {
  const RefusalRow rows[] = {
      {"", "Malformed JSON"},
      {"{", "Malformed JSON"},
      {R"({"id":"1"} x)", "Malformed JSON"},
      {"[1]", "Invalid message format: root must be an object, got list"},
      {"\"x\"", "Invalid message format: root must be an object, got str"},
      {"7", "Invalid message format: root must be an object, got int"},
      {"7.5", "Invalid message format: root must be an object, got float"},
      {"true", "Invalid message format: root must be an object, got bool"},
      {"null", "Invalid message format: root must be an object, got NoneType"},
      {R"({"id":"1","payload":{}})",
       "Invalid message format: : Unable to extract tag using discriminator 'type'"},
      {R"({"id":"a","type":"list-models","payload":{"x":1}})",
       "Invalid message format: list-models.payload.x: Extra inputs are not permitted"},
      {R"({"id":"a","type":"list-models","payload":{},"bogus":1})",
       "Invalid message format: list-models.bogus: Extra inputs are not permitted"},
      {R"({"type":"list-models","payload":{}})",
       "Invalid message format: list-models.id: Field required"},
      {R"({"id":"","type":"list-models","payload":{}})",
       "Invalid message format: list-models.id: String should have at least 1 character"},
      {R"({"id":"a b","type":"list-models","payload":{}})",
       "Invalid message format: list-models.id: String should match pattern '^[a-zA-Z0-9_-]+$'"},
      {R"({"id":7,"type":"list-models","payload":{}})",
       "Invalid message format: list-models.id: Input should be a valid string"},
      {R"({"id":"a","type":"list-models","payload":[]})",
       "Invalid message format: list-models.payload: Input should be a valid dictionary or "
       "instance of EmptyPayload"},
      {R"({"id":"a","type":"query"})", "Invalid message format: query.payload: Field required"},
      {R"({"id":"a","type":"query","payload":{"text":"x"}})",
       "Invalid message format: query.payload.conversation_ref: Field required"},
      {R"({"id":"a","type":"query","payload":{"conversation_ref":"c","text":1,"turn_ref":"t"}})",
       "Invalid message format: query.payload.text: Input should be a valid string; "
       "query.payload.turn_ref: Extra inputs are not permitted"},
      {R"({"id":"a","type":"query","payload":{"text":"x","conversation_ref":"  "}})",
       "Invalid message format: query.payload.conversation_ref: Value error, must not be blank"},
      {R"({"id":"a","type":"query","payload":{"text":"x","conversation_ref":"c","content":""}})",
       "Invalid message format: query.payload.content: String should have at least 1 character"},
      {R"({"id":"a","type":"stop-query","payload":{"turn_ref":""}})",
       "Invalid message format: stop-query.payload.turn_ref: Value error, must not be blank"},
      {R"({"id":"a","type":"tool-result","payload":{"request_id":"r","success":"maybe","data":{}}})",
       "Invalid message format: tool-result.payload.success: Input should be a valid boolean, "
       "unable to interpret input; tool-result.payload.data.output: Field required"},
      {R"({"id":"a","type":"tool-bundle-result","payload":{"bundle_id":"b","status":"ok","step_results":[{}]}})",
       "Invalid message format: tool-bundle-result.payload.status: Input should be 'success', "
       "'partial_failure' or 'failure'; tool-bundle-result.payload.step_results.0.tool: Field "
       "required; tool-bundle-result.payload.step_results.0.status: Field required"},
      {R"({"id":"a","type":"list-models","payload":{},"sequence":1.5})",
       "Invalid message format: list-models.sequence: Input should be a valid integer, got a "
       "number with a fractional part"},
  };
  for (const RefusalRow& row : rows) {
    INFO(row.text);
    const Read read = read_message(row.text);
    CHECK_FALSE(read.message);
    CHECK(read.refusal == row.refusal);
  }
}

TEST_CASE("an unknown type names all that there are") {
  const Read read = read_message(R"({"id":"a","type":"nope","payload":{}})");
  CHECK(read.refusal ==
        "Invalid message format: : Input tag 'nope' found using 'type' does not match any of the "
        "expected tags: 'query', 'stop-query', 'rehydrate-conversation', 'compact-history', "
        "'load-settings', 'update-settings', 'list-models', 'wakeword-detected', 'tool-result', "
        "'tool-bundle-result'");
}

TEST_CASE("messages of every type are read") {
  const char* const rows[] = {
      R"({"id":"a","type":"query","payload":{"text":"x","conversation_ref":"c"},"timestamp":"2025"})",
      R"({"id":"a","type":"query","payload":{"text":"x","conversation_ref":"c","content":"<user_query>x</user_query>","revision_id":"r","screenshot_ref":null,"screenshot_refs":["a.png"],"capture_meta":{"frame_id":"f"},"system_state_internal":{},"workspace_path":"/w","repo_instruction_messages":[{"role":"user","content":"y"}],"client_prompt_layers":[{"id":"l","type":"t","priority":1,"content":"z"}],"agent_definition":{"version":1}}})",
      R"({"id":"a","type":"stop-query"})",
      R"({"id":"a","type":"stop-query","payload":null})",
      R"({"id":"a","type":"rehydrate-conversation","payload":{"conversation_ref":"c","messages":[{"role":"user","content":"x","workspace_path":"/w","repo_instruction_messages":[]}],"rehydrate_mode":"replace"}})",
      R"({"id":"a","type":"compact-history","payload":{}})",
      R"({"id":"a","type":"load-settings","payload":{"client_version":"1.0"}})",
      R"({"id":"a","type":"update-settings","payload":{"speech_mode_enabled":"yes","provider_api_keys":{"unknown":{"x":1}}}})",
      R"({"id":"a","type":"list-models","payload":{}})",
      R"({"id":" a ","type":"wakeword-detected","payload":{},"user_id":"u","session_id":null,"sequence":"4"})",
      R"({"id":"a","type":"tool-result","payload":{"request_id":"r","success":false,"data":{"output":null,"more":1},"error":"x"}})",
      R"({"id":"a","type":"tool-bundle-result","payload":{"bundle_id":"b","status":"success","step_results":[{"tool":"t","status":"ok","output":{"a":1},"debug_trace":"d"}],"error":null}})",
  };
  for (const char* text : rows) {
    INFO(text);
    const Read read = read_message(text);
    CHECK(read.refusal.empty());
    REQUIRE(read.message);
    CHECK(read.message->id == "a");
  }
}

TEST_CASE("what the protocol takes in several forms is converted") {
  const Read read = read_message(
      R"({"id":"a","type":"update-settings","payload":{"wakeword_enabled":"ON","speech_mode_enabled":0}})");
  REQUIRE(read.message);
  const auto& payload = std::get<UpdateSettingsPayload>(read.message->payload);
  CHECK(payload.wakeword_enabled == true);
  CHECK(payload.speech_mode_enabled == false);
  CHECK_FALSE(payload.wakeword_stt_enabled);
}

TEST_CASE("handshakes are strict") {
  const char* const refused[] = {
      "",
      "[]",
      R"({"type":"handshake"})",
      R"({"type":"handshake","user_id":""})",
      R"({"type":"handshake","user_id":"  "})",
      R"({"type":"handshake","user_id":"default_user"})",
      R"({"type":"hello","user_id":"u"})",
      R"({"type":"handshake","user_id":"u","operating_system":"Linux"})",
      R"({"type":"handshake","user_id":"u","agent_definition":{"version":2}})",
      R"({"type":"handshake","user_id":"u","agent_definition":{"bogus":1}})",
      R"({"type":"handshake","user_id":"u","agent_definition":{"tools":{"mode":"all"}}})",
      R"({"type":"handshake","user_id":"u","agent_definition":{"tools":{"disabled_tools":[" "]}}})",
      R"({"type":"handshake","user_id":"u","agent_definition":{"tools":{"disabled_capabilities":["sound"]}}})",
      R"({"type":"handshake","user_id":"u","agent_definition":{"runtime":{"coordinate_methods":["guess"]}}})",
      R"({"type":"handshake","user_id":"u","agent_definition":{"prompt_layers":[{"id":"a b","type":"t","content":"x"}]}})",
      R"({"type":"handshake","user_id":"u","agent_definition":{"prompt_layers":[{"id":"a","type":"t","content":"x","priority":1001}]}})",
  };
  for (const char* text : refused) {
    INFO(text);
    std::string problem;
    CHECK_FALSE(read_handshake(text, false, problem));
    CHECK_FALSE(problem.empty());
  }
}

TEST_CASE("a handshake brings its agent_definition") {
  std::string problem;
  const auto handshake = read_handshake(
      R"({"type":"handshake","user_id":"user-123","agent_definition":{"version":1,"tools":{"mode":"explicit","available_tools":[" a ","b"],"disabled_tools":["b"],"disabled_capabilities":["ocr","vision"],"enabled_remote_tools":["web_search"],"client_manifest":42},"runtime":{"operating_system":"macOS","coordinate_methods":["manual"]},"metadata":{"resume":{"conversation_ref":"c","after_sequence":7}}}})",
      false, problem);
  REQUIRE(handshake);
  CHECK(handshake->user_id == "user-123");
  const AgentDefinition& definition = *handshake->agent_definition;
  CHECK(allowed_tools(definition, {"mine"}) ==
        std::vector<std::string>{"a", "b", "mine", "web_search"});
  const auto point = resume_point(definition);
  REQUIRE(point.ok());
  REQUIRE(*point);
  CHECK((*point)->conversation_ref == "c");
  CHECK((*point)->after_sequence == 7);
}

TEST_CASE("where to resume is a point, absent or refused") {
  const auto read = [](const char* metadata) {
    AgentDefinition definition;
    definition.metadata = Json{metadata};
    return resume_point(definition);
  };
  for (const char* absent : {"{}", R"({"resume":null})"}) {
    CAPTURE(absent);
    const auto point = read(absent);
    REQUIRE(point.ok());
    CHECK_FALSE(*point);
  }
  for (const char* wrong :
       {R"({"resume":7})", R"({"resume":{}})", R"({"resume":{"conversation_ref":5}})",
        R"({"resume":{"conversation_ref":"c","after_sequence":-1}})",
        R"({"resume":{"conversation_ref":"c","after_sequence":"7"}})",
        R"({"resume":{"conversation_ref":"c","turn_ref":5}})"}) {
    CAPTURE(wrong);
    CHECK_FALSE(read(wrong).ok());
  }
}

TEST_CASE("a conversation's name is as long as a session's key") {
  const auto read = [](std::size_t size) {
    return read_message(R"({"id":"a","type":"stop-query","payload":{"conversation_ref":")" +
                        std::string(size, 'c') + R"("}})");
  };
  CHECK(read(4096).message);
  CHECK(read(4097).refusal ==
        "Invalid message format: stop-query.payload.conversation_ref: Value error, must have at "
        "most 4096 bytes");
}

TEST_CASE("the legacy key of a handshake is taken when it is tolerated") {
  std::string problem;
  const auto handshake = read_handshake(
      R"({"type":"handshake","user_id":"u","operating_system":"Windows"})", true, problem);
  REQUIRE(handshake);
  CHECK(handshake->agent_definition->runtime->operating_system == "Windows");
}

TEST_CASE("layers are ordered by kind and then by priority") {
  AgentDefinition definition;
  definition.prompt_layers = {{"p", "t", 5, "x", {}, {}}, {"q", "t", {}, "x", {}, {}}};
  definition.skills = {{"s", "t", {}, "x", {}, {}}};
  definition.agents_md = {{"m", "t", {}, "x", {}, {}}};
  PluginInput plugin;
  plugin.id = "e";
  plugin.prompt_layers = {{"e", "t", 0, "x", {}, {}}};
  definition.plugins = {plugin};
  std::string order;
  for (const PromptLayerInput& layer : ordered_layers(definition)) order += layer.id;
  CHECK(order == "epmsq");
}

struct AllowedRow {
  const char* mode;
  bool available;
  std::optional<std::vector<std::string>> allowed;
};

TEST_CASE("a definition limits tools by its mode") {
  const AllowedRow rows[] = {
      {"default", false, std::nullopt},
      {"default_plus_client", false, std::nullopt},
      {"default", true, {{"a", "mine", "remote"}}},
      {"client_only", true, {{"mine", "remote"}}},
      {"explicit", false, {{"mine", "remote"}}},
      {"explicit", true, {{"a", "mine", "remote"}}},
  };
  for (const AllowedRow& row : rows) {
    INFO(row.mode << ' ' << row.available);
    AgentDefinition definition;
    ToolsInput& tools = definition.tools.emplace();
    tools.mode = row.mode;
    tools.enabled_remote_tools = {"remote"};
    if (row.available) tools.available_tools = {"a"};
    CHECK(allowed_tools(definition, {"mine"}) == row.allowed);
  }
}

TEST_CASE("the typed text is found in the message that a client builds") {
  CHECK(raw_query("plain") == "plain");
  CHECK(raw_query("<user_query>a</user_query> <user_query>\nb \n</user_query>") == "b");
  const auto metadata = describe_user_message(
      "<system_context><active_window>Terminal</active_window></system_context>\n"
      "<user_query>open file</user_query>",
      false);
  CHECK(metadata.original_query == "open file");
  CHECK(metadata.injected_context ==
        "<system_context><active_window>Terminal</active_window></system_context>");
  CHECK(metadata.active_window == "Terminal");
  CHECK_FALSE(metadata.has_memory);
}

TEST_CASE("a query's context becomes sections before the typed text") {
  QueryPayload query;
  query.text = "go";
  CHECK(user_message(query) == "go");
  query.query_context = Json(R"({"episodic_memory":"None","bad name":"x","n":null})");
  CHECK(user_message(query) ==
        "<episodic_memory>\nNone\n</episodic_memory>\n\n<user_query>\ngo\n</user_query>");
  query.content = "built";
  CHECK(user_message(query) == "built");
}

}  // namespace
}  // namespace gantry::agent_ws
