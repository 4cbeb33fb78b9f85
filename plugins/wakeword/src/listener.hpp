// SPDX-License-Identifier: Apache-2.0
//
// One stream that listens: sound waits here, and a thread of the blocking pool looks at it.
#pragma once

#include <gantry/contracts/voice.hpp>
#include <gantry/host.hpp>
#include <gantry/speech/resampler.hpp>
#include <gantry/stream.hpp>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "spotter.hpp"

namespace gantry::wakeword {

/// Work that is on a thread.
struct Working {
  /// Counts as work until it, and all copies, are gone.
  class Place {
   public:
    explicit Place(std::shared_ptr<Working> working);

   private:
    std::shared_ptr<void> held_;
  };
  std::mutex mutex;
  std::condition_variable none;
  std::size_t open = 0;
};

/// The phrases of a whole clip; waits. Errors: those of gantry.wakeword.find/1.
Result<std::vector<WakewordSpotted>> find_phrases(const Audio& audio,
                                                  std::vector<WakewordPhrase> phrases,
                                                  const Places& places);

class Listener : public std::enable_shared_from_this<Listener> {
 public:
  Listener(Host& host, std::shared_ptr<Working> working, std::vector<WakewordPhrase> phrases,
           Places places, Stream<WakewordSpotted> down, std::function<void()> over);

  /// Loads the model, on its own thread.
  void begin() { start({}); }
  void take(const Ref<WakewordAudio>& audio) { start(audio); }
  /// Nobody listens any more, or must not.
  void cancel(const std::optional<Error>& error = std::nullopt);

 private:
  void start(const Ref<WakewordAudio>& audio);
  void run();
  Result<void> hear(const WakewordAudio& audio);
  void close(const std::optional<Error>& error);

  Host& host_;
  const std::shared_ptr<Working> working_;
  std::vector<WakewordPhrase> phrases_;
  const Places places_;
  Stream<WakewordSpotted> down_;
  const std::function<void()> when_over_;  // on the strand

  std::mutex mutex_;
  std::deque<Ref<WakewordAudio>> waiting_;
  bool running_ = false;
  bool over_ = false;

  // of the thread that runs
  std::unique_ptr<Spotter> spotter_;
  speech::Resampler resampler_{Spotter::kRate};
  std::optional<Audio> form_;  // of the first piece, without its samples
};

}  // namespace gantry::wakeword
