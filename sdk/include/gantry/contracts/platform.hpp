// SPDX-License-Identifier: Apache-2.0
//
// What an adapter says about the machine it runs on.
#pragma once

#include <gantry/contracts/common.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// One ability and whether a live test of it passed.
struct Capability {
  std::string name;  // "window.list", "screen.capture", "input.text", …
  bool available = false;
  std::string reason;  // why not, or how it is done ("XShm", "XGetImage fallback")
  std::string cure;    // the command or setting that would bring it
};
BOOST_DESCRIBE_STRUCT(Capability, (), (name, available, reason, cure))

struct ProbeReport {
  std::string adapter;   // "X11Adapter", "MockAdapter", …
  std::string platform;  // "Linux"
  bool is_mock = false;
  std::int32_t score = 0;  // 0: cannot work here; 100: made for this machine
  std::string reason;      // what was looked at and found
  std::string cure;        // for score 0
  std::vector<Capability> capabilities;
};
BOOST_DESCRIBE_STRUCT(ProbeReport, (),
                      (adapter, platform, is_mock, score, reason, cure, capabilities))

/// Tests the machine now. Every adapter serves it; a call without a target reaches the best one.
struct PlatformProbe {
  static constexpr std::string_view kName = "gantry.platform.probe/1";
  static constexpr std::string_view kDoc = "Tests what this adapter can do on this machine.";
  using Request = Nothing;
  using Response = ProbeReport;
};

}  // namespace gantry
