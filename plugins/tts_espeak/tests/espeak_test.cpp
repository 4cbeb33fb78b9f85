// SPDX-License-Identifier: Apache-2.0
// The program, and stand-ins for it.
#include <catch2/catch.hpp>

#include <gantry/speech/wav.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>
#include <gantry/testkit/temp_dir.hpp>
#include <gantry/tools/program.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "espeak_plugin.hpp"
#include "wav_stream.hpp"

namespace gantry::tts_espeak::test {
namespace {

using Probe = testkit::StreamProbe<VoiceSay>;

struct Running {
  explicit Running(const std::string& program, const std::string& more = "") {
    const auto loaded =
        kit.load<EspeakPlugin>("tts_espeak", R"({"program":")" + program + "\"" + more + "}");
    REQUIRE(loaded.ok());
  }
  std::pair<std::vector<VoiceChunk>, Error> say(const std::string& text,
                                                const std::string& voice = "") {
    VoiceSayRequest request;
    request.text = text;
    request.voice = voice;
    Probe probe(kit.host(), std::move(request));
    kit.pump();
    REQUIRE(probe.ends().size() == 1);
    return {probe.all(), probe.ends()[0]};
  }
  testkit::FakeHost kit;
};

/// A program that does what the shell's words say.
std::string stand_in(const testkit::TempDir& folder, const std::string& words) {
  const auto file = folder.path() / "espeak-ng";
  std::ofstream(file) << "#!/bin/sh\n" << words << "\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file.string();
}

std::string wav(std::size_t samples) {
  return speech::write_wav({22'050, 1, Buffer::of(std::string(samples * 2, '\x10'))});
}

}  // namespace

TEST_CASE("the program speaks at the rate of the contract") {
  if (!tools::find_program("espeak-ng", "espeak-ng").ok()) {
    WARN("espeak-ng is not installed");
    CHECK(true);
    return;
  }
  Running run("espeak-ng");
  CHECK(run.kit.suitability("tts_espeak") == 40);
  const auto [chunks, end] = run.say("Hello there. How are you?");
  INFO(end.message);
  CHECK(end.code == Code::Ok);
  std::size_t bytes = 0;
  for (const VoiceChunk& chunk : chunks) {
    CHECK(chunk.audio.sample_rate == 22'050);
    bytes += chunk.audio.samples.size();
  }
  CHECK(bytes > 44'100);
  CHECK(bytes < 44'100 * 6);
  const auto [german, fine] = run.say("Grüße aus Köln.", "de");
  CHECK(fine.code == Code::Ok);
  CHECK(german.size() > 5);
  const auto [nothing, missing] = run.say("Hello.", "xx-nowhere");
  CHECK(missing.code == Code::Unavailable);
  CHECK(missing.message.find("xx-nowhere") != std::string::npos);
}

TEST_CASE("without the program it is unavailable and names the package") {
  Running run("/nowhere/espeak-ng");
  CHECK(run.kit.suitability("tts_espeak") == 0);
  const auto [chunks, end] = run.say("Hello.");
  CHECK(chunks.empty());
  CHECK(end.code == Code::Unavailable);
  CHECK(end.message.find("apt-get install espeak-ng") != std::string::npos);
  const auto list = run.kit.host().bus().call_wait<VoiceVoices>({});
  REQUIRE(list.ok());
  CHECK((*list)->voices.empty());
  CHECK((*list)->reason.find("not installed") != std::string::npos);
  CHECK((*list)->cure == "apt-get install espeak-ng");
}

TEST_CASE("a program that is named while the plugin runs is found at once") {
  const testkit::TempDir folder;
  Running run("/nowhere/espeak-ng");
  REQUIRE(run.kit.suitability("tts_espeak") == 0);
  const std::string program = stand_in(folder, "exit 0");
  REQUIRE(run.kit.reconfigure("tts_espeak", R"({"program":")" + program + "\"}").ok());
  CHECK(run.kit.suitability("tts_espeak") == 40);
}

TEST_CASE("a text is never taken for an option, and a voice is checked") {
  const testkit::TempDir folder;
  std::ofstream(folder.path() / "sound.wav") << wav(3000);
  const std::string program =
      stand_in(folder, "echo \"$@\" > " + (folder.path() / "words").string() + "; cat > " +
                           (folder.path() / "text").string() + "; cat " +
                           (folder.path() / "sound.wav").string());
  Running run(program);
  const auto [chunks, end] = run.say("--help and `rm`, $(x) \"too\".");
  CHECK(end.code == Code::Ok);
  CHECK_FALSE(chunks.empty());
  std::ifstream words(folder.path() / "words");
  std::string line;
  std::getline(words, line);
  CHECK(line == "--stdout --stdin -b 1 -v en-us -s 170");
  for (const char* voice : {"-w/etc/x", "../x", "a b", "de;x", ""}) CHECK_FALSE(is_voice(voice));
  for (const char* voice : {"en-us", "de", "en+f3", "mb-de1"}) CHECK(is_voice(voice));
  CHECK(run.say("Hello.", "-w/tmp/x").second.code == Code::NotFound);
}

TEST_CASE("a program that fails is a typed failure") {
  struct Row {
    const char* name;
    const char* words;
    Code code;
  };
  const Row rows[] = {{"it fails", "exit 3", Code::Unavailable},
                      {"it says nothing", "exit 0", Code::Unavailable},
                      {"it writes no sound", "echo this is not a WAVE file", Code::DataLoss},
                      {"it is killed", "kill -9 $$", Code::Unavailable},
                      {"it hangs", "exec sleep 600", Code::DeadlineExceeded}};
  for (const Row& row : rows) {
    INFO(row.name);
    const testkit::TempDir folder;
    Running run(stand_in(folder, row.words), R"(,"time_limit":100)");
    CHECK(run.say("Hello.").second.code == row.code);
  }
}

TEST_CASE("a WAVE file is read in pieces of any size") {
  const std::string file = wav(100);
  for (const std::size_t piece : {1U, 3U, 43U, 44U, 45U, 1000U}) {
    WavStream stream;
    std::size_t samples = 0;
    for (std::size_t at = 0; at < file.size(); at += piece) {
      const auto some = stream.feed(std::string_view(file).substr(at, piece));
      REQUIRE(some.ok());
      samples += some->size();
    }
    CHECK(samples == 100);
    CHECK(stream.sample_rate() == 22'050);
  }
  std::string endless = file;
  endless.replace(4, 4, "\xff\xff\xff\x7f");
  endless.replace(40, 4, "\xff\xff\xff\x7f");
  WavStream stream;
  CHECK(stream.feed(endless)->size() == 100);
  for (const auto& [at, byte] : {std::pair{0, 'X'},
                                 {8, 'X'},
                                 {20, '\x03'},
                                 {22, '\x02'},
                                 {34, '\x08'},
                                 {26, '\x7f'},
                                 {12, 'X'}}) {
    std::string broken = file;
    broken[static_cast<std::size_t>(at)] = byte;
    WavStream other;
    CHECK_FALSE(other.feed(broken).ok());
  }
}

}  // namespace gantry::tts_espeak::test
