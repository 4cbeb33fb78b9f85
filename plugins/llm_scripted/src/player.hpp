// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plays one scripted answer. On the plugin's strand; all waiting by the host's timers.

#include <gantry/host.hpp>
#include <gantry/llm/answer.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "script.hpp"

namespace gantry::scripted {

/// Which answer of a script is due: the number of assistant messages after the user's last one.
[[nodiscard]] std::size_t answers_given(const LlmChatRequest& request);

class Player : public std::enable_shared_from_this<Player> {
 public:
  Player(Host& host, const Ref<LlmChatRequest>& request, std::shared_ptr<llm::Answer> answer,
         Duration word_delay);

  void play(const ScriptedAnswer& script);
  void cancel();

 private:
  /// One thing to do, after a time.
  struct Step {
    Duration wait{0};
    std::function<void()> act;
    bool last = false;
  };

  void plan(const Statement& statement);
  void plan_words(const std::string& text, void (llm::Answer::*say)(std::string_view));
  void plan_calls(const Statement& statement);
  void plan_show(const Statement& statement);
  void plan_finish();
  void add(Duration wait, std::function<void()> act, bool last = false);
  void run();
  [[nodiscard]] int calls_before() const;

  Host& host_;
  Ref<LlmChatRequest> request_;
  std::shared_ptr<llm::Answer> answer_;
  Duration word_delay_;
  std::deque<Step> steps_;
  Timer timer_;
  int next_call_;
  bool called_ = false;
  bool hangs_ = false;
  std::optional<LlmFinishReason> reason_;
};

}  // namespace gantry::scripted
