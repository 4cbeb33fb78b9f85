// SPDX-License-Identifier: Apache-2.0
// Which model a name means, between the plugins that have models.
#include <catch2/catch.hpp>
#include <gantry/contracts/kernel.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <optional>

#include "models.hpp"

namespace gantry::agent {
namespace {

LlmModel model(std::string id, bool available = true) {
  LlmModel out;
  out.id = std::move(id);
  out.provider = "lab";
  out.available = available;
  return out;
}

/// One plugin, `llm_lab`, whose answers the test gives.
struct World {
  testkit::FakeHost kit;
  testkit::CallProbe<KernelContracts> contracts{kit.host("kernel"), [](const auto&) {
                                                  ContractInfo models;
                                                  models.name = LlmModels::kName;
                                                  models.providers = {"llm_lab"};
                                                  return ContractInfoList{{models}};
                                                }};
  testkit::HeldCalls<LlmModels> lists{kit.host("llm_lab")};
  Settings settings;
  StoreClient store{kit.host("engine")};
  Models models{kit.host("engine"), store, settings};
  std::optional<Result<ChosenModel>> chosen;

  void choose(const std::string& name, const std::vector<LlmCredential>& keys = {}) {
    chosen.reset();
    models.choose(name, keys, [this](Result<ChosenModel> got) { chosen = std::move(got); });
    kit.pump();
  }
  /// What is known is enough to choose from.
  void chooses(const std::string& name) {
    choose(name);
    REQUIRE(chosen);
    CHECK(chosen->ok());
  }
  /// Answers the newest question for the plugin's models.
  void tell(std::vector<LlmModel> list, std::vector<std::string> problems = {}) {
    LlmModelList answer;
    answer.models = std::move(list);
    answer.problems = std::move(problems);
    lists.at(lists.size() - 1)(std::move(answer));
    kit.pump();
  }
};

}  // namespace

TEST_CASE("a plugin is asked once for its models until they change") {
  World world;
  world.choose("one");
  world.tell({model("one")});
  REQUIRE(world.chosen);
  CHECK(world.chosen->ok());
  world.choose("one");
  CHECK(world.lists.size() == 1);
  world.models.forget();
  world.choose("one");
  CHECK(world.lists.size() == 2);
  world.tell({});
}

TEST_CASE("what a session's own key makes available is that session's, and holds up nobody else") {
  World world;
  world.choose("one");
  world.tell({model("one")});
  LlmCredential key;
  key.provider = "lab";
  key.api_key = LlmSecret{"k"};
  world.choose("two", {key});
  CHECK_FALSE(world.chosen);  // it is asked with the key
  world.tell({model("one"), model("two")});
  REQUIRE(world.chosen);
  CHECK(world.chosen->ok());
  world.chooses("one");
  CHECK(world.lists.size() == 2);
  world.choose("two");
  world.tell({model("one")});
  CHECK(world.chosen->error().code == Code::NotFound);
}

TEST_CASE("lists may have become too old: the plugins are asked again, and no turn waits for it") {
  World world;
  world.choose("one");
  world.tell({model("one")});
  world.kit.advance(std::chrono::minutes(1));
  world.chooses("one");  // although nobody has answered yet
  REQUIRE(world.lists.size() == 2);
  world.choose("one");  // nor is anybody asked twice meanwhile
  CHECK(world.lists.size() == 2);
  world.tell({model("two")});
  world.chooses("two");
  CHECK(world.lists.size() == 2);
  world.choose("one");
  world.tell({model("two")});
  CHECK(world.chosen->error().code == Code::NotFound);
}

TEST_CASE("a server that does not answer holds up no turn that another one serves") {
  World world;
  world.choose("one");
  world.tell({model("one")}, {"den: no answer"});
  world.kit.advance(std::chrono::minutes(1));
  world.chooses("one");
  world.tell({model("one")}, {"den: no answer"});
  world.choose("den/two");  // whoever needs it waits for what it says now
  CHECK_FALSE(world.chosen);
  world.tell({model("one"), model("two")});
  REQUIRE(world.chosen);
}

TEST_CASE("a change that comes while models are asked for is not lost") {
  World world;
  world.choose("one");
  world.models.forget();
  world.tell({model("one")});  // as it was before the change
  world.choose("one");
  REQUIRE(world.lists.size() == 2);
  world.tell({model("two")});
  REQUIRE(world.chosen);
  CHECK_FALSE(world.chosen->ok());
}

TEST_CASE(
    "before a name is refused its plugins are asked once more, and what can be typed is told") {
  World world;
  world.choose("lab/two");
  world.tell({model("one")});
  REQUIRE(world.chosen);
  CHECK(world.chosen->error().code == Code::NotFound);
  world.choose("lab/two");
  REQUIRE(world.lists.size() == 2);
  world.tell({model("locked", false), model("one"), model("three")});
  REQUIRE(world.chosen);
  CHECK(world.chosen->error().message.starts_with(
      "there is no model 'lab/two'; there are lab/one, lab/three ("));
}

TEST_CASE("a provider that cannot be asked is told with its own cure, and with one") {
  const auto [problem, told] = GENERATE(table<const char*, const char*>({
      {"lab: no answer (cure: start it)", "lab: no answer (cure: start it)"},
      {"lab answered 401: bad key",
       "lab answered 401: bad key (cure: check its address, its key and whether it runs, or name "
       "another model)"},
  }));
  World world;
  world.choose("lab/one");
  world.tell({}, {problem});
  REQUIRE(world.chosen);
  CHECK(world.chosen->error().code == Code::Unavailable);
  CHECK(world.chosen->error().message ==
        std::string("the model 'lab/one' cannot be asked: ") + told);
  world.choose("");
  world.tell({}, {problem});
  REQUIRE(world.chosen);
  CHECK(world.chosen->error().code == Code::Unavailable);
  CHECK(world.chosen->error().message ==
        std::string("the model that is configured cannot be asked: ") + told);
}

TEST_CASE("a name of a provider that has no key is refused for the key, known or not") {
  World world;
  LlmModel locked = model("one", false);
  locked.reason = "no API key for lab is known";
  locked.cure = "set LAB_API_KEY";
  const std::string name = GENERATE("lab/one", "lab/new");
  world.choose(name);
  world.tell({locked});
  REQUIRE(world.chosen);
  CHECK(world.chosen->error().code == Code::Unavailable);
  CHECK_THAT(world.chosen->error().message,
             Catch::EndsWith("no API key for lab is known (cure: set LAB_API_KEY)"));
  world.choose("lap/one");  // no provider of that name
  if (world.lists.size() == 2) world.tell({locked});
  CHECK(world.chosen->error().code == Code::NotFound);
}

TEST_CASE("a configured provider that is passed over is told of in the log, once") {
  World world;
  const std::string problem = "den: no API key is known (cure: set DEN_API_KEY)";
  for (int turn = 0; turn < 2; ++turn) {
    world.kit.advance(std::chrono::minutes(1));
    world.choose("");
    world.tell({model("one")}, {problem});
    REQUIRE(world.chosen);
    CHECK(world.chosen->ok());
  }
  const auto& logs = world.kit.logs();
  REQUIRE(logs.size() == 1);
  CHECK(logs[0].message == "another model answers than one that is configured");
  CHECK(logs[0].fields.at("reason") == problem);
  CHECK(logs[0].fields.at("model") == "lab/one");
}

}  // namespace gantry::agent
