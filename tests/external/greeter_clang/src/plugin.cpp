// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/plugin.hpp>

#include <boost/describe/class.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace greeter_clang {

struct GreetRequest {
  std::vector<std::string> titles = {"dear"};  // callers of the first version do not know it
  std::string name;
};
BOOST_DESCRIBE_STRUCT(GreetRequest, (), (titles, name))

struct Greeting {
  std::vector<std::string> words;  // callers of the first version ignore it
  std::string greeting;
};
BOOST_DESCRIBE_STRUCT(Greeting, (), (words, greeting))

struct Greet {
  static constexpr std::string_view kName = "example.greet/1";
  using Request = GreetRequest;
  using Response = Greeting;
};

class Greeter final : public gantry::Plugin {
 public:
  using Plugin::Plugin;

  gantry::Result<void> init() override {
    return host().bus().serve<Greet>([](const GreetRequest& in) -> gantry::Result<Greeting> {
      if (in.name.empty()) return gantry::invalid_argument("cannot greet nobody: `name` is empty");
      Greeting out;
      out.words.emplace_back("Hello");
      out.words.insert(out.words.end(), in.titles.begin(), in.titles.end());
      out.words.push_back(in.name);
      for (const std::string& word : out.words) out.greeting += word + " ";
      out.greeting += "from clang";
      return out;
    });
  }
};

}  // namespace greeter_clang

GANTRY_INSTANTIATE(greeter_clang::GreetRequest)
GANTRY_INSTANTIATE(greeter_clang::Greeting)
GANTRY_PLUGIN(greeter_clang::Greeter, "greeter_clang", "0.1.0")
