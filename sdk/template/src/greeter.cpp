// SPDX-License-Identifier: Apache-2.0
#include "greeter.hpp"

#include <gantry/codec.hpp>

// The one file that pays for the codec of this plugin's types.
GANTRY_INSTANTIATE(greeter::GreetRequest)
GANTRY_INSTANTIATE(greeter::Greeting)
GANTRY_INSTANTIATE(greeter::Settings)

namespace greeter {

gantry::Result<void> Greeter::init() {
  GANTRY_TRY(reconfigure());
  return host().bus().serve<Greet>([this](const GreetRequest& request) { return greet(request); });
}

gantry::Result<void> Greeter::reconfigure() {
  GANTRY_ASSIGN(settings_, gantry::from_json<Settings>(host().config_json()));
  return {};
}

gantry::Result<Greeting> Greeter::greet(const GreetRequest& request) const {
  if (request.name.empty()) {
    return gantry::invalid_argument("cannot greet nobody: `name` is empty; give a name");
  }
  return Greeting{settings_.greeting + ", " + request.name + "!"};
}

}  // namespace greeter
