// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads at the start what the store keeps, and holds back work that needs it. Strand only.

#include <gantry/host.hpp>
#include <gantry/result.hpp>

#include <functional>
#include <vector>

namespace gantry::chat_cortask {

class Startup {
 public:
  using Work = std::function<void(const Result<void>& loaded)>;

  /// `load` runs where waiting is allowed; nothing else touches what it fills before it has ended.
  Startup(Host& host, std::function<Result<void>()> load) : host_(host), load_(std::move(load)) {}

  /// Reads; after a failure once more every five seconds.
  void begin();
  /// Runs `work` now, or when it was read; with the error where it cannot be read at present.
  void when_loaded(Work work);

 private:
  void end(const Result<void>& loaded);

  Host& host_;
  std::function<Result<void>()> load_;
  bool loaded_ = false;
  Result<void> problem_;  // of the last try
  std::vector<Work> waiting_;
  Timer retry_;
};

}  // namespace gantry::chat_cortask
