// SPDX-License-Identifier: Apache-2.0
// A well-behaved plugin under several names (ACTOR_NAME, ACTOR_CONTRACT): what the bad ones are
// compared with, and what starts, stops, restarts and is reconfigured in tests.
#include <gantry/codec.hpp>
#include <gantry/plugin.hpp>

#include <filesystem>
#include <string>

namespace actor {

struct Settings {
  std::string greeting;
  std::int32_t volume = 0;
  std::string must_exist;
  std::string password;
  bool fail_reconfigure = false;
  std::string asks;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (greeting, volume, must_exist, password, fail_reconfigure, asks))

struct Question {
  std::string text;
};
BOOST_DESCRIBE_STRUCT(Question, (), (text))

struct Answer {
  std::string text;
  std::string greeting;
  std::int32_t volume = 0;
  std::int32_t lives = 0;  // how often the plugin was started in this process
};
BOOST_DESCRIBE_STRUCT(Answer, (), (text, greeting, volume, lives))

struct Echo {
  static constexpr std::string_view kName = ACTOR_CONTRACT;
  static constexpr std::string_view kDoc = "Answers what it was asked.";
  using Request = Question;
  using Response = Answer;
};
struct LazyEcho : Echo {
  static constexpr std::string_view kName = "test.lazy.echo/1";
};
struct IdleEcho : Echo {
  static constexpr std::string_view kName = "test.idle.echo/1";
};

}  // namespace actor

GANTRY_INSTANTIATE(actor::Question)
GANTRY_INSTANTIATE(actor::Answer)

namespace {

using gantry::Result;

int g_lives = 0;  // the library stays loaded, so this counts restarts

class Actor final : public gantry::Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    GANTRY_ASSIGN(settings_, gantry::from_json<actor::Settings>(host().config_json()));
    return host().bus().serve<actor::Echo>([this](const actor::Question& question) {
      return Result<actor::Answer>(
          actor::Answer{question.text, settings_.greeting, settings_.volume, g_lives});
    });
  }
  Result<void> start() override {
    ++g_lives;
    const bool there =
        settings_.must_exist.empty() || std::filesystem::exists(settings_.must_exist);
    if (!there) return gantry::unavailable(settings_.must_exist + " is not there", "touch it");
    if (settings_.asks == actor::LazyEcho::kName) GANTRY_TRY(ask<actor::LazyEcho>());
    if (settings_.asks == actor::IdleEcho::kName) GANTRY_TRY(ask<actor::IdleEcho>());
    host().log().info("acting", {{"greeting", settings_.greeting},
                                 gantry::secret("password", settings_.password)});
    return {};
  }
  Result<void> reconfigure() override {
    GANTRY_ASSIGN(auto next, gantry::from_json<actor::Settings>(host().config_json()));
    if (next.fail_reconfigure) return gantry::failed_precondition("I will not");
    settings_ = std::move(next);
    return {};
  }

 private:
  template <class C>
  Result<void> ask() {
    const auto answer = host().bus().call_wait<C>({"from start"});
    if (!answer.ok()) return answer.error();
    return {};
  }

  actor::Settings settings_;
};

}  // namespace

GANTRY_PLUGIN(Actor, ACTOR_NAME, "0.1.0")
