// SPDX-License-Identifier: Apache-2.0
#pragma once
// What all parts of the engine share. Strand only.

#include <gantry/host.hpp>

#include <map>
#include <string>

#include "models.hpp"
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
  std::map<std::string, std::int64_t> turns_of;  // running or waiting, by principal
  std::int64_t turns = 0;                        // of all
};

}  // namespace gantry::agent
