// SPDX-License-Identifier: Apache-2.0
//
// Folders of skills on a real disk: what counts, what is refused, and what is noticed.
#include <gantry/testkit/temp_dir.hpp>

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "library.hpp"

namespace gantry::skills {
namespace {

namespace fs = std::filesystem;

class Folders {
 public:
  Folders() {
    settings_.system = {path("system"), path("more")};
    settings_.user = path("user") + "/{principal}";
    settings_.workspace = ".gantry/skills";
    settings_.workspaces = {path("work")};
    fs::create_directories(path("work/place"));
    REQUIRE(library_.start().ok());
  }
  ~Folders() { library_.stop(); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories(fs::path(path(file)).parent_path());
    std::ofstream(path(file)) << text;
  }
  void skill(const std::string& folder, const std::string& description,
             const std::string& more = {}) const {
    write(folder + "/SKILL.md",
          "---\ndescription: " + description + "\n" + more + "---\nText of " + description + "\n");
  }
  SkillListing list(const SkillScope& scope = {"ann", {}, {}}, const Switches& switches = {}) {
    return library_.list(settings_, scope, switches);
  }
  std::vector<std::string> names(const SkillScope& scope = {"ann", {}, {}}) {
    std::vector<std::string> out;
    for (const Skill& skill : list(scope).skills) out.push_back(skill.name);
    return out;
  }
  Result<Skill> find(const std::string& name, const SkillScope& scope = {"ann", {}, {}}) {
    return library_.find(settings_, scope, {}, name);
  }
  Settings& settings() { return settings_; }
  Library& catalogue() { return library_; }
  [[nodiscard]] SkillScope in_workspace() const { return {"ann", path("work/place"), {}}; }
  /// Waits until something was noticed since `before` changes.
  bool wait_for_change(int before) {
    std::unique_lock lock(mutex_);
    return noticed_.wait_for(lock, std::chrono::seconds(10), [&] { return changes_ > before; });
  }
  int changes() {
    const std::lock_guard lock(mutex_);
    return changes_;
  }

 private:
  testkit::TempDir folder_;
  Settings settings_;
  std::mutex mutex_;
  std::condition_variable noticed_;
  int changes_ = 0;
  Library library_{[this] {
    const std::lock_guard lock(mutex_);
    ++changes_;
    noticed_.notify_all();
  }};
};

using Names = std::vector<std::string>;

TEST_CASE("of two skills with one name the workspace's counts, then the user's") {
  Folders folders;
  folders.skill("system/mail", "the system's");
  folders.skill("system/news", "the system's");
  folders.skill("more/news", "the later folder's");
  folders.skill("more/only", "the later folder's");
  folders.skill("user/ann/mail", "the user's");
  folders.skill("work/place/.gantry/skills/mail", "the workspace's");
  CHECK(folders.names() == Names{"mail", "news", "only"});
  CHECK(folders.find("mail")->description == "the user's");
  CHECK(folders.find("mail")->editable);
  CHECK(folders.find("news")->description == "the system's");
  CHECK_FALSE(folders.find("news")->editable);
  CHECK(folders.find("mail", folders.in_workspace())->description == "the workspace's");
  CHECK(folders.find("mail", folders.in_workspace())->source == SkillSource::Workspace);
  CHECK(folders.find("mail", {"bob", {}, {}})->description == "the system's");
  CHECK(folders.find("none").error().code == Code::NotFound);
}

TEST_CASE("an agent has the skills that the configuration gives it") {
  Folders folders;
  for (const char* name : {"mail-read", "mail-write", "news"}) {
    folders.skill("system/" + std::string(name), "x");
  }
  folders.settings().agents = {{"fox", {"mail-*"}}, {"none", {}}};
  CHECK(folders.names({"ann", {}, "fox"}) == Names{"mail-read", "mail-write"});
  CHECK(folders.names({"ann", {}, "none"}).empty());
  CHECK(folders.names({"ann", {}, "other"}).size() == 3);
}

TEST_CASE("what a skill needs is looked for") {
  Folders folders;
  folders.skill("system/a", "x", "requires: {bins: [sh]}\n");
  folders.skill("system/b", "x",
                "requires: {bins: [{name: no-such-program, install: apt-get it}]}\n");
  folders.skill("system/c", "x", "requires: {any_bins: [no-such-program, sh]}\n");
  folders.skill("system/d", "x", "requires: {env: [GANTRY_TEST_UNSET_VARIABLE]}\n");
  folders.skill("system/e", "x", "requires: {os: [darwin, windows]}\n");
  folders.skill("system/f", "x", "requires: {bins: [/bin/sh]}\n");  // names, not paths
  const SkillListing listing = folders.list();
  REQUIRE(listing.skills.size() == 6);
  CHECK(listing.skills[0].eligible);
  CHECK(listing.skills[0].reason.empty());
  CHECK_FALSE(listing.skills[1].eligible);
  CHECK(listing.skills[1].reason == "the program no-such-program is not installed (apt-get it)");
  CHECK(listing.skills[2].eligible);
  CHECK_FALSE(listing.skills[3].eligible);
  CHECK(listing.skills[3].reason.find("GANTRY_TEST_UNSET_VARIABLE") != std::string::npos);
  CHECK_FALSE(listing.skills[4].eligible);
  CHECK_FALSE(listing.skills[5].eligible);
}

TEST_CASE("a skill that is switched off says so") {
  Folders folders;
  folders.skill("system/mail", "x");
  const SkillListing listing = folders.list({"ann", {}, {}}, {{"mail"}});
  REQUIRE(listing.skills.size() == 1);
  CHECK_FALSE(listing.skills[0].enabled);
  CHECK(listing.skills[0].reason == "it is switched off");
}

TEST_CASE("folders that are no skills are named with what is wrong") {
  Folders folders;
  folders.skill("system/good", "x");
  folders.write("system/bad/SKILL.md", "# no front matter");
  folders.write("system/empty/readme.txt", "x");
  folders.write("system/Not A Name/SKILL.md", "---\ndescription: x\n---\n");
  folders.write("system/huge/SKILL.md", "---\ndescription: x\n---\n" + std::string(300'000, 'x'));
  folders.write("system/.hidden/SKILL.md", "---\ndescription: x\n---\n");
  folders.write("system/README.md", "not a folder");
  fs::create_directory_symlink(folders.path("system/good"), folders.path("system/link"));
  folders.write("elsewhere/SKILL.md", "---\ndescription: x\n---\n");
  fs::create_directories(folders.path("system/inner"));
  fs::create_symlink(folders.path("elsewhere/SKILL.md"), folders.path("system/inner/SKILL.md"));
  fs::create_directories(folders.path("system/pipe"));
  REQUIRE(::mkfifo(folders.path("system/pipe/SKILL.md").c_str(), 0600) == 0);
  const SkillListing listing = folders.list();
  CHECK(folders.names() == Names{"good"});
  Names wrong;
  for (const SkillProblem& problem : listing.problems) {
    wrong.push_back(fs::path(problem.folder).filename().string());
    CHECK_FALSE(problem.problem.empty());
  }
  CHECK(wrong == Names{"Not A Name", "bad", "empty", "huge", "inner", "link", "pipe"});
}

TEST_CASE("no more skills than are allowed") {
  Folders folders;
  folders.settings().limits.skills = 3;
  for (const char* name : {"a", "b", "c", "d", "e"})
    folders.skill("system/" + std::string(name), "x");
  const SkillListing listing = folders.list();
  CHECK(listing.skills.size() == 3);
  REQUIRE(listing.problems.size() == 1);
  CHECK(listing.problems[0].problem.find("more than 3") != std::string::npos);
}

TEST_CASE("a workspace's skills count where workspaces may lie, and links do not lead out of it") {
  Folders folders;
  folders.skill("outside/.gantry/skills/mail", "x");
  const SkillScope outside{"ann", folders.path("outside"), {}};
  CHECK(folders.names(outside).empty());
  REQUIRE(folders.list(outside).problems.size() == 1);
  CHECK(folders.names({"ann", "work/place", {}}).empty());  // no absolute path
  fs::create_directories(folders.path("work/sly/.gantry"));
  fs::create_directory_symlink(folders.path("outside/.gantry/skills"),
                               folders.path("work/sly/.gantry/skills"));
  CHECK(folders.names({"ann", folders.path("work/sly"), {}}).empty());
  fs::create_directory_symlink(folders.path("outside"), folders.path("work/link"));
  CHECK(folders.names({"ann", folders.path("work/link"), {}}).empty());
  folders.skill("work-x/.gantry/skills/mail", "x");  // beside the folder, not in it
  CHECK(folders.names({"ann", folders.path("work-x"), {}}).empty());
}

TEST_CASE("a skill is read with its files, and nothing that lies outside") {
  Folders folders;
  folders.skill("system/mail", "x");
  folders.write("system/mail/scripts/run.sh", "echo hello");
  folders.write("system/mail/notes.md", "notes");
  folders.write("system/mail/picture.png", std::string("\x89PNG\0\xFF", 6));
  folders.write("secret.txt", "secret");
  folders.write("outer/secret.txt", "secret");
  fs::create_symlink(folders.path("secret.txt"), folders.path("system/mail/link.txt"));
  fs::create_directory_symlink(folders.path("outer"), folders.path("system/mail/outer"));
  const Limits& limits = folders.settings().limits;
  const Skill skill = folders.find("mail").value();
  const Result<SkillText> text = read_skill(skill, limits);
  REQUIRE(text.ok());
  CHECK(text->instructions == "Text of x\n");
  CHECK(text->content == "---\ndescription: x\n---\nText of x\n");
  CHECK(text->files == Names{"notes.md", "picture.png", "scripts/run.sh"});
  CHECK(read_skill_file(skill, "scripts/run.sh", limits)->content == "echo hello");
  for (const char* file : {"", ".", "..", "../../secret.txt", "link.txt", "outer/secret.txt",
                           "scripts/../../../secret.txt", "scripts", "/etc/passwd",
                           "scripts//run.sh", "no-such-file"}) {
    INFO(file);
    CHECK(read_skill_file(skill, file, limits).error().code == Code::NotFound);
  }
  CHECK(read_skill_file(skill, "picture.png", limits).error().code == Code::FailedPrecondition);
  Limits small = limits;
  small.file = 3;
  small.files = 2;
  CHECK(read_skill_file(skill, "notes.md", small)->content == "not");
  CHECK(read_skill_file(skill, "notes.md", small)->truncated);
  small.file = limits.file;
  CHECK(read_skill(skill, small)->files.size() == 2);
  CHECK(read_skill(skill, small)->more_files);
}

TEST_CASE("a user's skill is written, changed and removed, for this user alone") {
  Folders folders;
  const Limits& limits = folders.settings().limits;
  const std::string shelf = Library::user_folder(folders.settings(), {"ann", {}, {}}).value();
  REQUIRE(write_skill(shelf, "mail", "---\ndescription: x\n---\n", true, limits).ok());
  CHECK(folders.find("mail").ok());
  CHECK((fs::status(shelf).permissions() & fs::perms::others_all) == fs::perms::none);
  CHECK(write_skill(shelf, "mail", "y", true, limits).error().code == Code::AlreadyExists);
  REQUIRE(write_skill(shelf, "mail", "---\ndescription: y\n---\n", false, limits).ok());
  folders.catalogue().forget();
  CHECK(folders.find("mail")->description == "y");
  folders.write("keep/file.txt", "x");
  fs::create_directory_symlink(folders.path("keep"), shelf + "/mail/link");
  REQUIRE(remove_skill(shelf, "mail").ok());
  CHECK(fs::exists(folders.path("keep/file.txt")));
  CHECK(remove_skill(shelf, "mail").error().code == Code::NotFound);
  fs::create_directory_symlink(folders.path("keep"), shelf + "/sly");
  CHECK_FALSE(write_skill(shelf, "sly", "x", false, limits).ok());
  CHECK_FALSE(fs::exists(folders.path("keep/SKILL.md")));
  CHECK(remove_skill(shelf, "sly").error().code == Code::NotFound);
  Limits few = limits;
  few.skills = 1;
  CHECK(write_skill(shelf, "one-more", "x", false, few).error().code == Code::ResourceExhausted);
  CHECK_FALSE(fs::exists(shelf + "/one-more"));
}

TEST_CASE("what changes is noticed, and the list is another") {
  Folders folders;
  folders.skill("system/mail", "before");
  CHECK(folders.find("mail")->description == "before");
  int before = folders.changes();
  const std::int64_t revision = folders.catalogue().revision();
  folders.skill("system/mail", "after");
  REQUIRE(folders.wait_for_change(before));
  CHECK(folders.find("mail")->description == "after");
  CHECK(folders.catalogue().revision() > revision);
  before = folders.changes();
  folders.skill("system/news", "new");
  REQUIRE(folders.wait_for_change(before));
  CHECK(folders.names() == Names{"mail", "news"});
  before = folders.changes();
  fs::remove_all(folders.path("system/mail"));
  REQUIRE(folders.wait_for_change(before));
  CHECK(folders.names() == Names{"news"});
}

TEST_CASE("a folder that comes later is seen") {
  Folders folders;
  CHECK(folders.names().empty());
  folders.skill("user/ann/mail", "x");
  CHECK(folders.names() == Names{"mail"});
}

}  // namespace
}  // namespace gantry::skills
