// SPDX-License-Identifier: Apache-2.0
#pragma once
// Serves gantry.workspace.*: what is asked about workspaces goes to the registry, and what is asked
// about files to threads that may wait for the disk.

#include <gantry/plugin.hpp>
#include <gantry/startup.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "registry.hpp"
#include "settings.hpp"

namespace gantry::workspaces {

class WorkspacesPlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override;
  Result<void> start() override;
  void stop(Deadline) override {}

 private:
  Result<void> serve_registry();
  Result<void> serve_files();
  Result<void> serve_listings();

  /// Serves C by `answer(request, done)`, as soon as the store has been read.
  template <class C>
  Result<void> serve_kept(std::function<void(const typename C::Request&,
                                             std::function<void(Result<typename C::Response>)>)>
                              answer);
  /// Serves C by `work(root, request)` where waiting is allowed.
  template <class C>
  Result<void> serve_on_disk(std::function<Result<typename C::Response>(const std::string& root,
                                                                        const typename C::Request&)>
                                 work);

  Settings settings_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<Startup> startup_;
};

}  // namespace gantry::workspaces
