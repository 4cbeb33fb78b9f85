// SPDX-License-Identifier: Apache-2.0
#include "cli/speech.hpp"

#include <gantry/speech/wav.hpp>
#include <gantry/voice/sentences.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <utility>

#include "config/diagnostic.hpp"

namespace gantry::cli {
namespace {

constexpr int kPatienceMs = 60'000;  // for one sentence

}  // namespace

Result<std::size_t> Speech::say(const std::string& text) {
  voice::Sentences splitter;
  std::vector<std::string> sentences = splitter.feed(text);
  for (std::string& rest : splitter.flush()) sentences.push_back(std::move(rest));
  for (const std::string& sentence : sentences) {
    VoiceRenderRequest request;
    request.text = sentence;
    request.voice = invocation_.voice;
    request.plain = true;
    const auto made = call_typed<VoiceRender>(access_, request, invocation_.target,
                                              std::max(invocation_.timeout_ms, kPatienceMs));
    if (!made.ok()) return made.error();
    GANTRY_TRY(take((*made)->audio));
    sentences_.push_back(sentence);
  }
  return sentences.size();
}

Result<void> Speech::take(const Audio& audio) {
  rate_ = audio.sample_rate;
  bytes_ += audio.samples.size();
  if (to_file()) {
    samples_ += audio.samples.text();
    return {};
  }
  if (!loudspeaker_) {
    GANTRY_ASSIGN(Loudspeaker opened, Loudspeaker::open(rate_));
    loudspeaker_.emplace(std::move(opened));
  }
  return loudspeaker_->play(audio);
}

Result<void> Speech::finish() {
  if (!to_file()) return loudspeaker_ ? loudspeaker_->finish() : Result<void>{};
  const std::string wav = speech::write_wav({rate_, 1, Buffer::copy(samples_)});
  if (invocation_.output == "-") {
    std::fwrite(wav.data(), 1, wav.size(), stdout);
    return std::fflush(stdout) == 0 ? Result<void>{} : unavailable("standard output is closed");
  }
  std::ofstream file(invocation_.output, std::ios::binary | std::ios::trunc);
  file.write(wav.data(), static_cast<std::streamsize>(wav.size()));
  file.close();
  if (file) return {};
  return Error{Code::PermissionDenied, "cannot write " + invocation_.output, {}};
}

double Speech::seconds() const { return static_cast<double>(bytes_) / 2 / rate_; }

int speech_failure(const Invocation& invocation, const Error& error) {
  const std::string code(code_name(error.code));
  complain(error.message + " [" + code + "]");
  if (invocation.json) {
    std::printf("{\"error\":{\"code\":\"%s\",\"message\":%s}}\n", code.c_str(),
                config::quote_json(error.message).c_str());
  }
  return exit_of(error);
}

}  // namespace gantry::cli
