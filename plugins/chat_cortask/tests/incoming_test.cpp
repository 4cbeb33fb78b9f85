// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <string>

#include "incoming.hpp"

namespace gantry::chat_cortask {
namespace {

template <class T>
T read_as(const std::string& text) {
  auto message = read_message(text);
  REQUIRE(std::holds_alternative<T>(message));
  return std::get<T>(message);
}

TEST_CASE("what is no message asks for nothing") {
  for (const char* text :
       {"null", "[]", "{}", "7", "\"chat\"", R"({"type":"ping"})", R"({"type":7})",
        R"({"type":null})", R"({"type":"cancel"})", R"({"type":"cancel","sessionKey":3})",
        R"({"type":"permission_response"})",
        R"({"type":"questionnaire_response","requestId":1})"}) {
    INFO(text);
    CHECK(std::holds_alternative<NoMessage>(read_message(text)));
  }
}

TEST_CASE("what is no JSON is said to be none") {
  const std::string deep = std::string(200, '[') + std::string(200, ']');
  for (const std::string& text :
       {std::string("x"), std::string(""), std::string("{\"type\":"),
        std::string("{\"type\":\"chat\"} y"), std::string("\"\xFF\""), deep}) {
    CHECK(std::holds_alternative<BadMessage>(read_message(text)));
  }
}

TEST_CASE("a chat is read with everything that it may have") {
  const auto chat = read_as<ChatMessage>(
      R"({"type":"chat","sessionKey":"k","message":"hello","workspaceId":"w","more":1,
          "attachments":[{"mimeType":"text/plain","base64":"aGk=","name":"a.txt"},
                         {"base64":"data:text/plain;base64,aG8="}],
          "fileReferences":["a","b/c"]})");
  CHECK(chat.problem.empty());
  CHECK(chat.session_key == "k");
  CHECK(chat.text == "hello");
  CHECK(chat.workspace == "w");
  CHECK(chat.file_references == std::vector<std::string>{"a", "b/c"});
  REQUIRE(chat.attachments.size() == 2);
  CHECK(chat.attachments[0].name == "a.txt");
  CHECK(chat.attachments[0].media_type == "text/plain");
  CHECK(chat.attachments[0].bytes == std::vector<std::uint8_t>{'h', 'i'});
  CHECK(chat.attachments[1].bytes == std::vector<std::uint8_t>{'h', 'o'});
}

TEST_CASE("what is wrong with a chat is said in words") {
  struct Row {
    const char* members;
    const char* problem;
  };
  const Row rows[] = {
      {R"("message":"x")", "'sessionKey' is required"},
      {R"("sessionKey":7,"message":"x")", "'sessionKey' must be a text"},
      {R"("sessionKey":"k")", "'message' is required"},
      {R"("sessionKey":"k","message":{})", "'message' must be a text"},
      {R"("sessionKey":"k","message":"x","attachments":{})", "'attachments' must be a list"},
      {R"("sessionKey":"k","message":"x","attachments":[1])", "Attachment 1 is not an object"},
      {R"("sessionKey":"k","message":"x","attachments":[{}])",
       "Attachment 1 has no text in 'base64'"},
      {R"("sessionKey":"k","message":"x","attachments":[{"base64":"*"}])",
       "Attachment 1 is not valid base64"},
      {R"("sessionKey":"k","message":"x","fileReferences":"a")", "'fileReferences' must be a list"},
      {R"("sessionKey":"k","message":"x","fileReferences":[1])", "'fileReferences' must be texts"},
  };
  for (const Row& row : rows) {
    INFO(row.members);
    const std::string text = std::string(R"({"type":"chat",)") + row.members + "}";
    CHECK(read_as<ChatMessage>(text).problem == row.problem);
  }
}

TEST_CASE("an approval is what JavaScript takes for true") {
  struct Row {
    const char* value;
    bool approved;
  };
  const Row rows[] = {{"true", true}, {"false", false}, {"\"no\"", true}, {"\"\"", false},
                      {"1", true},    {"0", false},     {"0.5", true},    {"null", false},
                      {"[]", true},   {"{}", true},     {"-0.0", false}};
  for (const Row& row : rows) {
    INFO(row.value);
    const std::string text = std::string(R"({"type":"permission_response","requestId":"r",)") +
                             R"("approved":)" + row.value + "}";
    CHECK(read_as<PermissionAnswer>(text).approved == row.approved);
  }
  CHECK_FALSE(
      read_as<PermissionAnswer>(R"({"type":"permission_response","requestId":"r"})").approved);
}

TEST_CASE("answers of a questionnaire are handed on as they are") {
  const auto reply = read_as<QuestionnaireReply>(
      R"({"type":"questionnaire_response","requestId":"r","responses":{"a":["x","y"],"b":"z"}})");
  CHECK(reply.responses.text == R"({"a":["x","y"],"b":"z"})");
  CHECK(read_as<QuestionnaireReply>(
            R"({"type":"questionnaire_response","requestId":"r","responses":[1]})")
            .responses.text == "{}");
}

}  // namespace
}  // namespace gantry::chat_cortask
