// SPDX-License-Identifier: Apache-2.0
#include "query_screenshot.hpp"

#include <gantry/codec.hpp>
#include <gantry/contracts/artifact.hpp>
#include <gantry/contracts/observe.hpp>

#include <algorithm>
#include <boost/json/value.hpp>
#include <utility>

#include "message.hpp"

namespace gantry::agent_ws {
namespace {

constexpr std::string_view kTool = "screenshot";
constexpr const char* kObserverTool = "get_full_screenshot";

/// The bytes of the observer's answer; empty when it has none.
Buffer picture_of(const ObserverToolResult& result) {
  const auto answer = parse_json(result.result.text);
  if (!answer || !answer->is_object()) return {};
  const auto* data = answer->get_object().if_contains("data");
  if (data == nullptr || !data->is_string()) return {};
  auto bytes = codec::read_base64({data->get_string().data(), data->get_string().size()});
  return bytes.ok() ? Buffer::of(std::move(*bytes)) : Buffer();
}

}  // namespace

bool may_see_desktop(const std::vector<std::string>& daemon_tools) {
  return std::any_of(daemon_tools.begin(), daemon_tools.end(), [](std::string_view pattern) {
    if (!pattern.ends_with('*')) return pattern == kTool;
    return kTool.starts_with(pattern.substr(0, pattern.size() - 1));
  });
}

void take_query_screenshot(Host& host, const std::string& principal,
                           std::function<void(std::string)> done) {
  const auto without = [&host, done](const std::string& reason) {
    host.log().warn("a query goes without a screenshot of this desktop", {{"reason", reason}});
    done({});
  };
  ObserverToolRequest request;
  request.tool = kObserverTool;
  request.caller = "agent_ws";
  host.bus().call<ObserverTool>(
      std::move(request), [&host, principal, done, without](Result<Ref<ObserverToolResult>> taken) {
        if (!taken.ok()) return without(taken.error().message);
        if (!(*taken)->ok) return without((*taken)->message);
        Buffer picture = picture_of(**taken);
        if (picture.empty()) return without("the observer's answer holds no picture");
        host.bus().call<ArtifactPut>({principal, std::move(picture), "", "desktop"},
                                     [done, without](Result<Ref<ArtifactInfo>> kept) {
                                       if (!kept.ok()) return without(kept.error().message);
                                       done((*kept)->artifact_id);
                                     });
      });
}

}  // namespace gantry::agent_ws
