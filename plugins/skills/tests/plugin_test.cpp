// SPDX-License-Identifier: Apache-2.0
//
// The plugin in a real kernel: its contracts, and the tool.
#include <gantry/contracts/skill.hpp>
#include <gantry/contracts/tool.hpp>
#include <gantry/testkit/kernel.hpp>
#include <gantry/testkit/probe.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

namespace gantry::skills {
namespace {

namespace fs = std::filesystem;

class World {
 public:
  World() : kernel_({.config = config()}) {
    skill("system/mail", "Sorts the inbox");
    REQUIRE(kernel_.start().ok());
  }

  void skill(const std::string& folder, const std::string& description) const {
    const fs::path path = folder_.path() / folder;
    fs::create_directories(path);
    std::ofstream(path / "SKILL.md") << "---\ndescription: " << description
                                     << "\nallowed-tools: [read_file]\n---\nFirst look.\n";
    std::ofstream(path / "notes.md") << "of the skill";
  }
  template <class C>
  Result<typename C::Response> call(typename C::Request request) {
    auto answer = kernel_.host().bus().template call_wait<C>(std::move(request));
    if (!answer.ok()) return answer.error();
    return **answer;
  }
  ToolResult tool(const std::string& arguments) {
    ToolCallRequest request;
    request.name = "skill";
    request.arguments = Json(arguments);
    request.principal = "ann";
    StreamOptions options;
    options.target = "skills";
    testkit::StreamProbe<ToolRun> run(kernel_.host(), request, options);
    REQUIRE(run.wait(1));
    const auto updates = run.all();
    REQUIRE(updates.back().result);
    return *updates.back().result;
  }
  std::string text(const std::string& arguments) {
    const ToolResult result = tool(arguments);
    REQUIRE(result.content.size() == 1);
    return result.content.front().text;
  }
  testkit::InProcessKernel& kernel() { return kernel_; }

 private:
  std::string config() const {
    const std::string path = folder_.path().string();
    return "plugins:\n  store: {config: {path: " + path +
           "/store.db}}\n  skills: {config: {system: [" + path + "/system], user: \"" + path +
           "/user/{principal}\", callers: [\"*\"]}}\n";
  }
  testkit::TempDir folder_;
  testkit::InProcessKernel kernel_;
};

const SkillScope kAnn{"ann", {}, {}};
const SkillScope kBob{"bob", {}, {}};

TEST_CASE("skills are listed, read, and switched off for one user") {
  World world;
  const auto listing = world.call<SkillList>({kAnn, false});
  REQUIRE(listing.ok());
  REQUIRE(listing->skills.size() == 1);
  CHECK(listing->skills[0].description == "Sorts the inbox");
  const auto text = world.call<SkillGet>({kAnn, "mail"});
  REQUIRE(text.ok());
  CHECK(text->instructions == "First look.\n");
  CHECK(text->files == std::vector<std::string>{"notes.md"});
  CHECK(world.call<SkillFile>({kAnn, "mail", "notes.md"})->content == "of the skill");
  CHECK(world.call<SkillGet>({kAnn, "none"}).error().code == Code::NotFound);
  CHECK_FALSE(world.call<SkillEnable>({kAnn, "mail", false})->enabled);
  CHECK(world.call<SkillList>({kAnn, true})->skills.empty());
  CHECK(world.call<SkillList>({kBob, true})->skills.size() == 1);
  CHECK(world.call<SkillEnable>({kAnn, "none", false}).error().code == Code::NotFound);
  CHECK(world.tool(R"({"name":"mail"})").is_error);
  CHECK(world.call<SkillEnable>({kAnn, "mail", true})->enabled);
  CHECK(world.call<SkillList>({kAnn, true})->skills.size() == 1);
}

TEST_CASE("a user's skills are made, changed and deleted") {
  World world;
  testkit::EventProbe<SkillsChanged> changes(world.kernel().host());
  const auto made = world.call<SkillSave>({kAnn, "greet", "Say hello.", "Greets people", true});
  REQUIRE(made.ok());
  CHECK(made->source == SkillSource::User);
  CHECK(made->editable);
  CHECK(changes.wait(1));
  CHECK(world.call<SkillGet>({kAnn, "greet"})->instructions == "Say hello.\n");
  CHECK(world.call<SkillGet>({kBob, "greet"}).error().code == Code::NotFound);
  CHECK(world.call<SkillSave>({kAnn, "greet", "x", "y", true}).error().code == Code::AlreadyExists);
  CHECK(world.call<SkillSave>({kAnn, "greet", "x", "", false}).error().code ==
        Code::InvalidArgument);
  CHECK(world.call<SkillSave>({kAnn, "../greet", "x", "y", false}).error().code ==
        Code::InvalidArgument);
  CHECK(world.call<SkillSave>({kAnn, "long", std::string(300'000, 'x'), "y", false}).error().code ==
        Code::ResourceExhausted);
  CHECK(world.call<SkillDelete>({kAnn, "mail"}).error().code == Code::PermissionDenied);
  CHECK(world.call<SkillDelete>({kBob, "greet"}).error().code == Code::NotFound);
  CHECK(world.call<SkillDelete>({kAnn, "greet"}).ok());
  CHECK(world.call<SkillGet>({kAnn, "greet"}).error().code == Code::NotFound);
}

TEST_CASE("a model lists skills, loads one, and reads its files") {
  World world;
  CHECK(world.text("{}") == "- mail: Sorts the inbox\n");
  const std::string skill = world.text(R"({"name":"mail"})");
  CHECK(skill.find("# Skill mail, of this machine\n") == 0);
  CHECK(skill.find("Use only these tools for it: read_file\n") != std::string::npos);
  CHECK(skill.find("Files (read them with `file`): notes.md\n") != std::string::npos);
  CHECK(skill.find("\n\nFirst look.\n") != std::string::npos);
  CHECK(world.text(R"({"name":"mail","file":"notes.md"})") == "of the skill");
  CHECK(world.tool(R"({"name":"none"})").is_error);
  CHECK(world.tool(R"({"name":"mail","file":"../mail/SKILL.md"})").is_error);
  CHECK(world.tool(R"({"what":"mail"})").is_error);
}

TEST_CASE("a skill that is put in its folder is there, and the tool names it") {
  World world;
  testkit::EventProbe<SkillsChanged> changes(world.kernel().host());
  REQUIRE(world.call<SkillList>({kAnn, false}).ok());  // from now on the folder is watched
  testkit::EventProbe<ToolsChanged> tools(world.kernel().host());
  world.skill("system/news", "Reads the news");
  REQUIRE(changes.wait(1));
  CHECK(world.call<SkillList>({kAnn, false})->skills.size() == 2);
  REQUIRE(tools.wait(1));
  CallOptions options;
  options.target = "skills";
  const auto named = world.kernel().host().bus().call_wait<ToolList>({}, options);
  REQUIRE(named.ok());
  CHECK((*named)->tools.front().description.find("- news: Reads the news") != std::string::npos);
}

}  // namespace
}  // namespace gantry::skills
