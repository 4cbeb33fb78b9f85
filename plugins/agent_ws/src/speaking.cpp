// SPDX-License-Identifier: Apache-2.0
// Speech on this socket: greetings and answers that are said while they are written.
#include <gantry/contract.hpp>
#include <gantry/contracts/voice.hpp>

#include <chrono>
#include <utility>

#include "connection.hpp"
#include "turn_view.hpp"

namespace gantry::agent_ws {
namespace {

constexpr auto kVoiceLimit = std::chrono::seconds(2);  // to say whether there is a voice

Error no_voice(const VoiceList& list) {
  return unavailable(list.reason.empty() ? "no voice is installed" : list.reason, list.cure);
}

}  // namespace

/// `then` hears why nothing can be said; nothing when something can.
void Connection::with_voice(std::function<void(std::optional<Error>)> then) {
  CallOptions options;
  options.timeout = kVoiceLimit;
  const std::weak_ptr<Connection> weak = weak_from_this();
  host().bus().call<VoiceVoices>(
      {},
      [weak, then = std::move(then), task = make_task()](Result<Ref<VoiceList>> voices) {
        const auto self = weak.lock();
        if (!self || self->state_ == State::Closed) return;
        if (!voices.ok()) return then(voices.error());
        then((*voices)->voices.empty() ? std::optional(no_voice(**voices)) : std::nullopt);
      },
      options);
}

/// What is said for the message `id`. It is kept until all is said, or stopped.
std::shared_ptr<SpokenAnswer> Connection::speak(const std::string& id,
                                                const std::string& conversation) {
  const std::weak_ptr<Connection> weak = weak_from_this();
  SpokenAnswer::Sinks sinks;
  sinks.send = [weak, id](std::string_view type, const std::string& payload) {
    if (const auto self = weak.lock()) self->reply(type, id, payload);
  };
  sinks.has_room = [weak] {
    const auto self = weak.lock();
    return self && self->outbox_.has_room();
  };
  sinks.over = [weak, key = TurnKey{conversation, id}](const std::optional<Error>& failure) {
    const auto self = weak.lock();
    if (!self || self->state_ == State::Closed) return;
    if (failure) self->speech_failed(key.second, *failure);
    self->speeches_.erase(key);
  };
  auto spoken = std::make_shared<SpokenAnswer>(host(), std::move(sinks));
  speeches_[{conversation, id}] = spoken;
  return spoken;
}

/// The text goes on without a voice; the client hears why.
void Connection::speech_failed(const std::string& id, const Error& failure) {
  server_.count(code_of(failure), "an answer is not spoken", failure.message);
  reply("trace-event", id, speech_trace(id, now_ms(), failure));
}

/// Falls silent for the messages that a stop names; empty members name all.
void Connection::hush(const std::optional<std::string>& conversation,
                      const std::optional<std::string>& turn) {
  std::erase_if(speeches_, [&](const auto& entry) {
    const bool meant = (!conversation || entry.first.first == *conversation) &&
                       (!turn || entry.first.second == *turn);
    if (meant) entry.second->stop();
    return meant;
  });
}

/// A new question in a conversation: what is still said of the last answer is of no interest.
void Connection::hush_said(const std::string& conversation) {
  std::erase_if(speeches_, [&](const auto& entry) {
    const bool meant = entry.first.first == conversation && entry.second->complete();
    if (meant) entry.second->stop();
    return meant;
  });
}

void Connection::on_wakeword(const std::string& id) {
  hush({}, {});  // whoever calls wants to be heard
  const std::string& greeting = server_.settings().greeting;
  WakewordActivated activated;
  activated.speech_mode_enabled = server_.settings_of(principal_).values().speech_mode_enabled;
  activated.greeting = greeting;
  reply("wakeword-activated", id, to_json(activated));
  reply("wakeword-greeting", id, to_json(TextPayload{greeting}));
  if (!activated.speech_mode_enabled) return;
  const auto spoken = speak(id, {});
  spoken->say(greeting);
  spoken->end();
}

}  // namespace gantry::agent_ws
