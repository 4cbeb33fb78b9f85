// SPDX-License-Identifier: Apache-2.0
#include "webhook.hpp"

#include <gantry/contract.hpp>
#include <gantry/http/fetch.hpp>
#include <gantry/http_status.hpp>

#include <chrono>
#include <utility>

namespace gantry::channel_webhook {
namespace {

constexpr std::size_t kShortestSecret = 16;
constexpr std::size_t kLongestChat = 200;
constexpr const char* kPrincipal = "local";
constexpr int kAccepted = 202;
constexpr int kFirstFailure = 300;

std::string_view header(const HttpRequest& request, std::string_view name) {
  for (const HttpHeader& row : request.headers) {
    if (row.name == name) return row.value;
  }
  return {};
}

HttpResponse json_answer(int status, std::string text) {
  HttpResponse response;
  response.status = status;
  response.content_type = "application/json";
  response.body = Buffer::of(std::move(text));
  return response;
}

HttpResponse refusal(const Error& error) {
  return json_answer(http_status_of(error.code), to_json(Refusal{error.message}));
}

}  // namespace

/// One message that was taken, until it is answered.
struct Webhook::Talk {
  std::uint64_t number = 0;
  IncomingMessage message;
  SessionKey session;
  std::string said;  // of the last model call
  std::string problem;
  std::string notice;  // the last
  Stream<Nothing> watch;
};

Webhook::Webhook(Host& host, Settings settings)
    : host_(host),
      settings_(std::move(settings)),
      verifier_(settings_.secret, settings_.clock_skew, host.wall_ns() / 1'000'000),
      running_(settings_.secret.size() >= kShortestSecret) {}

ChannelInfo Webhook::info() const {
  ChannelInfo info;
  info.id = kChannel;
  info.name = "Webhook";
  info.running = running_;
  info.authenticated = running_;
  if (settings_.secret.size() < kShortestSecret) {
    info.reason = "there is no secret of 16 bytes or more";
    info.cure = "set channel_webhook.secret to 16 bytes or more";
  }
  return info;
}

Result<ChannelInfo> Webhook::turn(bool running) {
  if (running && settings_.secret.size() < kShortestSecret) {
    return failed_precondition(
        "No credentials configured for webhook: set channel_webhook.secret to 16 bytes or more");
  }
  if (std::exchange(running_, running) != running) host_.bus().publish<ChannelChanged>(info());
  return info();
}

HttpResponse Webhook::receive(const HttpRequest& request) {
  if (!running_) {
    const ChannelInfo why = info();
    return refusal(unavailable(
        "the channel does not run" + (why.reason.empty() ? "" : ": " + why.reason), why.cure));
  }
  const std::string_view body = request.body.text();
  const auto signed_well =
      verifier_.check(header(request, kTimestampHeader), header(request, kSignatureHeader), body,
                      host_.wall_ns() / 1'000'000);
  if (!signed_well.ok()) return refusal(signed_well.error());
  auto message = from_json<IncomingMessage>(body);
  if (!message.ok()) return refusal(invalid_argument(message.error().message));
  if (message->chat.empty() || message->chat.size() > kLongestChat || message->text.empty()) {
    return refusal(invalid_argument("chat (up to 200 bytes) and text are required"));
  }
  auto talk = std::make_shared<Talk>();
  talk->number = ++last_;
  talk->session = {kPrincipal, settings_.workspace, std::string(kChannel) + "-" + message->chat};
  talk->message = std::move(*message);
  talks_[talk->number] = talk;
  open(talk);
  return json_answer(kAccepted, to_json(Taken{true, talk->session.key}));
}

/// Marks the session as the channel's.
void Webhook::open(const TalkPtr& talk) {
  SessionOpenRequest request;
  request.session = talk->session;
  request.title = talk->message.chat;
  request.metadata = Json(R"({"channel":"webhook"})");
  host_.bus().call<SessionOpen>(std::move(request),
                                [this, talk](const Result<Ref<SessionInfo>>& info) {
                                  if (!info.ok()) return finish(talk, {}, info.error().message);
                                  start(talk);
                                });
}

void Webhook::start(const TalkPtr& talk) {
  TurnStartRequest request;
  request.session = talk->session;
  request.text = talk->message.text;
  request.caller = "channel_webhook";
  request.options.model = settings_.model;
  request.options.workspace_path = settings_.workspace_path;
  request.options.tools.daemon_tools = settings_.daemon_tools;
  request.options.tools.act = ApprovalMode::Deny;  // nobody is there to be asked
  request.options.tools.execute = ApprovalMode::Deny;
  host_.bus().call<TurnStart>(std::move(request),
                              [this, talk](const Result<Ref<TurnStarted>>& started) {
                                if (!started.ok()) return finish(talk, {}, started.error().message);
                                watch(talk, **started);
                              });
}

void Webhook::watch(const TalkPtr& talk, const TurnStarted& started) {
  SessionWatchRequest request;
  request.session = talk->session;
  request.after_sequence = started.sequence - 1;
  request.turn = started.turn;
  const std::weak_ptr<Talk> weak = talk;
  StreamHandlers<SessionEvents> handlers;
  handlers.on_chunk = [this, weak](const Ref<SessionEvents>& events) {
    for (const SessionEvent& event : events->events) {
      if (const TalkPtr open = weak.lock()) take(open, event);
    }
  };
  handlers.on_end = [this, weak](const Error& problem) {
    if (const TalkPtr open = weak.lock()) finish(open, {}, problem.message);
  };
  auto opened = host_.bus().open_stream<SessionWatch>(std::move(request), std::move(handlers));
  if (!opened.ok()) return finish(talk, {}, opened.error().message);
  talk->watch = std::move(*opened);
}

void Webhook::take(const TalkPtr& talk, const SessionEvent& event) {
  switch (event.kind) {
    case EventKind::ModelCallStarted: talk->said.clear(); return;
    case EventKind::TextDelta: talk->said += event.text; return;
    case EventKind::Notice: talk->notice = event.text; return;  // the turn goes on
    case EventKind::Error:
      talk->problem = from_json<ErrorBody>(event.body.text).value_or(ErrorBody{}).message;
      return;
    case EventKind::TurnFinished: {
      // Without an answer the notice says why there is none.
      const bool silent = talk->said.empty() && talk->problem.empty();
      return finish(talk, std::move(talk->said), silent ? talk->notice : talk->problem);
    }
    default: return;
  }
}

void Webhook::finish(const TalkPtr& talk, std::string text, std::string error) {
  if (talks_.erase(talk->number) == 0) return;
  talk->watch = {};
  if (text.empty() && error.empty()) error = "there was no answer";
  if (!settings_.url.empty()) {
    post({talk->message.chat, std::move(text), talk->message.id, std::move(error)},
         [host = &host_](const Result<Done>& sent) {
           if (sent.ok()) return;
           host->log().warn("an answer was not taken", {{"reason", sent.error().message}});
         });
  }
  host_.bus().publish<ChannelAnswered>(
      {kChannel, talk->message.chat, talk->session.workspace, talk->session.key});
}

void Webhook::send(const ChannelSendRequest& request, std::function<void(Result<Done>)> done) {
  if (request.channel != kChannel) return done(not_found("there is no such channel"));
  if (!running_ || settings_.url.empty()) {
    return done(failed_precondition("the channel does not run, or channel_webhook.url is not set"));
  }
  post({request.target, request.text, {}, {}}, std::move(done));
}

void Webhook::post(const OutgoingMessage& message, std::function<void(Result<Done>)> done) {
  http::HttpRequest request;
  request.url = settings_.url;
  request.body = to_json(message);
  const std::string timestamp = std::to_string(host_.wall_ns() / 1'000'000'000);
  request.headers = {
      {"Content-Type", "application/json"},
      {std::string(kTimestampHeader), timestamp},
      {std::string(kSignatureHeader), signature_of(settings_.secret, timestamp, request.body)}};
  http::fetch(host_, {}, std::move(request), std::chrono::milliseconds(settings_.answer_timeout),
              [done = std::move(done)](const Result<http::HttpAnswer>& answer) {
                if (!answer.ok()) return done(answer.error());
                if (answer->head.status < kFirstFailure) return done(Done{});
                done(unavailable("the other side answered " + std::to_string(answer->head.status)));
              });
}

}  // namespace gantry::channel_webhook
