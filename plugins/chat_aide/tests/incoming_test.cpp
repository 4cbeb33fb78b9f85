// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "frames.hpp"
#include "incoming.hpp"

namespace gantry::chat_aide {
namespace {

const ChatMessage& chat(const Incoming& incoming) {
  REQUIRE(std::holds_alternative<ChatMessage>(incoming));
  return std::get<ChatMessage>(incoming);
}

std::string attached(const std::string& media_type, const std::string& data) {
  return R"({"type":"message","text":"x","attachments":[{"media_type":")" + media_type +
         R"(","data":")" + data + R"("}]})";
}

TEST_CASE("frames that are none are refused with what is wrong") {
  struct WrongFrame {
    std::string frame;
    const char* words;
  };
  std::string many_a;
  many_a.resize(14'000'000, 'A');  // 10.0 MiB and a little
  const WrongFrame cases[] = {
      {"", "not JSON"},
      {" ", "not JSON"},
      {"hello", "not JSON"},
      {"{", "not JSON"},
      {"{}x", "not JSON"},
      {"{'type':'message'}", "not JSON"},
      {R"({"type":"message","text":"\ud800"})", "not JSON"},
      {R"({"type":"message","text":"x",})", "not JSON"},
      {"\xFF\xFE", "not JSON"},
      {std::string("{\"type\":\"\0\"}", 12), "not JSON"},
      {std::string(100, '['), "not JSON"},
      {"NaN", "not JSON"},
      {"null", "JSON object"},
      {"true", "JSON object"},
      {"1", "JSON object"},
      {"\"message\"", "JSON object"},
      {"[]", "JSON object"},
      {R"([{"type":"message","text":"x"}])", "JSON object"},
      {"{}", "type is missing"},
      {R"({"text":"x"})", "type is missing"},
      {R"({"type":null})", "type is missing"},
      {R"({"type":1})", "type must be a string"},
      {R"({"type":["message"]})", "type must be a string"},
      {R"({"type":""})", "unknown type ''"},
      {R"({"type":"Message","text":"x"})", "unknown type 'Message'"},
      {R"({"type":"done"})", "unknown type 'done'"},
      {R"({"type":"ping"})", "unknown type 'ping'"},
      {R"({"type":"message"})", "text is missing"},
      {R"({"type":"message","text":null})", "text is missing"},
      {R"({"type":"message","text":""})", "text is empty"},
      {R"({"type":"message","text":" \n\t"})", "text is empty"},
      {R"({"type":"message","text":5})", "text must be a string"},
      {R"({"type":"message","text":{"a":1}})", "text must be a string"},
      {R"({"type":"message","text":"","attachments":[]})", "text is empty"},
      {R"({"type":"message","text":"x","model":5})", "model must be a string"},
      {R"({"type":"message","text":"x","session_id":5})", "session_id must be a string"},
      {R"({"type":"message","text":"x","session_id":"a b"})", "session_id must have"},
      {R"({"type":"message","text":"x","session_id":"../x"})", "session_id must have"},
      {R"({"type":"message","text":"x","session_id":")" + std::string(129, 'a') + "\"}",
       "session_id must have"},
      {R"({"type":"message","text":"x","attachments":{}})", "attachments must be an array"},
      {R"({"type":"message","text":"x","attachments":"x"})", "attachments must be an array"},
      {R"({"type":"message","text":"x","attachments":[1]})", "must be an object"},
      {R"({"type":"message","text":"x","attachments":[{}]})", "media_type is missing"},
      {R"({"type":"message","attachments":[{"media_type":"image/png"}]})", "data is missing"},
      {R"({"type":"message","attachments":[{"media_type":5,"data":"AAAA"}]})", "media_type must"},
      {R"({"type":"message","attachments":[{"media_type":"image/png","data":5}]})", "data must"},
      {attached("text/plain", "AAAA"), "cannot be 'text/plain'"},
      {attached("image/svg+xml", "AAAA"), "cannot be 'image/svg+xml'"},
      {attached("IMAGE/PNG", "AAAA"), "cannot be 'IMAGE/PNG'"},
      {attached("image/png", ""), "empty"},
      {attached("image/png", "AAA"), "no base64"},
      {attached("image/png", "A==="), "no base64"},
      {attached("image/png", "AA=A"), "no base64"},
      {attached("image/png", "AB=="), "no base64"},  // bits left over
      {attached("image/png", "AAB="), "no base64"},
      {attached("image/png", "AA A"), "no base64"},
      {attached("image/png", "AA-_"), "no base64"},  // another alphabet
      {attached("image/png", "data:image/png;base64,AAAA"), "no base64"},
      {attached("image/png", many_a), "10 MiB"},
      {R"({"type":"confirm"})", "call_id is missing"},
      {R"({"type":"confirm","call_id":5,"response":true})", "call_id must be a string"},
      {R"({"type":"confirm","call_id":"x"})", "response must be true or false"},
      {R"({"type":"confirm","call_id":"x","response":"true"})", "response must be true or false"},
      {R"({"type":"confirm","call_id":"x","response":1})", "response must be true or false"},
      {R"({"type":"confirm","call_id":"x","response":null})", "response must be true or false"},
  };
  for (const WrongFrame& test : cases) {
    INFO(test.frame.substr(0, 200));
    const Incoming read = read_incoming(test.frame);
    REQUIRE(std::holds_alternative<InvalidFrame>(read));
    CHECK(std::get<InvalidFrame>(read).what.find(test.words) != std::string::npos);
  }
}

TEST_CASE("messages are read as they are") {
  const Incoming full = read_incoming(
      R"({"type":"message","text":"Hi \u263a","model":"a:b","session_id":"s-1.x:y_Z","attachments":)"
      R"([{"media_type":"image/png","data":"AAEC","name":"a.png"},{"media_type":"application/pdf","data":"/w=="}],"x":1})");
  CHECK(chat(full).text == "Hi ☺");
  CHECK(chat(full).model == "a:b");
  CHECK(chat(full).session_id == "s-1.x:y_Z");
  REQUIRE(chat(full).attachments.size() == 2);
  CHECK(chat(full).attachments[0].bytes == std::vector<std::uint8_t>{0, 1, 2});
  CHECK(chat(full).attachments[0].name == "a.png");
  CHECK(chat(full).attachments[1].bytes == std::vector<std::uint8_t>{255});
  const Incoming bare = read_incoming(R"({"type":"message","text":"x","model":null})");
  CHECK(chat(bare).model.empty());
  CHECK(chat(bare).session_id.empty());
  const Incoming picture = read_incoming(
      R"({"type":"message","attachments":[{"media_type":"image/gif","data":"AA=="}]})");
  CHECK(chat(picture).text.empty());
  const Incoming answer = read_incoming(R"({"type":"confirm","call_id":"c","response":false})");
  REQUIRE(std::holds_alternative<Confirm>(answer));
  CHECK(std::get<Confirm>(answer).call_id == "c");
  CHECK_FALSE(std::get<Confirm>(answer).response);
}

TEST_CASE("ids of sessions are plain") {
  for (const char* id : {"a", "550e8400-e29b-41d4-a716-446655440000", "A.b_c:d-1"}) {
    CHECK(is_session_id(id));
  }
  for (const char* id : {"", "a b", "a/b", "ä", "a%20", "a\n"}) CHECK_FALSE(is_session_id(id));
  CHECK(is_session_id(std::string(128, 'x')));
  CHECK_FALSE(is_session_id(std::string(129, 'x')));
}

TEST_CASE("a summary has 500 characters at most, cut between them") {
  CHECK(summary_of("short") == "short");
  CHECK(summary_of(std::string(500, 'x')) == std::string(500, 'x'));
  CHECK(summary_of(std::string(501, 'x')) == std::string(497, 'x') + "...");
  std::string snow;
  for (int count = 0; count < 600; ++count) snow += "☃";
  CHECK(summary_of(snow) == snow.substr(0, 497 * 3) + "...");
}

TEST_CASE("the models frame has the default beside the list") {
  ModelRow row;
  row.id = "a:b";
  row.name = "B";
  row.provider = "a";
  CHECK(models_frame({row}, "a:\"b") ==
        R"({"type":"models","models":[{"id":"a:b","name":"B","provider":"a","capabilities":)"
        R"({"vision":false,"tools":false,"online":false}}],"default":"a:\"b"})");
  CHECK(models_frame({}, "") == R"({"type":"models","models":[],"default":""})");
}

}  // namespace
}  // namespace gantry::chat_aide
