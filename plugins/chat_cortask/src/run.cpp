// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <algorithm>
#include <utility>

namespace gantry::chat_cortask {
namespace {

constexpr std::uint32_t kEventBatches = 8;  // on their way to us
constexpr std::size_t kMostKept = 1 << 20;  // bytes of frames that wait for somebody

}  // namespace

Run::Run(SessionKey session, std::string turn, bool with_arguments,
         const std::shared_ptr<Connection>& owner)
    : session_(std::move(session)),
      turn_(std::move(turn)),
      owners_{owner},
      view_(session_.key, with_arguments, [this](const std::string& frame) { deliver(frame); }) {}

bool Run::belongs_to(const Connection& connection) const {
  return std::any_of(owners_.begin(), owners_.end(), [&connection](const auto& weak) {
    const auto owner = weak.lock();
    return owner && owner->number() == connection.number();
  });
}

std::shared_ptr<Connection> Run::owner() const {
  for (const auto& weak : owners_) {
    if (auto owner = weak.lock()) return owner;
  }
  return nullptr;
}

void Run::detach(const Connection& connection) {
  std::erase_if(owners_, [&connection](const auto& weak) {
    const auto owner = weak.lock();
    return !owner || owner->number() == connection.number();
  });
}

void Run::deliver(const std::string& frame) {
  bool taken = false;
  for (const auto& weak : owners_) {
    const auto owner = weak.lock();
    if (!owner) continue;
    owner->send(frame);
    taken = true;
  }
  if (taken) return;
  kept_bytes_ += frame.size();
  kept_.push_back(frame);
}

void Run::attach(const std::shared_ptr<Connection>& connection) {
  if (belongs_to(*connection)) return;
  owners_.push_back(connection);
  for (std::string& frame : std::exchange(kept_, {})) connection->send(std::move(frame));
  kept_bytes_ = 0;
  make_room();
}

Result<void> Run::watch(Host& host, std::uint64_t after, std::function<void()> ended) {
  ended_ = std::move(ended);
  SessionWatchRequest request;
  request.session = session_;
  request.after_sequence = after;
  request.turn = turn_;
  const std::weak_ptr<Run> weak = weak_from_this();
  StreamHandlers<SessionEvents> handlers;
  handlers.on_chunk = [weak](const Ref<SessionEvents>& events) {
    if (const auto self = weak.lock()) self->on_events(*events);
  };
  handlers.on_end = [weak](const Error& problem) {
    const auto self = weak.lock();
    if (!self) return;
    if (problem.code != Code::Ok) self->view_.fail(problem.message);
    self->end();
  };
  StreamOptions options;
  options.receive_credit = kEventBatches;
  options.manual_credit = true;
  GANTRY_ASSIGN(watch_, host.bus().open_stream<SessionWatch>(std::move(request),
                                                             std::move(handlers), options));
  return {};
}

void Run::on_events(const SessionEvents& events) {
  const auto self = shared_from_this();
  for (const SessionEvent& event : events.events) view_.take(event);
  ++owed_;
  make_room();
  if (view_.over()) end();
}

void Run::make_room() {
  bool room = has_owner() || kept_bytes_ < kMostKept;
  for (const auto& weak : owners_) {
    const auto owner = weak.lock();
    room = room && (!owner || owner->has_room());
  }
  if (room && owed_ > 0) watch_.grant(std::exchange(owed_, 0));
}

void Run::end() {
  if (const auto ended = std::exchange(ended_, {})) ended();
}

void Run::leave() {
  ended_ = {};
  watch_ = {};
}

}  // namespace gantry::chat_cortask
