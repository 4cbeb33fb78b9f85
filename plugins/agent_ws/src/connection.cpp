// SPDX-License-Identifier: Apache-2.0
#include "connection.hpp"

#include <gantry/contract.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "json_field.hpp"
#include "remote_tools.hpp"
#include "text.hpp"
#include "turn_request.hpp"

namespace gantry::agent_ws {
namespace {

constexpr std::uint16_t kNormal = 1000;
constexpr std::uint16_t kGoingAway = 1001;
constexpr std::uint16_t kPolicy = 1008;
constexpr std::string_view kTimeout = "Connection timeout - no data received";
constexpr std::int64_t kNsPerMs = 1'000'000;

std::string_view header(const HttpRequest& request, std::string_view name) {
  const auto found = std::find_if(request.headers.begin(), request.headers.end(),
                                  [name](const HttpHeader& row) { return row.name == name; });
  return found == request.headers.end() ? std::string_view() : std::string_view(found->value);
}

/// The credential of `Authorization: Bearer …`; empty when there is none.
std::string bearer_token(const HttpRequest& request) {
  constexpr std::string_view kScheme = "bearer";
  const std::string_view field = header(request, "authorization");
  const std::size_t space = field.find(' ');
  if (space != kScheme.size()) return {};
  const bool matches = std::equal(kScheme.begin(), kScheme.end(), field.begin(),
                                  [](char low, char given) { return (given | 0x20) == low; });
  return matches ? std::string(trimmed(field.substr(space + 1))) : std::string();
}

bool from_this_machine(std::string_view peer) {
  return peer == "unix" || peer.starts_with("127.") || peer.starts_with("[::1]") ||
         peer.starts_with("[::ffff:127.");
}

}  // namespace

Connection::Connection(Server& server, std::uint64_t number, const WsOpening& opening,
                       Stream<WsMessage> down)
    : server_(server),
      number_(number),
      token_(bearer_token(opening.request)),
      peer_(opening.request.peer),
      down_(std::move(down)) {}

StreamHandlers<WsMessage> Connection::open() {
  (void)down_.send(WsMessage{WsOpcode::Accept, {}});  // a stream that has ended says so by on_end
  last_frame_ns_ = host().monotonic_ns();
  wait_for_frames();
  StreamHandlers<WsMessage> handlers;
  const std::weak_ptr<Connection> weak = weak_from_this();
  handlers.on_chunk = [weak](const Ref<WsMessage>& frame) {
    if (const auto self = weak.lock()) self->on_frame(frame);
  };
  handlers.on_writable = [weak] {
    const auto self = weak.lock();
    if (!self) return;
    self->outbox_.flush(self->down_);
    self->work();
    if (!self->outbox_.has_room()) return;
    const auto turns = self->turns_;
    for (const auto& [key, turn] : turns) self->return_credit(*turn);
    for (const auto& [key, spoken] : self->speeches_) spoken->on_room();
  };
  handlers.on_end = [weak](const Error&) {
    if (const auto self = weak.lock()) self->on_end();
  };
  return handlers;
}

void Connection::on_end() {
  if (state_ == State::Closed) return;
  state_ = State::Closed;
  silence_timer_.cancel();
  turns_.clear();  // the engine sees that nobody watches any more
  hush({}, {});
  inbox_.clear();
  server_.gone(number_);
}

void Connection::close(std::uint16_t code, std::string_view reason) {
  if (state_ == State::Closed) return;
  outbox_.flush(down_);
  down_.close(
      Error{code == kPolicy ? Code::PermissionDenied : Code::Cancelled, std::string(reason),
            fmt::format(R"({{"close_code":{},"reason":{}}})", code, json_text(reason).text)});
  on_end();
}

void Connection::shut_down() { close(kGoingAway, "the server is going down"); }

void Connection::revoke() { close(kPolicy, ""); }

/// Closes a connection that has said nothing for too long.
void Connection::wait_for_frames() {
  const std::int64_t limit_ms = state_ == State::Handshake ? server_.settings().handshake_timeout
                                                           : server_.settings().receive_timeout;
  const std::int64_t left = last_frame_ns_ + limit_ms * kNsPerMs - host().monotonic_ns();
  if (left <= 0) {
    if (state_ == State::Handshake) return refuse_handshake("no handshake came in time");
    return close(kPolicy, kTimeout);
  }
  const std::weak_ptr<Connection> weak = weak_from_this();
  silence_timer_ = host().after(std::chrono::nanoseconds(left), [weak] {
    if (const auto self = weak.lock(); self && self->state_ != State::Closed) {
      self->wait_for_frames();
    }
  });
}

void Connection::refuse_handshake(std::string_view reason) {
  server_.count(AgentErrorCode::SESSION_ERROR, "a handshake was refused", reason);
  close(kPolicy, "");
}

void Connection::on_frame(const Ref<WsMessage>& frame) {
  last_frame_ns_ = host().monotonic_ns();
  inbox_.push_back(frame);
  work();
}

/// Takes frames in their order, until one of them has to be waited for, or the client does not
/// read.
void Connection::work() {
  const auto alive = shared_from_this();
  while (!inbox_.empty() && !parsing_ && !outbox_.full() && state_ != State::Welcome &&
         state_ != State::Closed) {
    const Ref<WsMessage> frame = std::move(inbox_.front());
    inbox_.erase(inbox_.begin());
    if (inbox_.empty()) inbox_.shrink_to_fit();  // an idle one has nothing
    take(frame);
    down_.grant(1);
  }
}

void Connection::take(const Ref<WsMessage>& frame) {
  const bool text = frame->opcode == WsOpcode::Text;
  if (state_ == State::Handshake) {
    if (!text) return refuse_handshake("the first frame is binary");
    return on_handshake(frame->data.text());
  }
  if (!text) {
    server_.count(AgentErrorCode::PARSE_VALIDATION_ERROR, "a binary frame came",
                  "this protocol has text frames only");
    return close(kNormal, "text frames only");
  }
  if (frame->data.size() > kMaxMessage) {
    return error({}, too_large(frame->data.size()), AgentErrorCode::INPUT_SIZE_LIMIT_ERROR);
  }
  on_message_text(frame);
}

void Connection::on_handshake(std::string_view text) {
  std::string problem;
  auto handshake = read_handshake(text, server_.settings().tolerate_legacy_handshake, problem);
  if (!handshake) return refuse_handshake(problem);
  state_ = State::Welcome;
  definition_ = handshake->agent_definition;
  if (definition_ && definition_->tools) {
    manifest_ = check_manifest(definition_->tools->client_manifest);
  }
  verify(std::move(*handshake));
}

/// The token decides who this is, whatever the handshake claims.
void Connection::verify(Handshake handshake) {
  IdentityVerifyRequest request{CredentialKind::Install, std::exchange(token_, {}), peer_};
  const std::weak_ptr<Connection> weak = weak_from_this();
  host().bus().call<IdentityVerify>(
      std::move(request),
      [weak, handshake = std::move(handshake)](Result<Ref<IdentityVerified>> verified) {
        const auto self = weak.lock();
        if (!self || self->state_ != State::Welcome) return;
        if (!verified.ok()) return self->refuse_handshake(verified.error().message);
        self->on_verified(**verified, handshake);
      });
}

void Connection::on_verified(const IdentityVerified& verified, const Handshake& handshake) {
  if (verified.implicit && !from_this_machine(peer_)) {
    return refuse_handshake("without install tokens only this machine may connect");
  }
  principal_ = verified.principal.id;
  credential_ = verified.credential_id;
  user_id_ = verified.implicit || verified.subject.empty() ? handshake.user_id : verified.subject;
  if (!verified.implicit && user_id_ != handshake.user_id) {
    host().log().debug("the handshake claims another user than its token has");
  }
  const std::weak_ptr<Connection> weak = weak_from_this();
  server_.with_settings(principal_, [weak] {
    const auto self = weak.lock();
    if (self && self->state_ == State::Welcome) self->look_up_tools();
  });
}

void Connection::look_up_tools() {
  AgentToolsRequest request;
  const QueryScope scope{server_.settings(), server_.settings_of(principal_),
                         definition_ ? &*definition_ : nullptr, manifest_};
  request.tools = tool_policy(scope);
  const std::weak_ptr<Connection> weak = weak_from_this();
  host().bus().call<AgentTools>(std::move(request),
                                [weak](const Result<Ref<AgentToolList>>& tools) {
                                  const auto self = weak.lock();
                                  if (self && self->state_ == State::Welcome) self->welcome(tools);
                                });
}

void Connection::welcome(const Result<Ref<AgentToolList>>& tools) {
  state_ = State::Open;
  wait_for_frames();  // from now on for as long as receive_timeout says
  const FrameId no_id{{}, false};
  send(write_frame("client-tool-manifest", no_id, to_json(manifest_), {}, 0));
  const RemoteToolCatalog catalog =
      tools.ok() ? remote_tools(server_.settings().daemon_tools, (*tools)->tools)
                 : no_remote_tools(server_.settings().daemon_tools, tools.error().message);
  send(write_frame("remote-tool-catalog", no_id, to_json(catalog), {}, 0));
  if (definition_) {
    const auto point = resume_point(*definition_);
    if (!point.ok()) fail({}, point.error(), AgentErrorCode::PARSE_VALIDATION_ERROR);
    if (point.ok() && *point) resume(**point);
  }
  work();
}

void Connection::on_message_text(const Ref<WsMessage>& frame) {
  if (frame->data.size() < kLargeMessage) return on_read(read_message(frame->data.text()));
  parsing_ = true;
  const std::weak_ptr<Connection> weak = weak_from_this();
  Host& host = server_.host();
  host.blocking([weak, frame, &host] {
    auto read = std::make_shared<Read>(read_message(frame->data.text()));
    host.post([weak, read] {
      const auto self = weak.lock();
      if (!self || self->state_ == State::Closed) return;
      self->parsing_ = false;
      self->on_read(std::move(*read));
      self->work();
    });
  });
}

void Connection::on_read(Read read) {
  if (read.message) return dispatch(std::move(*read.message));
  error({}, read.refusal, AgentErrorCode::PARSE_VALIDATION_ERROR);
}

void Connection::send(std::string frame) {
  if (state_ != State::Closed) outbox_.send(down_, std::move(frame));
}

void Connection::reply(std::string_view type, const std::string& id, std::string_view payload) {
  send(write_frame(type, {id}, payload, context(), now_ms()));
}

void Connection::fail(const std::string& id, const Error& why, AgentErrorCode code) {
  error(id, request_error_text(why), code, why.message);
}

void Connection::error(const std::string& id, std::string_view text, AgentErrorCode code,
                       std::string_view reason) {
  server_.count(code, "a request failed", reason.empty() ? text : reason);
  send(write_frame("error", {id}, to_json(ErrorPayload{std::string(text), std::nullopt}), context(),
                   now_ms()));
}

Connection::Task Connection::make_task() {
  ++tasks_;
  const std::weak_ptr<Connection> weak = weak_from_this();
  return {nullptr, [weak](std::nullptr_t) {
            if (const auto self = weak.lock()) --self->tasks_;
          }};
}

SessionKey Connection::session(const std::string& conversation) const {
  return {principal_, kWorkspace, conversation};
}

FrameContext Connection::context(const std::string& conversation, const std::string& turn) const {
  return {user_id_, conversation, turn};
}

std::int64_t Connection::now_ms() const { return host().wall_ns() / kNsPerMs; }

}  // namespace gantry::agent_ws
