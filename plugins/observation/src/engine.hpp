// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parts of the observation engine that its tools work with. Everything here is used from the
// plugin's strand only.

#include <functional>
#include <string>

#include "arguments.hpp"
#include "desktop.hpp"
#include "directory.hpp"
#include "errors.hpp"
#include "gate.hpp"
#include "input_lane.hpp"
#include "json_object.hpp"
#include "life.hpp"
#include "looks.hpp"
#include "oracle_watch.hpp"
#include "pulse.hpp"
#include "redaction.hpp"
#include "replay.hpp"
#include "screens.hpp"
#include "senses.hpp"
#include "settings.hpp"
#include "shield.hpp"
#include "snapshots.hpp"
#include "steps.hpp"
#include "tracer.hpp"
#include "trees.hpp"

namespace gantry::observation {

struct Tool;
struct Engine;

/// See fuse.hpp.
Task<std::shared_ptr<const Tree>> fuse_tree(Engine& engine, const WindowInfo& window,
                                            std::shared_ptr<const Tree> reported);

struct Engine {
  Engine(Desktop& d, const Settings& s, std::string v, Gate& g)
      : shield(d, redaction),
        desktop(shield),
        gate(g),
        settings(s),
        version(std::move(v)),
        directory(shield),
        trees(shield, settings.tree),
        screens(shield),
        pulse(d),
        looks(shield, directory, trees),
        lane(d) {
    shield.read_with(trees);
    trees.fuse_with([this](const WindowInfo& window, std::shared_ptr<const Tree> reported) {
      return fuse_tree(*this, window, std::move(reported));
    });
    trees.redact_with([this](Node& root, const WindowInfo& window) {
      redaction.redact(root, shield.true_title(window.handle, window.title));
    });
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// New rules: nothing that was seen under the old ones may be shown any more.
  Result<void> take_rules(const GuardRules& rules) {
    GANTRY_TRY(redaction.set_rules(rules));
    trees.forget_everything();
    looks.forget();
    snapshots = {};
    return {};
  }

  Redaction redaction;
  Shield shield;     ///< Everything that comes from the desktop passes it.
  Desktop& desktop;  ///< The shield: tools have no other.
  Gate& gate;
  Settings settings;
  std::string version;
  Directory directory;
  Trees trees;
  Screens screens;
  Snapshots snapshots;
  StepCounter steps;
  Pulse pulse;
  Looks looks;  ///< Of waits.
  InputLane lane;
  Tracer tracer;
  Replays replays;
  OracleWatch oracles;
  /// Of the element that was acted on last: where no element shows the focus, keys go to it.
  bool last_target_secret = false;
  Provider reader;     ///< Of text in pictures, as far as the kernel was asked.
  Provider describer;  ///< Of pictures in words, likewise.
  /// Runs a tool as if a client had called it; the observer sets it.
  std::function<Task<ObserverToolResult>(Ref<ObserverToolRequest>)> dispatch;
};

/// Where an act that is only proposed leaves its targets.
struct Proposal {
  std::vector<GateTarget> targets;
};

/// One call of a tool while it runs.
struct ToolCall {
  const Arguments& arguments;
  const Tool& tool;
  const std::string& caller;  ///< Protocol and client, as in ObserverToolRequest.
  Step step;
  bool plain = false;  ///< Without envelope and step.
  const Life& life;
  std::uint64_t serial = 0;          ///< Of the dispatcher; 0: a part of another call.
  Proposal* proposal = nullptr;      ///< Set: only find out what it would act on.
  Settlement* settlement = nullptr;  ///< Where it is noted whether the target is secret.
};

/// The tool's own members of the answer; the dispatcher adds the envelope.
using ToolOutcome = Outcome<JsonObject>;

}  // namespace gantry::observation
