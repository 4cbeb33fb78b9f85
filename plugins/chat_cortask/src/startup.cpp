// SPDX-License-Identifier: Apache-2.0
#include "startup.hpp"

#include <chrono>
#include <memory>
#include <utility>

namespace gantry::chat_cortask {
namespace {

constexpr auto kTryAgain = std::chrono::seconds(5);

}  // namespace

void Startup::begin() {
  host_.blocking([this] {
    auto outcome = std::make_shared<Result<void>>(load_());
    host_.post([this, outcome] { end(*outcome); });
  });
}

void Startup::end(const Result<void>& loaded) {
  loaded_ = loaded.ok();
  problem_ = loaded;
  if (loaded.ok()) {
    host_.healthy("records");
  } else {
    host_.failed("records", loaded.error().message, "see what is wrong with the store");
    retry_ = host_.after(kTryAgain, [this] { begin(); });
  }
  for (const Work& work : std::exchange(waiting_, {})) work(loaded);
}

void Startup::when_loaded(Work work) {
  if (loaded_ || !problem_.ok()) return work(problem_);
  waiting_.push_back(std::move(work));
}

}  // namespace gantry::chat_cortask
