// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/kernel.hpp>
#include <gantry/plugin.hpp>

#include <chrono>
#include <thread>

namespace bad {

struct Poked {
  std::string waiting_on_the_strand;
};
BOOST_DESCRIBE_STRUCT(Poked, (), (waiting_on_the_strand))

struct Poke {
  static constexpr std::string_view kName = "test.wrong_thread.poke/1";
  using Request = gantry::Nothing;
  using Response = Poked;
};

}  // namespace bad

GANTRY_INSTANTIATE(bad::Poked)

namespace {

class WrongThread final : public gantry::Plugin {
 public:
  using Plugin::Plugin;
  gantry::Result<void> init() override {
    return host().bus().serve<bad::Poke>(
        [this](const gantry::Nothing&) -> gantry::Result<bad::Poked> {
          const auto result = host().bus().call_wait<gantry::KernelHealth>({});
          return bad::Poked{result.ok() ? "was allowed" : result.error().message};
        });
  }
  // A thread that nobody joins: it goes on calling after stop and destroy.
  gantry::Result<void> start() override {
    std::thread([host = host().raw(), exec = host().exec(), log = host().log()] {
      for (int i = 0; i < 2000; ++i) {
        log.debug("from a thread of my own");
        exec->post(host, 0, GANTRY_LANE_INTERACTIVE, gantry::make_closure([] {}));
        const auto timer = exec->timer_start(host, 1000, 0, 0, gantry::make_closure([] {}));
        exec->timer_cancel(host, timer);
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
      log.info("my own thread ends");
    }).detach();
    return {};
  }
};

}  // namespace

GANTRY_PLUGIN(WrongThread, "wrong_thread", "0.1.0")
