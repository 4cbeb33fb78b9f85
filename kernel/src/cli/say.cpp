// SPDX-License-Identifier: Apache-2.0
// gantry say: a text on the loudspeaker, or in a WAVE file.
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>

#include "cli/speech.hpp"
#include "config/diagnostic.hpp"

namespace gantry::cli {
namespace {

std::string text_of(const Invocation& invocation) {
  std::string text;
  for (const std::string& word : invocation.arguments) text += (text.empty() ? "" : " ") + word;
  if (text.empty() && isatty(STDIN_FILENO) == 0) {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  }
  return text;
}

void print(const Invocation& invocation, const Speech& speech) {
  std::string sentences;
  for (const std::string& sentence : speech.sentences()) {
    sentences += (sentences.empty() ? "" : ",") + config::quote_json(sentence);
  }
  const std::string file = speech.to_file() ? config::quote_json(invocation.output) : "null";
  std::printf("{\"file\":%s,\"seconds\":%.2f,\"sample_rate\":%d,\"sentences\":[%s]}\n",
              file.c_str(), speech.seconds(), speech.sample_rate(), sentences.c_str());
}

}  // namespace

int say(const Invocation& invocation) {
  const std::string text = text_of(invocation);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    complain("usage: gantry say TEXT… [-o FILE.wav] [--voice NAME], or the text on standard input");
    return kUsage;
  }
  if (invocation.json && invocation.output == "-") {
    complain("--json and the sound cannot both go to standard output; name a file with -o");
    return kUsage;
  }
  auto access = open_access(invocation, Need::kContract, std::string(VoiceRender::kName));
  if (!access.ok()) return speech_failure(invocation, access.error());
  Speech speech(**access, invocation);
  const auto said = speech.say(text);
  if (!said.ok()) return speech_failure(invocation, said.error());
  if (*said == 0) {
    return speech_failure(invocation, invalid_argument("there is nothing to say in this text"));
  }
  if (const auto heard = speech.finish(); !heard.ok()) {
    return speech_failure(invocation, heard.error());
  }
  if (invocation.json) print(invocation, speech);
  return kOk;
}

}  // namespace gantry::cli
