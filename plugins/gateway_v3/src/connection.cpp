// SPDX-License-Identifier: Apache-2.0
#include "connection.hpp"

#include <gantry/codec.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "call.hpp"
#include "server.hpp"

namespace gantry::gateway {
namespace {

constexpr std::uint16_t kTryAgain = 1013;
constexpr std::string_view kConnect = "connect";
constexpr std::string_view kPairingStatus = "browser.pairing.status";

Code close_status(std::uint16_t code) {
  return code == kTryAgain ? Code::ResourceExhausted : Code::Cancelled;
}

const Answer& no_longer() {
  static const Answer kNoLonger =
      refused(wire::kUnauthorized, "the connection has become somebody else's");
  return kNoLonger;
}

const std::shared_ptr<const Identity>& nobody() {
  static const auto kNobody = std::make_shared<const Identity>();
  return kNobody;
}

}  // namespace

Connection::Connection(Server& server, std::uint64_t number, const Uuid& id,
                       const WsOpening& opening, Stream<WsMessage> down)
    : server_(server),
      number_(number),
      id_(id),
      peer_(opening.request.peer),
      connected_ms_(server.now_ms()),
      down_(std::move(down)),
      outbox_(server.outbox_limits()),
      who_(nobody()) {}

StreamHandlers<WsMessage> Connection::open() {
  (void)down_.send(WsMessage{WsOpcode::Accept, {}});  // a stream that has ended says so by on_end
  StreamHandlers<WsMessage> handlers;
  handlers.receiver = shared_from_this();
  return handlers;
}

void Connection::on_chunk(const Ref<WsMessage>& message) {
  if (closed_) return;
  inbox_.push_back(message);
  work();
}

void Connection::on_room() {
  if (closed_) return;
  const auto alive = shared_from_this();
  outbox_.flush([this](std::string frame) { return send(std::move(frame)); });
}

void Connection::on_end(const Error&) { end(); }

void Connection::end() {
  if (std::exchange(closed_, true)) return;
  inbox_.clear();
  held_.reset();
  server_.changed(number_, *std::exchange(who_, nobody()), {});
  server_.gone(number_);
  outbox_.drop();
}

std::string Connection::held_run(const std::string& key) const {
  if (!holds(key)) return {};
  for (const Outgoing& item : held_->by_session.at(key).items) {
    if (!item.run.empty()) return item.run.substr(0, item.run.find('/'));
  }
  return {};
}

void Connection::close(std::uint16_t code, std::string_view reason) {
  if (closed_) return;
  const auto alive = shared_from_this();
  down_.close(Error{close_status(code), std::string(reason),
                    fmt::format(R"({{"close_code":{},"reason":{}}})", code,
                                codec::serialize(boost::json::string(reason)))});
  end();
}

bool Connection::send(std::string frame) {
  const Result<void> sent = down_.send(WsMessage{WsOpcode::Text, Buffer::of(std::move(frame))});
  return sent.ok() || sent.error().code != Code::ResourceExhausted;
}

void Connection::put(Outgoing item) {
  if (closed_) return;
  const std::uint64_t seq = item.seq.value_or(0);
  if (outbox_.put(std::move(item), [this](std::string frame) { return send(std::move(frame)); })) {
    return;
  }
  give_up(seq);
}

void Connection::give_up(std::uint64_t seq) {
  server_.host()
      .counter("slow_clients_total", "Connections that were closed because they read too slowly.")
      .add();
  close(kTryAgain,
        fmt::format("reading too slowly; connect again and chat.resume (now at seq {})", seq));
}

void Connection::event(std::string_view name, const boost::json::value& payload) {
  Outgoing item;
  item.frame = write_event(name, payload);
  put(std::move(item));
}

void Connection::of_session(const std::string& key, Outgoing item) {
  if (!holds(key)) return put(std::move(item));
  // What is kept back of all sessions is bounded as what is on its way to the client.
  Held& held = held_->by_session.at(key);
  const std::size_t bytes = item.frame.size() + item.text.size();
  held.bytes += bytes;
  held_->bytes += bytes;
  const Settings& settings = server_.settings();
  if (held_->bytes > static_cast<std::size_t>(settings.queue_bytes)) {
    return give_up(item.seq.value_or(0));
  }
  held.items.push_back(std::move(item));
}

void Connection::answer(const boost::json::value& id, const Answer& answer,
                        const std::string& after_session) {
  Outgoing item;
  if (answer.ok || locale_ == Locale::English) {
    item.frame = write_answer(id, answer);
  } else {
    item.frame = write_answer(id, refused(answer.code, localised(answer.message, locale_)));
  }
  of_session(after_session, std::move(item));
}

void Connection::hold(const std::string& key, std::int64_t ms) {
  if (!held_) held_ = std::make_unique<HeldBack>();
  const auto [slot, made] = held_->by_session.try_emplace(key);
  if (!made || ms <= 0) return;
  const std::weak_ptr<Connection> weak = weak_from_this();
  slot->second.timer = server_.host().after(std::chrono::milliseconds(ms), [weak, key] {
    if (const auto self = weak.lock()) self->release(key);
  });
}

void Connection::release(const std::string& key, std::uint64_t seen) {
  if (!holds(key)) return;
  auto node = held_->by_session.extract(key);
  held_->bytes -= node.mapped().bytes;
  if (held_->by_session.empty()) held_.reset();
  const auto alive = shared_from_this();
  for (Outgoing& item : node.mapped().items) {
    if (!item.seq || *item.seq > seen) put(std::move(item));
  }
}

bool Connection::is(const Identity& who) const {
  return who_->principal == who.principal && who_->user == who.user;
}

void Connection::become(std::optional<Identity> who, bool web_ui) {
  auto is = who ? server_.shared(std::move(*who)) : nobody();
  const auto was = std::exchange(who_, std::move(is));
  server_.changed(number_, *was, *who_);
  web_ui_ = web_ui;
  pairing_ = false;
}

/// Takes requests in their order, each when the one before it is done.
void Connection::work() {
  const auto alive = shared_from_this();
  while (!closed_ && !busy_ && !inbox_.empty()) {
    const Ref<WsMessage> message = std::move(inbox_.front());
    inbox_.erase(inbox_.begin());
    if (inbox_.empty()) inbox_.shrink_to_fit();
    Decoded decoded = decode(message->data.text());
    if (decoded.frame) {
      dispatch(std::move(*decoded.frame));
    } else {
      answer(decoded.id, refused(wire::kInvalidRequest, decoded.refusal), {});
    }
    down_.grant(1);
  }
}

std::optional<Answer> Connection::refusal(const Frame& frame, const Method* method) const {
  const bool first = frame.method == kConnect;
  const bool polls = frame.method == kPairingStatus && pairing_;
  if (who_->role == Role::None && !first && !polls) {
    return refused(wire::kUnauthorized, "first request must be 'connect'");
  }
  if (method == nullptr) return refused(wire::kInvalidRequest, "unknown method: " + frame.method);
  if (!first && !polls) {
    if (method->role == Role::None) {
      return refused(wire::kUnauthorized, fmt::format("permission denied: {} is not permitted for "
                                                      "this session",
                                                      frame.method));
    }
    if (!who_->at_least(method->role)) {
      return refused(wire::kUnauthorized, fmt::format("permission denied: {} requires {} role",
                                                      frame.method, role_name(method->role)));
    }
    if (!who_->may(method->scope)) {
      return refused(wire::kUnauthorized, fmt::format("permission denied: {} requires scope {}",
                                                      frame.method, scope_name(method->scope)));
    }
  }
  if (method->handler == nullptr) {
    return refused(wire::kUnavailable, fmt::format("{}: {}", frame.method, method->missing));
  }
  // For the scheduler nobody in particular would be everybody.
  if (frame.method.starts_with("cron.") && who_->principal.empty() &&
      !who_->at_least(Role::Admin)) {
    return refused(wire::kInvalidRequest, "user_id is required");
  }
  if (method->strict && !frame.params_are_object) {
    return refused(wire::kInvalidRequest, "invalid JSON");
  }
  return std::nullopt;
}

void Connection::dispatch(Frame frame) {
  const Method* method = find_method(frame.method);
  if (const auto no = refusal(frame, method)) return answer(frame.id, *no, {});
  begin(*method, std::move(frame));
}

void Connection::begin(const Method& method, Frame frame) {
  busy_ = true;
  const std::weak_ptr<Connection> weak = weak_from_this();
  auto next = [weak] {
    const auto self = weak.lock();
    if (!self) return;
    self->busy_ = false;
    self->work();
  };
  auto call = std::make_shared<Call>(
      Call{server_, shared_from_this(), *who_, std::move(frame), std::move(next), {}, {}});
  const auto finish = [call](const Answer& answer) {
    // A socket that has become somebody else meanwhile hears nothing more of who it was.
    const bool same = call->frame.method == kConnect || call->connection->is(call->who);
    call->connection->answer(call->frame.id, same ? answer : no_longer(), call->after_session);
    if (call->afterwards) std::exchange(call->afterwards, nullptr)();
    call->release();
  };
  const Handler handler = method.handler;
  spawn(server_.running(), handler(call), finish, [finish](const std::exception_ptr&) {
    finish(refused(wire::kInternal, "the request ran out of memory"));
  });
}

}  // namespace gantry::gateway
