// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <gantry/multipart.hpp>
#include <gantry/speech/wav.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <string>
#include <vector>

#include "openai_plugin.hpp"
#include "upload.hpp"

namespace gantry::stt_openai {
namespace {

TEST_CASE("an upload is a form with a WAVE file") {
  Settings settings;
  settings.base_url = "http://127.0.0.1:9/v1";
  settings.api_key = "key-1";
  const std::vector<std::int16_t> samples{1, 2, 3};
  const auto request = upload_request(settings, {"de", {"Mail", "Notizen"}},
                                      {16000, 1, speech::buffer_of(samples)}, "limit");
  CHECK(request.method == "POST");
  CHECK(request.url == "http://127.0.0.1:9/v1/audio/transcriptions");
  const auto parts = multipart_parts(request.body, "limit");
  REQUIRE(parts);
  std::vector<std::string> names;
  for (const auto& part : *parts) names.push_back(part.name);
  CHECK(names ==
        std::vector<std::string>{"model", "language", "prompt", "response_format", "file"});
  CHECK((*parts)[0].content == "gpt-4o-transcribe");
  CHECK((*parts)[1].content == "de");
  CHECK((*parts)[2].content == "Mail, Notizen");
  CHECK((*parts)[4].filename == "speech.wav");
  const auto audio = speech::read_wav((*parts)[4].content);
  REQUIRE(audio.ok());
  CHECK(audio->sample_rate == 16000);
  CHECK(speech::samples_of(audio->samples) == samples);
}

TEST_CASE("answers of the server are texts or errors of a kind") {
  CHECK(uploaded_text(200, R"({"text":"Open it."})", "").value() == "Open it.");
  const struct {
    int status;
    std::string body;
    Code code;
  } rows[] = {
      {200, "Open it.", Code::DataLoss},
      {200, R"({"words":[]})", Code::DataLoss},
      {400, R"({"error":{"message":"bad file"}})", Code::InvalidArgument},
      {401, R"({"error":{"message":"bad key"}})", Code::Unavailable},
      {403, "", Code::Unavailable},
      {404, "<html>", Code::Unavailable},
      {429, "{}", Code::ResourceExhausted},
      {500, "[]", Code::Unavailable},
      {503, "", Code::Unavailable},
  };
  for (const auto& row : rows) {
    CAPTURE(row.status, row.body);
    const auto text = uploaded_text(row.status, row.body, "");
    REQUIRE_FALSE(text.ok());
    CHECK(text.error().code == row.code);
  }
  const auto words = [](int status, const char* body) {
    return uploaded_text(status, body, "k-123").error().message;
  };
  CHECK(words(400, R"({"error":{"message":"bad file"}})").ends_with(": bad file"));
  CHECK(words(400, R"({"error":{"message":"k-123 may not"}})").ends_with(": *** may not"));
  CHECK(words(401, R"({"error":{"message":"wrong key: sk-abc***xyz"}})").find("sk-abc") ==
        std::string::npos);
}

TEST_CASE("without a key it says so in the published words") {
  for (const char* mode : {"realtime", "upload"}) {
    CAPTURE(mode);
    testkit::FakeHost kit;
    REQUIRE(kit.load<OpenAiPlugin>("stt_openai", std::string(R"({"mode":")") + mode + "\"}").ok());
    CHECK(kit.suitability("stt_openai") == 0);
    testkit::StreamProbe<SpeechRecognise> stream(kit.host(), SpeechOpening{});
    kit.pump();
    REQUIRE(stream.ends().size() == 1);
    CHECK(stream.ends()[0].code == Code::Unavailable);
    CHECK(stream.ends()[0].message ==
          "OpenAI STT provider is selected but no OpenAI API key is available.");
  }
}

}  // namespace
}  // namespace gantry::stt_openai
