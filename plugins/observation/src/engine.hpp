// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parts of the observation engine that its tools work with. Everything here is used from the
// plugin's strand only.

#include <string>

#include "arguments.hpp"
#include "desktop.hpp"
#include "directory.hpp"
#include "errors.hpp"
#include "json_object.hpp"
#include "screens.hpp"
#include "settings.hpp"
#include "steps.hpp"
#include "trees.hpp"

namespace gantry::observation {

struct Tool;

struct Engine {
  Engine(Desktop& d, const Settings& s, std::string v)
      : desktop(d),
        settings(s),
        version(std::move(v)),
        directory(d),
        trees(d, settings.tree),
        screens(d) {}

  Desktop& desktop;
  Settings settings;
  std::string version;
  Directory directory;
  Trees trees;
  Screens screens;
  StepCounter steps;
};

/// One call of a tool while it runs.
struct ToolCall {
  const Arguments& arguments;
  const Tool& tool;
  const std::string& caller;  ///< Protocol and client, as in ObserverToolRequest.
  Step step;
  bool plain = false;  ///< Without envelope and step.
};

/// The tool's own members of the answer; the dispatcher adds the envelope.
using ToolOutcome = Outcome<JsonObject>;

}  // namespace gantry::observation
