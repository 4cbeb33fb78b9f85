// SPDX-License-Identifier: Apache-2.0
#pragma once
// What all parts of the engine share. Strand only.

#include <gantry/host.hpp>
#include <gantry/task.hpp>

#include "models.hpp"
#include "places.hpp"
#include "questions.hpp"
#include "sessions.hpp"
#include "settings.hpp"
#include "store_client.hpp"
#include "tool_registry.hpp"

namespace gantry::agent {

struct Core {
  explicit Core(Host& h)
      : host(h),
        store(h),
        sessions(h, store),
        models(h, store, settings),
        tools(h, store, settings),
        questions(h) {}
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  Host& host;
  Settings settings;
  StoreClient store;
  Sessions sessions;
  Models models;
  ToolRegistry tools;
  Questions questions;
  Places places;
  RunningTasks tasks;
};

}  // namespace gantry::agent
