// SPDX-License-Identifier: Apache-2.0
//
// example.greet/1: what others need to know to call this plugin. A caller copies this file; the two
// need not be compiled alike.
#pragma once

#include <boost/describe/class.hpp>
#include <string>
#include <string_view>

namespace greeter {

struct GreetRequest {
  std::string name;  // whom to greet; must not be empty
};
BOOST_DESCRIBE_STRUCT(GreetRequest, (), (name))

struct Greeting {
  std::string greeting;  // the whole sentence
};
BOOST_DESCRIBE_STRUCT(Greeting, (), (greeting))

/// Errors: invalid_argument (no name).
struct Greet {
  static constexpr std::string_view kName = "example.greet/1";
  static constexpr std::string_view kDoc = "Greets somebody by name.";
  using Request = GreetRequest;
  using Response = Greeting;
};

}  // namespace greeter
