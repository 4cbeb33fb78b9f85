// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/plugin.hpp>

#include <unistd.h>

#include <string>

namespace hangs {

struct Words {
  std::string text;
};
BOOST_DESCRIBE_STRUCT(Words, (), (text))

struct Echo {
  static constexpr std::string_view kName = "test.hangs.echo/1";
  static constexpr std::string_view kDoc = "Answers what it was asked.";
  using Request = Words;
  using Response = Words;
};

}  // namespace hangs

GANTRY_INSTANTIATE(hangs::Words)

namespace {

class HangsInStop final : public gantry::Plugin {
 public:
  using Plugin::Plugin;
  gantry::Result<void> init() override {
    return host().bus().serve<hangs::Echo>(
        [](const hangs::Words& words) { return gantry::Result<hangs::Words>(words); });
  }
  void stop(gantry::Deadline) override {
    while (true) pause();
  }
};

}  // namespace

GANTRY_PLUGIN(HangsInStop, "hangs_in_stop", "0.1.0")
