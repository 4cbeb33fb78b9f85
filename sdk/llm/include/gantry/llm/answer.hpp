// SPDX-License-Identifier: Apache-2.0
//
// Answer: the way of one answer from a provider to whoever asked. Sends chunks as far as there is
// credit, joins the pieces that wait, and puts the whole answer together for LlmFinish.
//
// One thread at a time produces (started() … finish(), fail()); writable(), cancel() and the
// questions may come from any other at the same time.
#pragma once

#include <gantry/contracts/llm.hpp>
#include <gantry/stream.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::llm {

class Answer {
 public:
  /// `plugin` marks what is opaque. `prompt_tokens` estimates; it is asked when the provider has
  /// not counted.
  Answer(Stream<LlmChunk> down, std::string plugin, std::string model,
         std::function<std::int64_t()> prompt_tokens);

  // ---- producing --------------------------------------------------------------------------------

  /// From here on what is produced waits, until release(): pieces that came together are sent
  /// together, as one piece where they are of one kind.
  void hold();
  void release();

  void started();  // again: no effect
  /// The request is made again: what nobody has seen of the answer is forgotten.
  void restart();
  void text(std::string_view piece);
  void thinking(std::string_view piece);
  /// Ends the thought that was being written, or adds one without words.
  void thinking_done(std::string opaque);
  /// Marks the last text block (Gemini signs text, too).
  void sign_text(std::string opaque);
  void tool_begin(const std::string& id, const std::string& name);
  void tool_delta(const std::string& id, std::string_view piece);
  /// `arguments` as the model wrote them; they are read and repaired here. `cut_off`: the answer
  /// ended at a limit in the middle of them.
  void tool_done(const std::string& id, const std::string& name, std::string_view arguments,
                 std::string opaque = {}, bool cut_off = false);
  void image(LlmImage image);
  void search(LlmSearchStep step);
  void usage(const LlmUsage& usage);
  /// Ends the answer and closes the stream when all is sent.
  void finish(LlmFinishReason reason, std::string response_id);
  void fail(const Error& error);
  void set_model(std::string model) { model_ = std::move(model); }

  // ---- from any thread --------------------------------------------------------------------------

  /// There is credit again.
  void writable();
  /// Whoever asked has gone: nothing is sent any more.
  void cancel();
  [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_acquire); }
  /// Whether anything of the answer itself was sent or waits to be.
  [[nodiscard]] bool visible() const { return visible_.load(std::memory_order_acquire); }
  /// Whether it has text, a call or an image so far.
  [[nodiscard]] bool has_content() const { return has_content_.load(std::memory_order_acquire); }
  /// Bytes that wait for credit.
  [[nodiscard]] std::size_t waiting_bytes() const;
  /// Bytes of its words so far: text, thoughts, arguments (as pieces and as a whole), what is
  /// opaque, and something for each block. Of the producer.
  [[nodiscard]] std::size_t written_bytes() const { return written_bytes_; }
  /// Bytes of its images so far. Of the producer.
  [[nodiscard]] std::size_t image_bytes() const { return image_bytes_; }

 private:
  void push(LlmChunk chunk);
  void drain();
  LlmBlock& block(LlmBlockKind kind);
  LlmBlock& new_block(LlmBlockKind kind);
  LlmOpaque opaque_of(std::string data);
  LlmUsage final_usage() const;

  // Of the producer.
  std::string plugin_;
  std::string model_;
  std::vector<LlmBlock> blocks_;
  std::size_t written_bytes_ = 0;
  std::size_t image_bytes_ = 0;
  bool started_ = false;
  bool thought_ended_ = false;
  bool text_signed_ = false;
  std::optional<LlmUsage> usage_;
  std::function<std::int64_t()> prompt_tokens_;

  Stream<LlmChunk> down_;
  mutable std::mutex mutex_;  // guards what follows
  std::deque<LlmChunk> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::optional<Error> end_;  // to close with, once all is sent
  bool held_ = false;
  bool draining_ = false;
  bool no_credit_ = false;
  bool closed_ = false;

  std::atomic<bool> cancelled_{false};
  std::atomic<bool> visible_{false};
  std::atomic<bool> has_content_{false};
};

}  // namespace gantry::llm
