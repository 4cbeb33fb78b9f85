// SPDX-License-Identifier: Apache-2.0
// What a frame is taken for: one row each.
#include <catch2/catch.hpp>

#include <boost/json/parse.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "audio_frame.hpp"
#include "control_frame.hpp"

namespace gantry::transcription_ws {
namespace {

using Kind = AudioFrame::Kind;

std::string head(std::uint32_t size) {
  std::string out;
  for (unsigned i = 0; i < 4; ++i) out += static_cast<char>((size >> (8 * i)) & 0xFFU);
  return out;
}

std::string frame(std::string_view metadata, std::size_t sound) {
  return head(static_cast<std::uint32_t>(metadata.size())) + std::string(metadata) +
         std::string(sound, 'x');
}

struct MetadataRow {
  std::string_view metadata;
  std::size_t sound;  // bytes
  Kind kind;
  std::int32_t rate;  // of Audio
};

constexpr MetadataRow kMetadata[] = {
    // Rates.
    {"", 320, Kind::Audio, 16000},
    {"{}", 320, Kind::Audio, 16000},
    {R"({"sampleRate":8000})", 320, Kind::Audio, 8000},
    {R"({"sampleRate":11025})", 320, Kind::Audio, 11025},
    {R"({"sampleRate":16000})", 320, Kind::Audio, 16000},
    {R"({"sampleRate":22050})", 320, Kind::Audio, 22050},
    {R"({"sampleRate":24000})", 320, Kind::Audio, 24000},
    {R"({"sampleRate":44100})", 320, Kind::Audio, 44100},
    {R"({"sampleRate":48000})", 320, Kind::Audio, 48000},
    {R"({"sampleRate":0})", 320, Kind::Audio, 16000},
    {R"({"sampleRate":0.0})", 320, Kind::Audio, 16000},
    {R"({"sampleRate":null})", 320, Kind::Audio, 16000},
    {R"({"sampleRate":false})", 320, Kind::Audio, 16000},
    {R"({"sampleRate":""})", 320, Kind::Audio, 16000},
    {R"({"sampleRate":16000.9})", 320, Kind::Audio, 16000},
    {R"({"sampleRate":"8000"})", 320, Kind::Audio, 8000},
    {R"({"sampleRate":" 8000 "})", 320, Kind::Audio, 8000},
    {R"({"sampleRate":"+8000"})", 320, Kind::Audio, 8000},
    {R"({"sampleRate":-1})", 320, Kind::Audio, 24000},
    {R"({"sampleRate":"-16000"})", 320, Kind::Audio, 24000},
    {R"({"sampleRate":16000,"more":[1,{"a":2}]})", 320, Kind::Audio, 16000},
    {R"({"samplerate":8000})", 320, Kind::Audio, 16000},
    {R"( { "sampleRate" : 8000 } )", 320, Kind::Audio, 8000},
    // Rates that cannot be had are answered; the session lives.
    {R"({"sampleRate":7999})", 320, Kind::Refused, 0},
    {R"({"sampleRate":48001})", 320, Kind::Refused, 0},
    {R"({"sampleRate":192000})", 320, Kind::Refused, 0},
    {R"({"sampleRate":true})", 320, Kind::Refused, 0},
    {R"({"sampleRate":1})", 320, Kind::Refused, 0},
    {R"({"sampleRate":9223372036854775807})", 320, Kind::Refused, 0},
    {R"({"sampleRate":18446744073709551615})", 320, Kind::Refused, 0},
    {R"({"sampleRate":1e12})", 320, Kind::Refused, 0},
    // What is no rate at all makes a frame that nobody hears.
    {R"({"sampleRate":"fast"})", 320, Kind::Ignored, 0},
    {R"({"sampleRate":"8000.5"})", 320, Kind::Ignored, 0},
    {R"({"sampleRate":" "})", 320, Kind::Ignored, 0},
    {R"({"sampleRate":[16000]})", 320, Kind::Ignored, 0},
    {R"({"sampleRate":{"a":1}})", 320, Kind::Ignored, 0},
    {R"({"sampleRate":1e300})", 320, Kind::Ignored, 0},
    // Metadata that are no object.
    {"[]", 320, Kind::Refused, 0},
    {"[16000]", 320, Kind::Refused, 0},
    {"null", 320, Kind::Refused, 0},
    {"16000", 320, Kind::Refused, 0},
    {R"("16000")", 320, Kind::Refused, 0},
    // Metadata that are no JSON.
    {"{", 320, Kind::Ignored, 0},
    {"sampleRate=16000", 320, Kind::Ignored, 0},
    {R"({"sampleRate":16000}})", 320, Kind::Ignored, 0},
    {R"({'sampleRate':16000})", 320, Kind::Ignored, 0},
    {std::string_view("\0\0", 2), 320, Kind::Ignored, 0},
    {"\xFF\xFE", 320, Kind::Ignored, 0},
    // How much sound.
    {"{}", 0, Kind::Ignored, 0},
    {"", 0, Kind::Ignored, 0},
    {"", 1, Kind::Refused, 0},
    {"", 2, Kind::Audio, 16000},
    {"{}", 321, Kind::Refused, 0},
    {R"({"sampleRate":48000})", 3, Kind::Refused, 0},
    {R"({"sampleRate":24000})", 1, Kind::Audio, 24000},
    {R"({"sampleRate":24000})", 321, Kind::Audio, 24000},
    {R"({"sampleRate":-5})", 321, Kind::Audio, 24000},
    {"", 1'000'000, Kind::Audio, 16000},
};

TEST_CASE("binary frames are heard, ignored or answered with an error") {
  for (const MetadataRow& row : kMetadata) {
    CAPTURE(row.metadata, row.sound);
    const std::string bytes = frame(row.metadata, row.sound);
    const AudioFrame read = read_audio_frame(bytes);
    CHECK(read.kind == row.kind);
    CHECK((read.kind == Kind::Refused) == !read.refusal.empty());
    if (row.kind != Kind::Audio) continue;
    CHECK(read.rate == row.rate);
    CHECK(read.samples == std::string(row.sound, 'x'));
  }
}

TEST_CASE("frames that are cut off are ignored") {
  const std::string rows[] = {"",
                              "x",
                              "xxx",
                              head(0),
                              head(1),
                              head(5) + "{}",
                              head(0xFFFFFFFF) + "{}xx",
                              head(0x80000000) + "{}",
                              head(3) + "{}",
                              frame("{}", 0)};
  for (const std::string& bytes : rows) {
    CAPTURE(bytes);
    CHECK(read_audio_frame(bytes).kind == Kind::Ignored);
  }
}

struct ControlRow {
  std::string_view text;
  ControlFrame::Kind kind;
  std::string_view language;
};

constexpr ControlRow kControls[] = {
    {R"({"type":"set_langs","source_language":"de","target_language":"en"})",
     ControlFrame::Kind::SetLanguage, "de"},
    {R"({"type":"set_langs","source_language":"  fr\n"})", ControlFrame::Kind::SetLanguage, "fr"},
    {R"({"type":"set_langs","source_language":"en-US"})", ControlFrame::Kind::SetLanguage, "en-US"},
    {R"({"type":"set_langs","source_language":""})", ControlFrame::Kind::Ignored, ""},
    {R"({"type":"set_langs","source_language":" \t"})", ControlFrame::Kind::Ignored, ""},
    {R"({"type":"set_langs","source_language":null})", ControlFrame::Kind::Ignored, ""},
    {R"({"type":"set_langs","source_language":7})", ControlFrame::Kind::Ignored, ""},
    {R"({"type":"set_langs","target_language":"de"})", ControlFrame::Kind::Ignored, ""},
    {R"({"type":"set_langs"})", ControlFrame::Kind::Ignored, ""},
    {R"({"type":"start_over"})", ControlFrame::Kind::StartOver, ""},
    {R"({"type":"start_over","why":"noise"})", ControlFrame::Kind::StartOver, ""},
    {R"({"type":"START_OVER"})", ControlFrame::Kind::Ignored, ""},
    {R"({"type":"ping"})", ControlFrame::Kind::Ignored, ""},
    {R"({"type":null})", ControlFrame::Kind::Ignored, ""},
    {R"({"type":["start_over"]})", ControlFrame::Kind::Ignored, ""},
    {R"({})", ControlFrame::Kind::Ignored, ""},
    {R"([{"type":"start_over"}])", ControlFrame::Kind::Ignored, ""},
    {R"("start_over")", ControlFrame::Kind::Ignored, ""},
    {R"(null)", ControlFrame::Kind::Ignored, ""},
    {R"(start_over)", ControlFrame::Kind::Ignored, ""},
    {R"({"type":"start_over")", ControlFrame::Kind::Ignored, ""},
    {"", ControlFrame::Kind::Ignored, ""},
};

TEST_CASE("text frames are commands or nothing") {
  for (const ControlRow& row : kControls) {
    CAPTURE(row.text);
    const ControlFrame read = read_control_frame(row.text);
    CHECK(read.kind == row.kind);
    CHECK(read.language == row.language);
  }
}

TEST_CASE("what goes out is JSON whatever the words are") {
  const std::string words = "say \"hi\"\n\\ \x01 h\xC3\xA9";
  for (const std::string& text :
       {realtime_frame(words, true), realtime_frame(words, false), error_frame(words, words),
        status_frame(words), utterance_end_frame()}) {
    CHECK_NOTHROW(boost::json::parse(text));
  }
  const auto final = boost::json::parse(realtime_frame(words, true)).as_object();
  CHECK(std::string_view(final.at("text").as_string()) == words);
  CHECK(final.at("is_final").as_bool());
  CHECK(final.size() == 3);
}

}  // namespace
}  // namespace gantry::transcription_ws
