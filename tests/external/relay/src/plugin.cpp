// SPDX-License-Identifier: Apache-2.0
//
// Calls example.greet/1 with its own build's types, so that a server that was compiled otherwise
// gets the request, and this plugin the answer, through JSON.
#include <gantry/codec.hpp>
#include <gantry/plugin.hpp>

#include "contract.hpp"  // the greeter's, as any caller has it

namespace relay {

struct RelayRequest {
  std::string to;  // the serving plugin
  std::string name;
};
BOOST_DESCRIBE_STRUCT(RelayRequest, (), (to, name))

struct Relay {
  static constexpr std::string_view kName = "example.relay/1";
  static constexpr std::string_view kDoc = "Lets another plugin greet.";
  using Request = RelayRequest;
  using Response = greeter::Greeting;
};

class RelayPlugin final : public gantry::Plugin {
 public:
  using Plugin::Plugin;

  gantry::Result<void> init() override {
    return host().bus().serve<Relay>([this](const gantry::Ref<RelayRequest>& request,
                                            const gantry::CallInfo&, gantry::Reply<Relay> reply) {
      gantry::CallOptions options;
      options.target = request->to;
      host().bus().call<greeter::Greet>(
          {request->name},
          [reply =
               std::move(reply)](gantry::Result<gantry::Ref<greeter::Greeting>> greeting) mutable {
            if (greeting.ok()) {
              reply.send(*greeting);
            } else {
              reply.fail(greeting.error().with_context("relaying"));
            }
          },
          options);
    });
  }
};

}  // namespace relay

GANTRY_INSTANTIATE(relay::RelayRequest)
GANTRY_INSTANTIATE(greeter::GreetRequest)
GANTRY_INSTANTIATE(greeter::Greeting)
GANTRY_PLUGIN(relay::RelayPlugin, "relay", "0.1.0")
