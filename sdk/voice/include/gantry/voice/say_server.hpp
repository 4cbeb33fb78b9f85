// SPDX-License-Identifier: Apache-2.0
//
// gantry.voice.say/1 for plugins that have an engine: sentences, limits, credit, cancellation and
// the rate of the chunks are here; the engine makes the samples of one sentence at a time.
#pragma once

#include <gantry/contracts/voice.hpp>
#include <gantry/host.hpp>
#include <gantry/speech/resampler.hpp>
#include <gantry/voice/sentences.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace gantry::voice {

inline constexpr std::int32_t kSpeechRate = 22'050;  // samples a second, of every chunk

struct Session;

/// One sentence on its way. The engine calls samples() as they come and done() exactly once, both
/// from any thread.
class Utterance {
 public:
  Utterance(std::shared_ptr<Session> session, std::string text, bool first);
  Utterance(const Utterance&) = delete;
  Utterance& operator=(const Utterance&) = delete;
  ~Utterance();  // an engine that forgot it has failed

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& voice() const;
  [[nodiscard]] double rate() const;
  /// Whether somebody waits for the first sound of the whole stream.
  [[nodiscard]] bool first() const { return first_; }
  /// False when nobody listens any more: the engine ends, with done().
  bool samples(std::span<const std::int16_t> mono, std::int32_t sample_rate);
  [[nodiscard]] bool cancelled() const;
  /// Runs `work` when nobody listens any more, on the strand; at once when that is so.
  void on_cancel(std::function<void()> work);
  void done(const Result<void>& result);

 private:
  friend struct Session;
  std::shared_ptr<Session> session_;
  const std::string text_;
  const bool first_;
  speech::Resampler resampler_{kSpeechRate};
  std::vector<std::int16_t> made_;  // not yet sent
  bool sent_ = false;               // a chunk of it
  bool over_ = false;
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// The name of the voice that is meant; `asked` may be empty. Errors: not_found, unavailable.
  virtual Result<std::string> voice(const std::string& asked) = 0;
  virtual VoiceList voices() = 0;
  /// On the strand; must not wait.
  virtual void speak(std::shared_ptr<Utterance> utterance) = 0;
  /// Nobody has spoken for a while: gives memory back. Where waiting is allowed.
  virtual void release() {}
};

struct SayLimits {
  std::int32_t streams = 4;            // at the same time
  std::int32_t max_text = 20'000;      // bytes of one stream
  std::int64_t idle_release = 45'000;  // milliseconds
};

/// Strand only.
class SayServer {
 public:
  SayServer(Host& host, Engine& engine);
  ~SayServer();
  SayServer(const SayServer&) = delete;
  SayServer& operator=(const SayServer&) = delete;

  /// Serves gantry.voice.say/1, gantry.voice.render/1 and gantry.voice.voices/1.
  Result<void> serve();
  void configure(const SayLimits& limits) { limits_ = limits; }
  /// Refuses what comes, ends what is said, and waits for the engine until `deadline`.
  void stop(Deadline deadline);

 private:
  friend struct Session;
  friend class Utterance;
  Result<StreamHandlers<VoiceText>> open(const Ref<VoiceSayRequest>& request,
                                         Stream<VoiceChunk> down);
  void render(const VoiceRenderRequest& request, Reply<VoiceRender> reply);
  void ended(std::uint64_t number);
  void wait_for_idling(Duration delay);

  Host& host_;
  Engine& engine_;
  SayLimits limits_;
  std::map<std::uint64_t, std::shared_ptr<Session>> sessions_;
  std::uint64_t last_number_ = 0;
  bool stopping_ = false;
  bool awaits_idling_ = false;
  std::int64_t last_ns_ = 0;
  Timer idling_;
  struct Work;  // utterances that engines have
  std::shared_ptr<Work> work_;
  Metric spoken_;
  Metric first_chunk_;
};

}  // namespace gantry::voice
