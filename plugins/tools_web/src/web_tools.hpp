// SPDX-License-Identifier: Apache-2.0
#pragma once
// web_fetch and web_search: what they take, who waits for whom. Strand only.

#include <gantry/host.hpp>
#include <gantry/tools/tool_server.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "fetch_run.hpp"
#include "search.hpp"
#include "settings.hpp"

namespace gantry::web {

class WebTools {
 public:
  /// `lookup` finds the addresses of names; what may be connected to is judged here.
  WebTools(Host& host, Lookup lookup) : host_(host), lookup_(std::move(lookup)) {}

  void set_settings(Settings settings);
  /// The tools as they are with the present settings.
  [[nodiscard]] std::vector<tools::Tool> tools();

 private:
  void fetch(const tools::CallPtr& call);
  void start_more();
  void search(const tools::CallPtr& call);
  void search_with(const tools::CallPtr& call, SearchArguments arguments);

  Host& host_;
  Lookup lookup_;
  Settings settings_;
  std::shared_ptr<const AddressRules> rules_;
  std::deque<std::shared_ptr<FetchRun>> waiting_;
  std::map<std::uint64_t, std::shared_ptr<FetchRun>> running_;
  std::map<std::uint64_t, std::shared_ptr<http::Fetching>> searching_;
  std::uint64_t last_ = 0;
};

}  // namespace gantry::web
