// SPDX-License-Identifier: Apache-2.0
#include "wakeword_plugin.hpp"

#include <gantry/suitability.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "phrases.hpp"

namespace gantry::wakeword {
namespace {

constexpr std::uint32_t kPieces = 16;  // of sound, on their way
constexpr const char* kUsualPhrase = "hey computer";

}  // namespace

Result<void> WakewordPlugin::init() {
  GANTRY_TRY(reconfigure());
  GANTRY_TRY(host().bus().serve<WakewordFind>(
      [this](const Ref<WakewordFindRequest>& request, const CallInfo&, Reply<WakewordFind> reply) {
        find(request, std::move(reply));
      }));
  StreamOptions options;
  options.receive_credit = kPieces;
  options.manual_credit = true;
  return host().bus().serve_stream<WakewordListen>(
      [this](const Ref<WakewordListenRequest>& request, const CallInfo&,
             Stream<WakewordSpotted> down) { return open(*request, std::move(down)); },
      options);
}

Result<void> WakewordPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  if (settings_.phrases.empty()) settings_.phrases.push_back({kUsualPhrase, 1e-20});
  GANTRY_TRY(phrase_list(settings_.phrases));
  probe();
  return {};
}

void WakewordPlugin::probe() {
  tell_found(host(), "model", check_places(where()), 60, "pocketsphinx with its English model");
}

Result<StreamHandlers<WakewordAudio>> WakewordPlugin::open(const WakewordListenRequest& request,
                                                           Stream<WakewordSpotted> down) {
  if (stopping_) return failed_precondition("wake phrases are no longer listened for");
  if (listeners_.size() >= static_cast<std::size_t>(settings_.listeners)) {
    return Error{Code::ResourceExhausted,
                 fmt::format("{} streams listen, as many as `listeners` allows", listeners_.size()),
                 {}};
  }
  std::vector<WakewordPhrase> phrases =
      request.phrases.empty() ? settings_.phrases : request.phrases;
  GANTRY_TRY(phrase_list(phrases));
  GANTRY_TRY(check_places(where()));
  const std::uint64_t number = ++last_number_;
  auto listener =
      std::make_shared<Listener>(host(), working_, std::move(phrases), where(), std::move(down),
                                 [this, number] { listeners_.erase(number); });
  listeners_[number] = listener;
  StreamHandlers<WakewordAudio> handlers;
  const std::weak_ptr<Listener> weak = listener;
  handlers.on_chunk = [weak](const Ref<WakewordAudio>& audio) {
    if (const auto self = weak.lock()) self->take(audio);
  };
  handlers.on_end = [weak](const Error&) {
    if (const auto self = weak.lock()) self->cancel();
  };
  listener->begin();
  return handlers;
}

void WakewordPlugin::find(const Ref<WakewordFindRequest>& request, Reply<WakewordFind> reply) {
  std::vector<WakewordPhrase> phrases =
      request->phrases.empty() ? settings_.phrases : request->phrases;
  const Working::Place place(working_);
  host().blocking([request, phrases = std::move(phrases), places = where(), place,
                   reply = std::move(reply)]() mutable {
    auto found = find_phrases(request->audio, std::move(phrases), places);
    if (!found.ok()) return reply.fail(found.error());
    reply(WakewordFound{std::move(*found)});
  });
}

void WakewordPlugin::stop(Deadline deadline) {
  stopping_ = true;
  const auto open = listeners_;
  for (const auto& [number, listener] : open) {
    listener->cancel(failed_precondition("wake phrases are no longer listened for"));
  }
  std::unique_lock lock(working_->mutex);
  const auto left =
      std::min<Duration>(deadline.left(host().monotonic_ns()), std::chrono::minutes(1));
  working_->none.wait_for(lock, left, [&] { return working_->open == 0; });
}

}  // namespace gantry::wakeword
