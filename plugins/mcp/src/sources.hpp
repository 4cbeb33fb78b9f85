// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which plugins offer something now. Strand only.

#include <gantry/contracts/kernel.hpp>
#include <gantry/host.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "bus_source.hpp"
#include "catalog.hpp"
#include "observer_source.hpp"

namespace gantry::mcp {

class SourceFinder {
 public:
  SourceFinder(Host& host, Environment& environment, const Settings& settings);

  [[nodiscard]] ObserverSource& observer() { return *observer_; }
  /// The sources of what the kernel lists as providers; the same object for the same plugin.
  void find(std::function<void(Sources)> done);
  /// Asks the kernel again at the next find().
  void forget() { known_ = false; }

 private:
  void learn(const ContractInfoList& contracts);

  Host& host_;
  std::shared_ptr<ObserverSource> observer_;
  std::map<std::string, std::shared_ptr<BusSource>> plugins_;
  Sources sources_;
  bool known_ = false;
};

}  // namespace gantry::mcp
