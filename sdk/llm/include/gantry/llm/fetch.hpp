// SPDX-License-Identifier: Apache-2.0
//
// fetch(): one small HTTP request with a time limit. Called on the strand; `done` runs there, once.
#pragma once

#include <gantry/host.hpp>
#include <gantry/llm/http.hpp>

#include <functional>
#include <string>

namespace gantry::llm {

struct HttpAnswer {
  HttpHead head;
  std::string body;
};

void fetch(Host& host, const HttpOptions& options, HttpRequest request, Duration limit,
           std::function<void(Result<HttpAnswer>)> done);

}  // namespace gantry::llm
