// SPDX-License-Identifier: Apache-2.0
#pragma once
// One stream of gantry.speech.recognise/1.

#include <gantry/speech/service.hpp>
#include <gantry/speech/transcriber.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

namespace gantry::speech {

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Service& service, SpeechOpening opening, Stream<SpeechEvent> down);

  StreamHandlers<SpeechInput> open();

 private:
  void take(const Ref<SpeechInput>& input);
  void close();
  /// On a thread: works off what has come, then lets the thread go.
  void work();
  void work_off();
  [[nodiscard]] Result<void> set_up();
  [[nodiscard]] Result<void> handle(const SpeechInput& input);
  [[nodiscard]] Result<void> take_hints(const SpeechHints& hints);
  /// Learns phrases that have come up since.
  void keep_up();
  void tell(SpeechEvent event);
  void tell(SpeechEventKind kind);
  void flush();
  void fail(const Error& error);
  /// The engine goes back, once.
  void leave();

  Service& service_;
  const SpeechOpening opening_;
  Stream<SpeechEvent> down_;

  std::mutex mutex_;
  std::deque<Ref<SpeechInput>> inbox_;
  bool working_ = false;
  bool over_ = false;

  std::mutex out_mutex_;
  std::deque<SpeechEvent> outbox_;

  // Of the thread that works.
  std::unique_ptr<Recogniser> engine_;
  std::unique_ptr<Transcriber> transcriber_;
  SpeechHints hints_;          // the client's last
  std::uint64_t version_ = 0;  // of the vocabulary that the engine knows
  bool left_ = false;
};

}  // namespace gantry::speech
