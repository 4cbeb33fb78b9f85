// SPDX-License-Identifier: Apache-2.0
#include "run_view.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace gantry;
using namespace gantry::chat_cortask;

namespace {

SessionEvent event(EventKind kind, std::string text = {}) {
  SessionEvent out;
  out.kind = kind;
  out.text = std::move(text);
  out.body = Json("{}");
  return out;
}

std::vector<std::string> frames_of(const std::vector<SessionEvent>& events) {
  std::vector<std::string> frames;
  RunView view("key", false, [&](std::string frame) { frames.push_back(std::move(frame)); });
  for (const SessionEvent& one : events) view.take(one);
  CHECK(view.over());
  return frames;
}

bool says(const std::string& frame, std::string_view part) {
  return frame.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a notice ends no run that answers, and says why there is no answer") {
  const auto noticed = event(EventKind::Notice, "the history was shortened");
  const auto finished = event(EventKind::TurnFinished);
  const auto answered = frames_of({noticed, event(EventKind::TextDelta, "hello"), finished});
  REQUIRE(answered.size() == 2);
  CHECK(says(answered[0], R"("text":"hello")"));
  CHECK(says(answered[1], R"("type":"done")"));
  const auto silent = frames_of({noticed, finished});
  REQUIRE(silent.size() == 1);
  CHECK(says(silent[0], R"("type":"error")"));
  CHECK(says(silent[0], "the history was shortened"));
}
