// SPDX-License-Identifier: Apache-2.0
//
// A fixture is a list of steps; a Run walks through them on one stream. Runs and their streams live
// on the plugin's strand.
#pragma once

#include <gantry/contracts/prompt.hpp>
#include <gantry/contracts/tool.hpp>
#include <gantry/host.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gantry::mcp_fixtures {

/// What the steps of a run know of it.
template <class Request>
struct Scene {
  Ref<Request> request;
  std::map<std::string, AskAnswer> answers;  // by the id of the ask

  /// A member of an answer's result as text (strings bare, everything else as JSON); empty when
  /// the path leads nowhere. Path as in RFC 6901.
  [[nodiscard]] std::string answer(const std::string& id, const std::string& path) const;
};

/// Value of `json` at `path` (RFC 6901): strings bare, the rest as JSON, nothing as "".
std::string text_at(const Json& json, const std::string& path);

template <class Request>
std::string Scene<Request>::answer(const std::string& id, const std::string& path) const {
  const auto found = answers.find(id);
  return found == answers.end() ? std::string() : text_at(found->second.result, path);
}

struct Pause {
  std::chrono::milliseconds time;
};

/// Puts questions (none: goes on) and waits for all answers.
template <class Request>
using Question = std::function<std::vector<Ask>(const Scene<Request>&)>;

/// Sends one chunk; an empty one is left out.
template <class Request, class Update>
struct Say {
  std::function<std::optional<Update>(const Scene<Request>&)> update;
};

/// Ends the run with an error.
template <class Request>
struct Refuse {
  std::function<std::optional<Error>(const Scene<Request>&)> error;  // nothing: goes on
};

template <class Request, class Update>
using Step = std::variant<Pause, Question<Request>, Say<Request, Update>, Refuse<Request>>;

template <class Request, class Update>
using Steps = std::vector<Step<Request, Update>>;

/// All runs of one kind.
template <class Request, class Update>
class Runs {
 public:
  explicit Runs(Host& host) : host_(host) {}

  StreamHandlers<AskAnswer> begin(Ref<Request> request, Stream<Update> down,
                                  Steps<Request, Update> steps) {
    const std::uint64_t id = ++last_;
    runs_.emplace(id, Run{{std::move(request), {}}, std::move(down), std::move(steps), 0, 0, {}});
    host_.post([this, id] { advance(id); });
    StreamHandlers<AskAnswer> handlers;
    handlers.on_chunk = [this, id](const Ref<AskAnswer>& answer) { answered(id, *answer); };
    handlers.on_writable = [this, id] { advance(id); };
    handlers.on_end = [this, id](const Error&) { runs_.erase(id); };
    return handlers;
  }
  void clear() { runs_.clear(); }

 private:
  struct Run {
    Scene<Request> scene;
    Stream<Update> down;
    Steps<Request, Update> steps;
    std::size_t next = 0;
    std::size_t open_asks = 0;
    Timer pause;
  };

  void answered(std::uint64_t id, const AskAnswer& answer) {
    const auto found = runs_.find(id);
    if (found == runs_.end() || found->second.open_asks == 0) return;
    if (!found->second.scene.answers.emplace(answer.id, answer).second) return;
    if (--found->second.open_asks == 0) advance(id);
  }

  void advance(std::uint64_t id) {
    while (true) {
      const auto found = runs_.find(id);
      if (found == runs_.end() || found->second.open_asks != 0) return;
      Run& run = found->second;
      if (run.next == run.steps.size()) {
        run.down.close();
        runs_.erase(found);
        return;
      }
      const auto step = run.steps[run.next];
      if (!std::visit([&](const auto& what) { return take(id, run, what); }, step)) return;
    }
  }

  // Each takes one step and says whether the next may follow at once.
  bool take(std::uint64_t id, Run& run, const Pause& step) {
    ++run.next;
    run.pause = host_.after(step.time, [this, id] { advance(id); });
    return false;
  }
  bool take(std::uint64_t, Run& run, const Question<Request>& step) {
    Update update;
    update.asks = step(run.scene);
    const std::size_t asks = update.asks.size();
    if (asks != 0 && !run.down.send(std::move(update)).ok()) return false;  // on_writable, or ended
    ++run.next;
    run.open_asks = asks;
    return asks == 0;
  }
  bool take(std::uint64_t, Run& run, const Say<Request, Update>& step) {
    auto update = step.update(run.scene);
    if (update && !run.down.send(std::move(*update)).ok()) return false;
    ++run.next;
    return true;
  }
  bool take(std::uint64_t id, Run& run, const Refuse<Request>& step) {
    ++run.next;
    const auto error = step.error(run.scene);
    if (!error) return true;
    run.down.close(*error);
    runs_.erase(id);
    return false;
  }

  Host& host_;
  std::map<std::uint64_t, Run> runs_;
  std::uint64_t last_ = 0;
};

using ToolScene = Scene<ToolCallRequest>;
using ToolSteps = Steps<ToolCallRequest, ToolUpdate>;
using PromptScene = Scene<PromptRequest>;
using PromptSteps = Steps<PromptRequest, PromptUpdate>;

}  // namespace gantry::mcp_fixtures
