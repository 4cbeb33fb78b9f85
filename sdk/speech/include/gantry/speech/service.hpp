// SPDX-License-Identifier: Apache-2.0
//
// Service: gantry.speech.recognise/1 and gantry.speech.transcribe/1 around an engine. Sessions are
// on the strand, recognition is not: each session's sound is worked off by one thread of the
// blocking pool, and what has not been worked off yet keeps the sender waiting for credit.
#pragma once

#include <gantry/contracts/speech.hpp>
#include <gantry/host.hpp>
#include <gantry/reply.hpp>
#include <gantry/speech/transcriber.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace gantry::speech {

class Session;  // NOLINT(bugprone-forward-declaration-namespace): not that of ONNX Runtime

struct ServiceSettings {
  std::size_t sessions = 2;  // that are open at the same time
  Duration idle_release = std::chrono::seconds(45);
  EndpointSettings endpoint;
  SpeechHints hints;  // what counts where a session says nothing
};

class Service {
 public:
  /// Makes an engine. May wait; any thread. Errors: unavailable.
  using Make = std::function<Result<std::unique_ptr<Recogniser>>()>;
  /// Makes what tells speech from silence. May wait; any thread.
  using Detect = std::function<std::unique_ptr<VoiceDetector>()>;

  explicit Service(Host& host);
  ~Service();

  /// For the plugin's init(): both contracts, or clips alone where streams are the plugin's own.
  [[nodiscard]] Result<void> serve();
  [[nodiscard]] Result<void> serve_clips();
  [[nodiscard]] static StreamOptions stream_options();
  [[nodiscard]] Result<StreamHandlers<SpeechInput>> open(const SpeechOpening& opening,
                                                         Stream<SpeechEvent> down);
  /// Strand. `forget`: engines that are there would be made otherwise now.
  void configure(const ServiceSettings& settings, Make make, bool forget = true);
  void set_detector(Detect detect);
  /// Phrases that count besides those of the sessions, such as titles of windows. Any thread.
  void set_vocabulary(std::vector<std::string> phrases);
  /// Runs on the strand when a session or clip begins and when an utterance has ended: a chance to
  /// find such phrases out. Sessions take what is new before their next utterance.
  void on_need(std::function<void()> work) { on_need_ = std::move(work); }
  /// Ends the sessions, and waits for the threads until `deadline`.
  void stop(Deadline deadline);

  // For Session.
  [[nodiscard]] Host& host() { return host_; }
  [[nodiscard]] Result<std::unique_ptr<Recogniser>> take_engine();
  void give_back(std::unique_ptr<Recogniser> engine);
  [[nodiscard]] std::unique_ptr<VoiceDetector> detector() const;
  [[nodiscard]] ServiceSettings settings() const;
  [[nodiscard]] SpeechHints completed(SpeechHints hints) const;
  /// Changes with the vocabulary.
  [[nodiscard]] std::uint64_t version() const;
  /// Any thread.
  void utterance_ended();
  [[nodiscard]] bool stopping() const;
  /// Runs `work`, which does not throw, on a thread; stop() waits for it.
  void run(std::function<void()> work);
  /// Logs what an engine has thrown; the error that its session or clip ends with.
  [[nodiscard]] Error engine_failure(const std::exception& failure);
  void ended();

 private:
  [[nodiscard]] Result<void> admit();
  void transcribe(const Ref<TranscribeRequest>& request, Reply<SpeechTranscribe> reply);
  /// What a clip says, on a thread.
  [[nodiscard]] Result<Transcript> heard(const TranscribeRequest& request,
                                         const std::function<bool()>& given_up);
  void wait_for_idling(Duration delay);
  void forget_engines();

  Host& host_;
  mutable std::mutex mutex_;
  std::condition_variable quiet_;
  ServiceSettings settings_;
  Make make_;
  Detect detect_;
  std::function<void()> on_need_;
  std::vector<std::string> vocabulary_;
  std::uint64_t version_ = 0;  // of the vocabulary
  std::vector<std::unique_ptr<Recogniser>> idle_;
  std::size_t open_ = 0;  // sessions and clips
  std::size_t threads_ = 0;
  bool stopping_ = false;
  std::int64_t last_ns_ = 0;
  bool awaits_idling_ = false;  // strand only
  Timer idling_;
  Metric sessions_gauge_;
  Metric refused_;
};

}  // namespace gantry::speech
