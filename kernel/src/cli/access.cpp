// SPDX-License-Identifier: Apache-2.0
// In-process access: a kernel without listeners that lives as long as the command.
#include "cli/access.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "cli/printable.hpp"
#include "cli/remote.hpp"
#include "kernel.hpp"

namespace gantry::cli {
namespace {

using plugin::Manifest;
using plugin::PlannedPlugin;

// Tells a wrong configuration from what else is no state to do something in.
constexpr std::string_view kWrongConfiguration = R"({"cause":"configuration"})";

// A plugin with one of these opens sockets; no command may do that behind a daemon's back.
constexpr std::array<std::string_view, 2> kListenerContracts{"gantry.http.listen",
                                                             "gantry.http.mount"};

bool opens_listeners(const Manifest& manifest) {
  return std::any_of(manifest.provides.begin(), manifest.provides.end(), [](const auto& ref) {
    return std::find(kListenerContracts.begin(), kListenerContracts.end(), ref.name) !=
           kListenerContracts.end();
  });
}

// The plugins that serve `contract`, and all that those require or, with `optional`, can use.
std::set<std::string> closure(const plugin::Plan& plan, const plugin::ContractRef& contract,
                              bool optional) {
  std::set<std::string> names;
  std::vector<plugin::ContractRef> open{contract};
  while (!open.empty()) {
    const auto wanted = open.back();
    open.pop_back();
    for (const auto& planned : plan.plugins) {
      const bool serves = planned.enabled && planned.manifest && planned.manifest->serves(wanted);
      if (!serves || !names.insert(planned.name).second) continue;
      const auto& manifest = *planned.manifest;
      open.insert(open.end(), manifest.requires_contracts.begin(),
                  manifest.requires_contracts.end());
      if (!optional) continue;
      open.insert(open.end(), manifest.optional_contracts.begin(),
                  manifest.optional_contracts.end());
    }
  }
  return names;
}

std::function<bool(const PlannedPlugin&)> filter(const plugin::Plan& plan, Need need,
                                                 const std::string& contract) {
  if (need == Need::kNothing) return [](const PlannedPlugin&) { return false; };
  if (need == Need::kEverything || need == Need::kContracts) {
    return [](const PlannedPlugin& planned) {
      return planned.manifest && !opens_listeners(*planned.manifest);
    };
  }
  const auto ref =
      plugin::ContractRef::parse(need == Need::kProbes ? "gantry.platform.probe/1" : contract);
  auto names = ref ? closure(plan, *ref, need != Need::kProvider) : std::set<std::string>{};
  return [names = std::move(names)](const PlannedPlugin& planned) {
    return names.count(planned.name) > 0 && !opens_listeners(*planned.manifest);
  };
}

class LocalAccess final : public Access {
 public:
  explicit LocalAccess(plugin::Plan plan) : kernel_(std::move(plan), {}) { kernel_.start(); }
  ~LocalAccess() override {
    // Code that hangs must not keep the command from ending, nor what it printed from being seen.
    if (kernel_.stop()) return;
    std::fflush(stdout);
    _exit(kSoftware);
  }

  Result<std::string> call(const CallRequest& request) override {
    std::optional<Result<std::string>> answer;
    CallOptions options;
    options.timeout = std::chrono::milliseconds(request.timeout_ms);
    options.target = request.target;
    kernel_.host().bus().call_json(
        request.contract, request.json,
        [&](Result<std::string> result) {
          // On the kernel's strand; the loop's stop makes it visible to the waiting thread.
          answer.emplace(std::move(result));
          kernel_.loop().stop();
        },
        options);
    // Lazy plugins are opened on this thread meanwhile.
    kernel_.loop().run();
    return std::move(*answer);
  }

  std::string describe() const override { return "this process (no daemon was asked)"; }
  bool is_daemon() const override { return false; }

 private:
  kernel::Kernel kernel_;
};

}  // namespace

Result<std::unique_ptr<Access>> open_access(const Invocation& invocation, Need need,
                                            const std::string& contract) {
  if (!invocation.in_process) {
    auto daemon = open_daemon(invocation);
    if (daemon.ok() || !invocation.socket.empty()) return daemon;
  }
  auto options = plan_options(invocation);
  // The command's own output is what was asked for; the log speaks only when something is wrong.
  options.layers.sets.insert(options.layers.sets.begin(), "log.level=error");
  options.layers.sets.insert(options.layers.sets.begin(), "log.file=");
  config::Diagnostics diagnostics;
  auto plan = plugin::make_plan(options, diagnostics);
  if (!plan) {
    std::string findings = printable(diagnostics.to_string());
    if (findings.ends_with('\n')) findings.pop_back();
    return Error{Code::FailedPrecondition, "the configuration is wrong:\n" + findings,
                 std::string(kWrongConfiguration)};
  }
  if (need == Need::kContracts) {
    for (auto& planned : plan->plugins) {
      if (!planned.manifest) continue;
      auto eager = std::make_shared<plugin::Manifest>(*planned.manifest);
      eager->lazy = false;
      planned.manifest = std::move(eager);
    }
  }
  plugin::narrow(*plan, filter(*plan, need, contract));
  return std::unique_ptr<Access>(std::make_unique<LocalAccess>(std::move(*plan)));
}

int exit_of(const Error& error) {
  if (error.code == Code::Unavailable) return kUnavailable;
  return error.detail == kWrongConfiguration ? kConfig : kFailed;
}

Result<std::unique_ptr<Access>> open_daemon(const Invocation& invocation) {
  return connect_daemon(control_socket(invocation));
}

}  // namespace gantry::cli
