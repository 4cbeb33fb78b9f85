// SPDX-License-Identifier: Apache-2.0
#pragma once
// The channel: a signed request becomes a turn of the chat's session, and its answer a signed
// request back. Strand only.

#include <gantry/contracts/channel.hpp>
#include <gantry/contracts/http.hpp>
#include <gantry/contracts/session.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "messages.hpp"
#include "settings.hpp"
#include "signature.hpp"

namespace gantry::channel_webhook {

inline constexpr const char* kChannel = "webhook";

class Webhook {
 public:
  Webhook(Host& host, Settings settings);

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] ChannelInfo info() const;
  Result<ChannelInfo> turn(bool running);
  /// 202 when the message was taken; its answer comes by itself.
  HttpResponse receive(const HttpRequest& request);
  void send(const ChannelSendRequest& request, std::function<void(Result<Done>)> done);
  /// Forgets turns under way; they go on without anybody who hears their answer.
  void close() { talks_.clear(); }

 private:
  struct Talk;
  using TalkPtr = std::shared_ptr<Talk>;

  void open(const TalkPtr& talk);
  void start(const TalkPtr& talk);
  void watch(const TalkPtr& talk, const TurnStarted& started);
  void take(const TalkPtr& talk, const SessionEvent& event);
  void finish(const TalkPtr& talk, std::string text, std::string error);
  void post(const OutgoingMessage& message, std::function<void(Result<Done>)> done);

  Host& host_;
  Settings settings_;
  Verifier verifier_;
  bool running_;
  std::map<std::uint64_t, TalkPtr> talks_;
  std::uint64_t last_ = 0;
};

}  // namespace gantry::channel_webhook
