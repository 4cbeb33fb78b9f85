// SPDX-License-Identifier: Apache-2.0
#include "http_outlet.hpp"

#include <gantry/mcp/json_text.hpp>

#include <utility>

namespace gantry::mcp {
namespace {

std::string batch_error(const std::string& id, std::string what, std::size_t limit, bool retry) {
  ObjectText data;
  data.add("code", code_name(Code::ResourceExhausted)).raw("limit", std::to_string(limit));
  if (retry) data.add("retry", true);
  return write_error(id, {kBusy, std::move(what), data.text()}, false);
}

}  // namespace

void HttpOutlet::begin_stream() {
  if (events_) return;
  const ReplayLimits limits = session_ ? session_->limits : ReplayLimits{};
  events_ = session_ ? session_->open_stream() : std::make_shared<EventStream>(0, limits);
  writer_->head(event_stream_head(options_.headers));
  events_->attach(writer_, 0);
  if (options_.priming) events_->prime();
}

void HttpOutlet::send(std::string message) {
  if (done_ || !streams()) return;
  begin_stream();
  events_->push(message);
}

void HttpOutlet::respond(std::string message, int status) {
  if (std::exchange(done_, true)) return;
  if (events_ || (options_.must_stream && status == 200)) {
    begin_stream();
    events_->push(message);
    events_->finish();
    if (session_) session_->give_way();
    return;
  }
  HttpResponse response;
  response.status = status;
  response.headers = options_.headers;
  response.content_type = "application/json";
  response.body = Buffer::of(std::move(message));
  writer_->head(std::move(response));
  writer_->end();
}

void HttpOutlet::accept() {
  if (std::exchange(done_, true)) return;
  HttpResponse response;
  response.status = 202;
  response.headers = options_.headers;
  writer_->head(std::move(response));
  writer_->end();
}

void HttpOutlet::come_back(std::int64_t ms) {
  if (done_ || !session_ || !streams()) return;
  begin_stream();
  events_->come_back(ms);
}

void HttpOutlet::unanswered() {
  if (done_) return;
  if (!events_) return accept();
  done_ = true;
  events_->finish();
}

void HttpOutlet::keep_alive() {
  if (done_ || !streams()) return;
  begin_stream();
  events_->comment();
}

bool HttpOutlet::hung_up() {
  if (done_) return true;
  if (!events_ || !session_) {
    done_ = true;
    return false;
  }
  events_->detach(writer_.get());
  return true;
}

void BatchAnswers::add(const std::string& id, std::string message) {
  if (!answers_.empty() && bytes_ + message.size() > kMost) {
    message = batch_error(id,
                          "the answers of this batch are too long together, so this one was "
                          "left out; what was asked for is done",
                          kMost, false);
  }
  bytes_ += message.size();
  answers_.push_back(std::move(message));
  --missing_;
  finish_if_complete();
}

void BatchAnswers::leave_out() {
  --missing_;
  finish_if_complete();
}

bool BatchAnswers::seal() {
  sealed_ = true;
  const bool none = missing_ == 0 && answers_.empty();
  if (!none) finish_if_complete();
  return none;
}

void BatchAnswers::finish_if_complete() {
  if (!sealed_ || missing_ > 0) return;
  if (answers_.empty()) return outlet_->unanswered();
  ArrayText all;
  for (const std::string& answer : answers_) all.raw(answer);
  outlet_->respond(all.text(), 200);
}

std::vector<std::string> hand_over_batch(Connection& connection, std::vector<Message> messages,
                                         const std::shared_ptr<BatchAnswers>& answers,
                                         const Headers& headers) {
  std::vector<std::string> ids;
  for (Message& message : messages) {
    const bool asks = message.kind == Message::Kind::Request;
    if (asks && answers->enough()) {
      answers->expect();
      answers->add(message.id,
                   batch_error(message.id,
                               "the answers of this batch are long enough already, so this "
                               "request was not begun; send it on its own",
                               BatchAnswers::kEnough, true));
      continue;
    }
    if (asks) ids.push_back(message.id);
    const std::shared_ptr<Outlet> part = asks || message.kind == Message::Kind::Invalid
                                             ? std::make_shared<BatchOutlet>(answers, message.id)
                                             : nullptr;
    (void)connection.handle(std::move(message), part, headers);
  }
  return ids;
}

}  // namespace gantry::mcp
