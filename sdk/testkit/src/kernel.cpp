// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

#include <unistd.h>
#include <gantry/testkit/kernel.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <cstdlib>
#include <future>
#include <mutex>
#include <thread>

#include "config/diagnostic.hpp"
#include "observe/log.hpp"
#include "plugin/plan.hpp"

namespace gantry::testkit {

namespace {

/// Keeps the lines; shared, because the kernel owns the output and may go first.
struct Lines {
  std::mutex mutex;
  std::vector<std::string> lines;
};

class KeepLines final : public observe::LogOutput {
 public:
  explicit KeepLines(std::shared_ptr<Lines> to) : to_(std::move(to)) {}
  bool write(const std::string& line, std::string&) override {
    const std::lock_guard lock(to_->mutex);
    to_->lines.push_back(line);
    return true;
  }

 private:
  std::shared_ptr<Lines> to_;
};

/// Programs of a build stand in folders of it, tests/ and bench/.
std::filesystem::path built_plugins() {
  const char* build = std::getenv("GANTRY_BUILD_DIR");
  const std::filesystem::path root =
      build != nullptr
          ? std::filesystem::path(build)
          : std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  return root / "lib/gantry/plugins";
}

}  // namespace

struct InProcessKernel::State {
  KernelSetup setup;
  TempDir folder;
  std::shared_ptr<Lines> lines = std::make_shared<Lines>();
  std::unique_ptr<kernel::Kernel> kernel;
  std::thread loop;
  std::promise<void> let_go;  // stop() will not touch the kernel any more
  bool clean = true;

  plugin::PlanOptions plan_options() const {
    plugin::PlanOptions options;
    options.layers.main_file = folder.path() / "gantry.yaml";
    options.layers.profile_dirs = {folder.path()};
    options.layers.with_written = setup.written_settings;
    options.vendor_dir = setup.plugin_dir.empty() ? built_plugins() : setup.plugin_dir;
    options.user = geteuid();
    if (const auto version = plugin::Version::parse(kernel::version()))
      options.host_version = *version;
    return options;
  }
  void write_config(const std::string& config) const {
    const bool names_profile = config.find("profile:") != std::string::npos;
    folder.write("gantry.yaml", names_profile ? config : "profile: test\n" + config);
  }
};

InProcessKernel::InProcessKernel(KernelSetup setup) : state_(std::make_unique<State>()) {
  state_->setup = std::move(setup);
  state_->folder.write("test.yaml", "{}\n");
  state_->write_config(state_->setup.config);
}

InProcessKernel::~InProcessKernel() { (void)stop(); }

Result<void> InProcessKernel::start() {
  config::Diagnostics findings;
  auto plan = plugin::make_plan(state_->plan_options(), findings);
  if (!plan) return invalid_argument(findings.to_string());
  std::promise<void> started;
  auto ready = started.get_future();
  state_->let_go = {};
  // The kernel wants all of its life on one thread.
  state_->loop = std::thread([this, first = std::move(*plan), &started]() mutable {
    kernel::KernelOptions options;
    options.log_output = std::make_unique<KeepLines>(state_->lines);
    options.clock = state_->setup.clock;
    options.make_plan = [state = state_.get()](config::Diagnostics& diagnostics) {
      return plugin::make_plan(state->plan_options(), diagnostics);
    };
    options.try_plan = [state = state_.get()](const config::Value& written,
                                              config::Diagnostics& diagnostics) {
      auto other = state->plan_options();
      other.layers.written = written;
      return plugin::make_plan(other, diagnostics);
    };
    state_->kernel = std::make_unique<kernel::Kernel>(std::move(first), std::move(options));
    state_->kernel->start();
    started.set_value();
    state_->kernel->run();
    state_->clean = state_->kernel->stop();
    state_->let_go.get_future().wait();
    if (state_->clean) state_->kernel.reset();
    // Otherwise code still runs in it: it stays, and so does everything it points to.
    else
      (void)state_->kernel.release();
  });
  ready.wait();
  return {};
}

bool InProcessKernel::stop() {
  if (!state_->loop.joinable()) return state_->clean;
  state_->kernel->request_stop();
  state_->let_go.set_value();
  state_->loop.join();
  return state_->clean;
}

Host& InProcessKernel::host() { return state_->kernel->host(); }

std::string InProcessKernel::plugin_state(const std::string& name) const {
  for (const auto& plugin : state_->kernel->plugins().list()) {
    if (plugin.name != name) continue;
    std::string text(plugin::state_name(plugin.state));
    return plugin.reason.empty() ? text : text + ": " + plugin.reason;
  }
  return {};
}

Result<std::string> InProcessKernel::call_json(const std::string& contract,
                                               const std::string& request,
                                               std::chrono::milliseconds limit) {
  auto answer = std::make_shared<std::promise<Result<std::string>>>();
  auto arrived = answer->get_future();
  CallOptions options;
  options.timeout = limit;
  host().bus().call_json(
      contract, request,
      [answer](Result<std::string> result) { answer->set_value(std::move(result)); }, options);
  return arrived.get();
}

std::vector<std::string> InProcessKernel::log_lines() const {
  const std::lock_guard lock(state_->lines->mutex);
  return state_->lines->lines;
}

const std::filesystem::path& InProcessKernel::folder() const { return state_->folder.path(); }

Result<void> InProcessKernel::reload(const std::string& config) {
  state_->write_config(config);
  std::promise<Result<void>> done;
  auto arrived = done.get_future();
  state_->kernel->loop().post([this, &done] {
    auto reloaded = state_->kernel->reload();
    done.set_value(reloaded.ok() ? Result<void>() : Result<void>(std::move(reloaded).error()));
  });
  return arrived.get();
}

}  // namespace gantry::testkit
