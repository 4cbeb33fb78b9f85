// SPDX-License-Identifier: Apache-2.0
//
// A plugin that uses every part of the C++ layer, and its contracts.
#pragma once

#include <gantry/plugin.hpp>

#include <boost/describe/class.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gantry::samples {

struct Text {
  std::string text;
};
BOOST_DESCRIBE_STRUCT(Text, (), (text))

struct Settings {
  std::int32_t times = 1;
  bool refuse_start = false;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (times, refuse_start))

/// Repeats the text `times` times. "throw" throws, "forget" drops the reply.
struct Repeat {
  static constexpr std::string_view kName = "sample.repeat/1";
  using Request = Text;
  using Response = Text;
};
/// Answers later, when somebody publishes Go.
struct Later {
  static constexpr std::string_view kName = "sample.later/1";
  using Request = Text;
  using Response = Text;
};
/// Asks Needed, from a blocking region.
struct Ask {
  static constexpr std::string_view kName = "sample.ask/1";
  using Request = Text;
  using Response = Text;
};
struct Needed {
  static constexpr std::string_view kName = "sample.needed/1";
  using Request = Text;
  using Response = Text;
};
struct Go {
  static constexpr std::string_view kName = "sample.go/1";
  using Event = Text;
};
struct Tick {
  static constexpr std::string_view kName = "sample.tick/1";
  using Event = Text;
};
/// Sends every chunk back; "throw" throws, "end" ends.
struct EchoStream {
  static constexpr std::string_view kName = "sample.echo/1";
  using Opening = Text;
  using Down = Text;
  using Up = Text;
};

class SamplePlugin final : public Plugin {
 public:
  using Plugin::Plugin;
  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline) override { stopped = true; }

  std::deque<Reply<Later>> waiting;
  std::vector<std::string> cancelled;
  Settings settings;
  bool stopped = false;

 private:
  Result<void> serve_calls();
  Subscription go_;
  Timer tick_;
  std::int32_t ticks_ = 0;
};

}  // namespace gantry::samples
