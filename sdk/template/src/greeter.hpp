// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/plugin.hpp>

#include <boost/describe/class.hpp>
#include <string>

#include "contract.hpp"

namespace greeter {

/// The keys of plugin.yaml's `config`, by the same names.
struct Settings {
  std::string greeting = "Hello";
};
BOOST_DESCRIBE_STRUCT(Settings, (), (greeting))

/// Serves example.greet/1. Everything here runs on the plugin's strand, one at a time.
class Greeter final : public gantry::Plugin {
 public:
  using Plugin::Plugin;

  gantry::Result<void> init() override;
  gantry::Result<void> reconfigure() override;

 private:
  gantry::Result<Greeting> greet(const GreetRequest& request) const;

  Settings settings_;
};

}  // namespace greeter
