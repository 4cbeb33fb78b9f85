// SPDX-License-Identifier: Apache-2.0
//
// A session of gantry.speech.recognise/1 whose recogniser is a server that is reached by WebSocket.
// What is said on it is the dialect's. Strand only.
#pragma once

#include <gantry/contracts/speech.hpp>
#include <gantry/host.hpp>
#include <gantry/http/websocket.hpp>
#include <gantry/speech/flush_wait.hpp>
#include <gantry/stream.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gantry::speech {

/// What follows from something that came.
struct RemoteOut {
  std::vector<http::WebSocket::Message> send;  // to the server
  std::vector<SpeechEvent> tell;               // to whoever listens
  bool flushed = false;                        // everything before the flush has been answered
  bool unsettled = false;                      // it had not: there is more
  std::optional<Duration> flushed_after;       // it has, unless there is more until then
  std::optional<Error> end;

  void say(std::string text) { send.push_back({true, std::move(text)}); }
  void event(SpeechEventKind kind, std::string text = {}, std::string utterance = {});
};

class Dialect {
 public:
  Dialect() = default;
  virtual ~Dialect() = default;
  Dialect(const Dialect&) = delete;
  Dialect& operator=(const Dialect&) = delete;

  virtual void opened(RemoteOut& out) = 0;
  virtual void sound(std::span<const std::int16_t> samples, std::int32_t rate, RemoteOut& out) = 0;
  virtual void hints(const SpeechHints& hints, RemoteOut& out) = 0;
  virtual void reset(RemoteOut& out) = 0;
  virtual void flush(RemoteOut& out) = 0;
  virtual void hear(const http::WebSocket::Message& message, RemoteOut& out) = 0;
};

struct RemotePlan {
  http::HttpOptions options;
  http::WebSocketRequest request;
  Duration flush_limit = std::chrono::seconds(5);  // for the answer to what was said last
};

class RemoteSession : public std::enable_shared_from_this<RemoteSession> {
 public:
  RemoteSession(Host& host, RemotePlan plan, std::unique_ptr<Dialect> dialect,
                Stream<SpeechEvent> down, std::function<void()> ended);

  StreamHandlers<SpeechInput> open();
  /// Ends it, as when the plugin stops.
  void end(const Error& error);

 private:
  void take(const SpeechInput& input);
  void return_credit();
  void follow(RemoteOut out);
  void tell_flushed();
  void pour();
  void over(const Error& error);

  Host& host_;
  RemotePlan plan_;
  std::unique_ptr<Dialect> dialect_;
  Stream<SpeechEvent> down_;
  std::function<void()> ended_;
  std::shared_ptr<http::WebSocket> socket_;
  std::deque<SpeechEvent> outbox_;
  FlushWait flush_{host_, plan_.flush_limit, [this] { tell_flushed(); }};
  std::uint32_t owed_ = 0;  // pieces whose credit is held back
  bool over_ = false;
};

/// The sessions of a plugin that recognises speech by a server. Strand only.
class RemoteSessions {
 public:
  explicit RemoteSessions(Host& host) : host_(host) {}

  /// Opens one. Errors: resource_exhausted (`most`, the plugin's key `sessions`, are open).
  [[nodiscard]] Result<StreamHandlers<SpeechInput>> open(RemotePlan plan,
                                                         std::unique_ptr<Dialect> dialect,
                                                         Stream<SpeechEvent> down,
                                                         std::int64_t most);
  /// Ends them all: the plugin stops.
  void stop();

 private:
  Host& host_;
  std::map<std::uint64_t, std::shared_ptr<RemoteSession>> sessions_;
  std::uint64_t last_ = 0;
};

}  // namespace gantry::speech
