// SPDX-License-Identifier: Apache-2.0
//
// What engines for reading, speaking and hearing take of memory while they are used, and what is
// left when their idle_release has passed: idle_bench [SECONDS]
//
// All are in one process, one after the other, each used twice: what the first use leaves behind is
// code and tables of libraries that stay mapped, what the second adds to that is lost.
#include <gantry/contracts/ocr.hpp>
#include <gantry/contracts/speech.hpp>
#include <gantry/contracts/voice.hpp>

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gantry/testkit/kernel.hpp>
#include <rendered_text.hpp>

namespace {

using namespace gantry;

struct Memory {
  double resident = 0;  // MB
  double own = 0;       // of it not of files
};

Memory memory() {
  std::ifstream in("/proc/self/status");
  Memory out;
  const auto megabytes = [](const std::string& line) {
    return std::atof(line.substr(line.find_first_of("0123456789")).c_str()) / 1024;
  };
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("VmRSS:")) out.resident = megabytes(line);
    if (line.starts_with("RssAnon:")) out.own = megabytes(line);
  }
  return out;
}

/// A page of 1920 × 1080 pixels with 200 texts.
Image page() {
  std::vector<ocr::test::Label> labels;
  for (int row = 0; row < 40; ++row) {
    for (int column = 0; column < 5; ++column) {
      labels.push_back({fmt::format("Entry {} of page {}", row * 5 + column, column + 1),
                        20 + column * 380, 14 + row * 26, 12 + row % 4});
    }
  }
  return draw(1920, 1080, ocr::test::kLight, labels);
}

template <class Contract>
Ref<typename Contract::Response> ask(Host& host, typename Contract::Request request) {
  CallOptions options;
  options.timeout = std::chrono::minutes(5);
  auto answer = host.bus().call_wait<Contract>(std::move(request), options);
  if (!answer.ok()) {
    fmt::print(stderr, "{}: {}\n", Contract::kName, answer.error().message);
    std::exit(1);
  }
  return *answer;
}

/// The least that is resident until `limit` is over.
Memory after_idling(std::chrono::seconds limit) {
  Memory least = memory();
  const auto end = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const Memory now = memory();
    if (now.resident < least.resident) least = now;
  }
  return least;
}

template <class Use>
void measure(const char* what, std::chrono::seconds idle, const Use& use) {
  for (const char* time : {"first", "second"}) {
    const Memory before = memory();
    use();
    const Memory used = memory();
    const Memory after = after_idling(idle + std::chrono::seconds(4));
    fmt::print("{:18} {:7} {:7.0f} ({:4.0f}) {:9.0f} ({:4.0f}) {:9.0f} ({:4.0f})\n", what, time,
               before.resident, before.own, used.resident, used.own, after.resident, after.own);
  }
}

}  // namespace

int main(int argc, char** argv) {
  // As the daemon has it: else glibc learns to keep the tops of threads' arenas.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
  const std::chrono::seconds idle(argc > 1 ? std::max(1, std::atoi(argv[1])) : 1);
  const std::string release = fmt::format("{{config: {{idle_release: {}s}}}}", idle.count());
  testkit::InProcessKernel kernel(testkit::KernelSetup{
      .config = fmt::format("plugins: {{ocr_tesseract: {0}, ocr_ppocr: {0}, tts_flite: {0}, "
                            "stt_pocketsphinx: {0}}}\n",
                            release)});
  if (!kernel.start().ok()) return 1;
  const Image screen = page();
  Audio spoken;
  fmt::print("resident MB (of it not of files), idle for {} s\n{:18} {:7} {:>14} {:>16} {:>16}\n",
             idle.count(), "", "use", "before", "in use", "after idling");
  const auto read_by = [&](const char* plugin) {
    return [&kernel, &screen, plugin] {
      OcrRequest request;
      request.image = screen;
      CallOptions options;
      options.timeout = std::chrono::minutes(5);
      options.target = plugin;
      const auto read =
          kernel.host().bus().call_wait<OcrRead>(std::move(request), std::move(options));
      if (!read.ok()) std::exit(1);
    };
  };
  measure("ocr_tesseract", idle, read_by("ocr_tesseract"));
  measure("ocr_ppocr", idle, read_by("ocr_ppocr"));
  measure("tts_flite", idle, [&] {
    VoiceRenderRequest request;
    request.text = "Click settings and type hello into the name field.";
    spoken = ask<VoiceRender>(kernel.host(), std::move(request))->audio;
  });
  measure("stt_pocketsphinx", idle, [&] {
    TranscribeRequest request;
    request.audio = spoken;
    (void)ask<SpeechTranscribe>(kernel.host(), std::move(request));
  });
  return kernel.stop() ? 0 : 1;
}
