// SPDX-License-Identifier: Apache-2.0
#include <gantry/llm/answer.hpp>
#include <gantry/llm/token_estimate.hpp>
#include <gantry/llm/tool_arguments.hpp>

#include <utility>

namespace gantry::llm {
namespace {

/// Whether `next` may be appended to `last`, which waits.
bool joins(const LlmChunk& last, const LlmChunk& next) {
  switch (next.kind) {
    case LlmChunkKind::Text:
    case LlmChunkKind::Thinking: return last.kind == next.kind;
    case LlmChunkKind::ToolCallDelta:
      return last.kind == next.kind && last.tool_call_id == next.tool_call_id;
    default: return false;
  }
}

std::size_t weight(const LlmChunk& chunk) {
  return 64 + chunk.text.size() + (chunk.image ? chunk.image->data.size() : 0);
}

LlmChunk text_chunk(LlmChunkKind kind, std::string_view text) {
  LlmChunk chunk;
  chunk.kind = kind;
  chunk.text = text;
  return chunk;
}

}  // namespace

Answer::Answer(Stream<LlmChunk> down, std::string plugin, std::string model,
               std::function<std::int64_t()> prompt_tokens)
    : plugin_(std::move(plugin)),
      model_(std::move(model)),
      prompt_tokens_(std::move(prompt_tokens)),
      down_(std::move(down)) {}

void Answer::hold() {
  const std::lock_guard lock(mutex_);
  held_ = true;
}

void Answer::release() {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(held_, false)) return;
  }
  drain();
}

void Answer::started() {
  if (std::exchange(started_, true)) return;
  push(text_chunk(LlmChunkKind::Started, {}));
}

void Answer::restart() {
  blocks_.clear();
  written_bytes_ = image_bytes_ = 0;
  usage_.reset();
  thought_ended_ = text_signed_ = false;
}

LlmBlock& Answer::block(LlmBlockKind kind) {
  const bool goes_on = !blocks_.empty() && blocks_.back().kind == kind &&
                       !(kind == LlmBlockKind::Thinking && std::exchange(thought_ended_, false)) &&
                       !(kind == LlmBlockKind::Text && std::exchange(text_signed_, false));
  if (!goes_on) {
    new_block(kind);
    thought_ended_ = false;
    text_signed_ = false;
  }
  return blocks_.back();
}

LlmBlock& Answer::new_block(LlmBlockKind kind) {
  constexpr std::size_t kWeight = 64;
  written_bytes_ += kWeight;
  LlmBlock& made = blocks_.emplace_back();
  made.kind = kind;
  return made;
}

LlmOpaque Answer::opaque_of(std::string data) {
  written_bytes_ += data.size();
  return {plugin_, model_, std::move(data)};
}

void Answer::text(std::string_view piece) {
  if (piece.empty()) return;
  block(LlmBlockKind::Text).text += piece;
  visible_.store(true, std::memory_order_release);
  has_content_.store(true, std::memory_order_release);
  push(text_chunk(LlmChunkKind::Text, piece));
}

void Answer::thinking(std::string_view piece) {
  if (piece.empty()) return;
  block(LlmBlockKind::Thinking).text += piece;
  visible_.store(true, std::memory_order_release);
  push(text_chunk(LlmChunkKind::Thinking, piece));
}

void Answer::thinking_done(std::string opaque) {
  if (opaque.empty() && (blocks_.empty() || blocks_.back().kind != LlmBlockKind::Thinking)) return;
  LlmBlock& thought = block(LlmBlockKind::Thinking);
  if (!opaque.empty()) thought.opaque = opaque_of(std::move(opaque));
  thought_ended_ = true;
}

void Answer::sign_text(std::string opaque) {
  if (opaque.empty()) return;
  LlmBlock& text = block(LlmBlockKind::Text);
  text.opaque = opaque_of(std::move(opaque));
  text_signed_ = true;
}

void Answer::tool_begin(const std::string& id, const std::string& name) {
  LlmChunk chunk;
  chunk.kind = LlmChunkKind::ToolCallBegin;
  chunk.tool_call_id = id;
  chunk.tool_call = LlmToolCall{id, name, Json("{}"), {}};
  visible_.store(true, std::memory_order_release);
  push(std::move(chunk));
}

void Answer::tool_delta(const std::string& id, std::string_view piece) {
  if (piece.empty()) return;
  LlmChunk chunk = text_chunk(LlmChunkKind::ToolCallDelta, piece);
  chunk.tool_call_id = id;
  push(std::move(chunk));
}

void Answer::tool_done(const std::string& id, const std::string& name, std::string_view arguments,
                       std::string opaque, bool cut_off) {
  written_bytes_ += arguments.size();
  ToolArguments read = read_tool_arguments(arguments, cut_off);
  LlmToolCall call{id, name, Json(std::move(read.json)), std::move(read.problem)};
  if (name.empty()) call.problem = "the call names no tool";
  LlmBlock& made = new_block(LlmBlockKind::ToolCall);
  made.tool_call = call;
  if (!opaque.empty()) made.opaque = opaque_of(std::move(opaque));
  LlmChunk chunk;
  chunk.kind = LlmChunkKind::ToolCall;
  chunk.tool_call_id = id;
  chunk.tool_call = std::move(call);
  visible_.store(true, std::memory_order_release);
  has_content_.store(true, std::memory_order_release);
  push(std::move(chunk));
}

void Answer::image(LlmImage image) {
  LlmBlock& made = new_block(LlmBlockKind::Image);
  image_bytes_ += image.data.size();
  made.image = image;
  LlmChunk chunk;
  chunk.kind = LlmChunkKind::Image;
  chunk.image = std::move(image);
  visible_.store(true, std::memory_order_release);
  has_content_.store(true, std::memory_order_release);
  push(std::move(chunk));
}

void Answer::search(LlmSearchStep step) {
  LlmChunk chunk;
  chunk.kind = LlmChunkKind::Search;
  chunk.search = std::move(step);
  visible_.store(true, std::memory_order_release);
  push(std::move(chunk));
}

void Answer::usage(const LlmUsage& usage) {
  usage_ = usage;
  LlmChunk chunk;
  chunk.kind = LlmChunkKind::Usage;
  chunk.usage = usage;
  push(std::move(chunk));
}

LlmUsage Answer::final_usage() const {
  if (usage_) return *usage_;
  LlmUsage estimate;
  estimate.estimated = true;
  estimate.prompt_tokens = prompt_tokens_();
  for (const LlmBlock& block : blocks_) {
    estimate.output_tokens += estimate_tokens(block.text);
    if (block.tool_call) estimate.output_tokens += estimate_tokens(block.tool_call->arguments.text);
  }
  return estimate;
}

void Answer::finish(LlmFinishReason reason, std::string response_id) {
  LlmChunk chunk;
  chunk.kind = LlmChunkKind::Finish;
  chunk.finish =
      LlmFinish{reason, std::move(blocks_), final_usage(), model_, std::move(response_id)};
  blocks_.clear();
  push(std::move(chunk));
  fail(Error{Code::Ok, {}, {}});
}

void Answer::fail(const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    if (!end_) end_ = error;
  }
  drain();
}

void Answer::writable() {
  {
    const std::lock_guard lock(mutex_);
    no_credit_ = false;
  }
  drain();
}

void Answer::cancel() {
  cancelled_.store(true, std::memory_order_release);
  const std::lock_guard lock(mutex_);
  waiting_.clear();
  waiting_bytes_ = 0;
  closed_ = true;
}

std::size_t Answer::waiting_bytes() const {
  const std::lock_guard lock(mutex_);
  return waiting_bytes_;
}

void Answer::push(LlmChunk chunk) {
  written_bytes_ += chunk.text.size();
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || end_) return;
    waiting_bytes_ += weight(chunk);
    if (!waiting_.empty() && joins(waiting_.back(), chunk)) {
      waiting_.back().text += chunk.text;
      waiting_bytes_ -= 64;
    } else {
      waiting_.push_back(std::move(chunk));
    }
  }
  drain();
}

/// One thread sends at a time, without holding the lock while it is with the host; what others push
/// meanwhile it takes along.
void Answer::drain() {
  std::unique_lock lock(mutex_);
  if (held_ || std::exchange(draining_, true)) return;
  while (!closed_ && !no_credit_ && !waiting_.empty()) {
    LlmChunk next = std::move(waiting_.front());
    waiting_.pop_front();
    const std::size_t bytes = weight(next);
    no_credit_ = true;  // a writable() that comes while this sends takes it back
    lock.unlock();
    const Ref<LlmChunk> body = make_body<LlmChunk>(std::move(next));
    const auto sent = down_.send(body);
    lock.lock();
    if (sent.ok()) {
      no_credit_ = false;
      waiting_bytes_ -= std::min(waiting_bytes_, bytes);
    } else if (sent.error().code == Code::ResourceExhausted) {
      waiting_.push_front(LlmChunk(*body));
    } else {
      closed_ = true;
    }
  }
  draining_ = false;
  if (!closed_ && waiting_.empty() && end_) {
    closed_ = true;
    const Error end = *end_;
    lock.unlock();
    if (end.code == Code::Ok) {
      down_.close();
    } else {
      down_.close(end);
    }
  }
}

}  // namespace gantry::llm
