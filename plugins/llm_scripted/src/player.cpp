// SPDX-License-Identifier: Apache-2.0
#include "player.hpp"

#include <array>
#include <utility>

#include "show.hpp"

namespace gantry::scripted {
namespace {

/// A PNG of one white pixel.
constexpr std::array<std::uint8_t, 67> kPixel{
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00,
    0x00, 0x3A, 0x7E, 0x9B, 0x55, 0x00, 0x00, 0x00, 0x0A, 0x49, 0x44, 0x41, 0x54, 0x78,
    0xDA, 0x63, 0xF8, 0x0F, 0x00, 0x01, 0x01, 0x01, 0x00, 0x1C, 0xB0, 0x8C, 0x99, 0x00,
    0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82};

}  // namespace

std::size_t answers_given(const LlmChatRequest& request) {
  std::size_t given = 0;
  for (const LlmMessage& message : request.messages) {
    if (message.role == LlmRole::User) given = 0;
    if (message.role == LlmRole::Assistant) ++given;
  }
  return given;
}

Player::Player(Host& host, const Ref<LlmChatRequest>& request, std::shared_ptr<llm::Answer> answer,
               Duration word_delay)
    : host_(host),
      request_(request),
      answer_(std::move(answer)),
      word_delay_(word_delay),
      next_call_(calls_before() + 1) {}

int Player::calls_before() const {
  int calls = 0;
  for (const LlmMessage& message : request_->messages) {
    for (const LlmBlock& block : message.blocks) calls += block.tool_call ? 1 : 0;
  }
  return calls;
}

void Player::add(Duration wait, std::function<void()> act, bool last) {
  steps_.push_back({wait, std::move(act), last});
}

void Player::play(const ScriptedAnswer& script) {
  if (answer_->cancelled()) return;
  add(Duration(0), [this] { answer_->started(); });
  for (const Statement& statement : script) plan(statement);
  if (!hangs_ && (steps_.empty() || !steps_.back().last)) plan_finish();
  run();
}

void Player::plan_finish() {
  add(
      Duration(0),
      [this] {
        const auto by_itself = called_ ? LlmFinishReason::ToolCalls : LlmFinishReason::Stop;
        answer_->finish(reason_.value_or(by_itself), "scripted");
      },
      true);
}

void Player::plan(const Statement& statement) {
  switch (statement.verb) {
    case Verb::Reply: return plan_words(statement.text, &llm::Answer::text);
    case Verb::Thinking:
      plan_words(statement.text, &llm::Answer::thinking);
      return add(Duration(0), [this] { answer_->thinking_done({}); });
    case Verb::Chunks:
      for (std::size_t i = 0; i < statement.chunks.size(); ++i) {
        add(i == 0 ? Duration(0) : statement.time,
            [this, text = statement.chunks[i]] { answer_->text(text); });
      }
      return;
    case Verb::Tool:
    case Verb::Batch:
    case Verb::Malformed: return plan_calls(statement);
    case Verb::Image:
      return add(Duration(0), [this] {
        answer_->image({Buffer::copy(std::span<const std::uint8_t>(kPixel)), "image/png", {}, {}});
      });
    case Verb::ImageQuestion: return plan_words(describe_images(*request_), &llm::Answer::text);
    case Verb::Show: return plan_show(statement);
    case Verb::Search:
      return add(Duration(0), [this, query = statement.text] {
        LlmSearchStep step{"scripted_search", "search", "started", query, {}, {}, {}};
        answer_->search(step);
        step.status = "completed";
        step.hits = {{"https://example.org/", "Example", query}};
        answer_->search(step);
      });
    case Verb::Delay: return add(statement.time, [] {});
    case Verb::Usage: return add(Duration(0), [this, u = statement.usage] { answer_->usage(u); });
    case Verb::Finish: reason_ = statement.reason; return;
    case Verb::Error:
      return add(
          Duration(0),
          [this, statement] {
            llm::Failure failure{statement.trouble, statement.text, {}};
            failure.detail.provider = "scripted";
            failure.detail.retry_after_ms = statement.retry_after_ms;
            failure.detail.attempts = 1;
            failure.detail.visible = answer_->visible();
            answer_->fail(failure.error());
          },
          true);
    case Verb::Hang: hangs_ = true; return;
    case Verb::Next:
    case Verb::File: return;  // File was replaced by what is in it
  }
}

void Player::plan_words(const std::string& text, void (llm::Answer::*say)(std::string_view)) {
  bool first = true;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find_first_of(" \n", begin);
    end = end == std::string::npos ? text.size() : text.find_first_not_of(" \n", end);
    if (end == std::string::npos) end = text.size();
    add(std::exchange(first, false) ? Duration(0) : word_delay_,
        [this, say, word = text.substr(begin, end - begin)] { (answer_.get()->*say)(word); });
    begin = end;
  }
}

void Player::plan_calls(const Statement& statement) {
  called_ = true;
  for (const ScriptCall& call : statement.calls) {
    add(Duration(0), [this, call, id = "scripted_call_" + std::to_string(next_call_++)] {
      answer_->tool_begin(id, call.tool);
      answer_->tool_delta(id, call.arguments);
      answer_->tool_done(id, call.tool, call.arguments);
    });
  }
}

void Player::plan_show(const Statement& statement) {
  const auto shown = show(*request_, statement.text);
  plan_words(shown.ok() ? *shown : shown.error().message, &llm::Answer::text);
}

void Player::run() {
  while (!steps_.empty()) {
    if (steps_.front().wait > Duration(0)) {
      timer_ =
          host_.after(std::exchange(steps_.front().wait, Duration(0)), [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->run();
          });
      return;
    }
    const Step step = std::move(steps_.front());
    steps_.pop_front();
    step.act();
    if (step.last) steps_.clear();
  }
}

void Player::cancel() {
  answer_->cancel();
  steps_.clear();
  timer_.cancel();
}

}  // namespace gantry::scripted
