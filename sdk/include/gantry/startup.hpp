// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads at the start what the store keeps, and holds back work that needs it. Strand only.

#include <gantry/host.hpp>
#include <gantry/result.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace gantry {

class Startup {
 public:
  using Work = std::function<void(const Result<void>& loaded)>;

  /// `load` runs where waiting is allowed; nothing else touches what it fills before it has ended.
  /// Health tells of it as the component `records`.
  Startup(Host& host, std::function<Result<void>()> load) : host_(host), load_(std::move(load)) {}

  /// Reads; after a failure once more every five seconds.
  void begin() {
    host_.blocking([this] {
      auto outcome = std::make_shared<Result<void>>(load_());
      host_.post([this, outcome] { end(*outcome); });
    });
  }
  /// Runs `work` now, or when it was read; with the error where it cannot be read at present.
  void when_loaded(Work work) {
    if (loaded_ || !problem_.ok()) return work(problem_);
    waiting_.push_back(std::move(work));
  }

 private:
  void end(const Result<void>& loaded) {
    constexpr auto kTryAgain = std::chrono::seconds(5);
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

  Host& host_;
  std::function<Result<void>()> load_;
  bool loaded_ = false;
  Result<void> problem_;  // of the last try
  std::vector<Work> waiting_;
  Timer retry_;
};

}  // namespace gantry
