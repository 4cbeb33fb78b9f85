// SPDX-License-Identifier: Apache-2.0
// Globs, searching and listing.
#include "explore.hpp"
#include "glob.hpp"
#include "support.hpp"

using namespace gantry;
using namespace gantry::files;
using namespace gantry::files::testing;

namespace {

struct GlobCase {
  const char* pattern;
  const char* path;
  bool fits;
};

constexpr GlobCase kGlobs[] = {
    {"*.cpp", "a.cpp", true},
    {"*.cpp", "deep/er/a.cpp", true},  // without / it looks at the name
    {"*.cpp", "a.cppx", false},
    {"src/*.cpp", "src/a.cpp", true},
    {"src/*.cpp", "src/x/a.cpp", false},
    {"src/**/*.cpp", "src/a.cpp", true},
    {"src/**/*.cpp", "src/x/y/a.cpp", true},
    {"src/**/*.cpp", "srcx/a.cpp", false},
    {"**/a", "a", true},
    {"**/a", "x/y/a", true},
    {"**/a", "x/ya", false},
    {"src/**", "src/x/y", true},
    {"a**/b", "ax/y/b", true},
    {"?", "a", true},
    {"?", "\xC3\xBC", true},
    {"?", "ab", false},
    {"x/?", "x//", false},
    {"[a-c]x", "bx", true},
    {"[!a-c]x", "bx", false},
    {"[]a]", "]", true},
    {"[a-]", "-", true},
    {"x/[!a]", "x//", false},
    {"{a,b{c,d}}.h", "bd.h", true},
    {"{a,b{c,d}}.h", "b.h", false},
    {"{,x}a", "a", true},
    {"\\*", "*", true},
    {"\\*", "a", false},
    {"\\{a", "{a", true},
    {"*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaa", false},
};

Result<ToolResult> look(const Place& place, const std::string& pattern, const std::string& glob,
                        const std::string& path = ".") {
  SearchArguments arguments;
  arguments.pattern = pattern;
  arguments.glob = glob;
  arguments.path = path;
  return files::search(place.roots(), place.at_work(), arguments);
}

Result<ToolResult> shown_list(const Place& place, const std::string& path, std::int64_t depth = 1,
                              const std::string& glob = "") {
  return files::list(place.roots(), place.at_work(), {path, glob, depth, ""});
}

}  // namespace

TEST_CASE("globs") {
  for (const GlobCase& c : kGlobs) {
    INFO(c.pattern << " on " << c.path);
    const auto glob = Glob::compile(c.pattern);
    REQUIRE(glob.ok());
    CHECK(glob->matches(c.path) == c.fits);
  }
  for (const std::string& bad : std::vector<std::string>{
           std::string(), std::string("[a"), std::string("{a"), std::string(1001, 'a'),
           std::string("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}")}) {
    INFO(bad);
    CHECK(Glob::compile(bad).error().code == Code::InvalidArgument);
  }
}

TEST_CASE("files are found by name and lines by pattern") {
  Place place;
  put(place.work / "src/one.cpp", "int main() {\n  return 1;\n}\n");
  put(place.work / "src/two.hpp", "int two();\n");
  put(place.work / ".git/config", "int git;\n");
  put(place.work / "blob", std::string("int \0 x", 7));
  CHECK(text_of(look(place, "", "*.cpp")) == "src/one.cpp\n");
  CHECK(text_of(look(place, "", "src/*")) == "src/one.cpp\nsrc/two.hpp\n");
  CHECK(text_of(look(place, "^int", "")) ==
        "src/one.cpp:1: int main() {\nsrc/two.hpp:1: int two();\n");
  CHECK(text_of(look(place, "return \\d", "*.cpp")) == "src/one.cpp:2:   return 1;\n");
  CHECK(text_of(look(place, "int", "*.hpp", "src")) == "two.hpp:1: int two();\n");
  CHECK(text_of(look(place, "nowhere", "")) == "Nothing was found.\n");
  SearchArguments any_case;
  any_case.pattern = "INT TWO";
  any_case.case_sensitive = false;
  CHECK(text_of(files::search(place.roots(), place.at_work(), any_case)) ==
        "src/two.hpp:1: int two();\n");
}

TEST_CASE("a search that cannot be is refused") {
  Place place;
  CHECK(look(place, "", "").error().code == Code::InvalidArgument);
  CHECK(look(place, "(", "").error().code == Code::InvalidArgument);
  CHECK(look(place, "", "[").error().code == Code::InvalidArgument);
  CHECK(look(place, "x", "", "none").error().code == Code::NotFound);
  CHECK(look(place, "x", "", "file").error().code == Code::FailedPrecondition);
  CHECK(look(place, "private", "", "..").error().code == Code::PermissionDenied);
}

TEST_CASE("a search follows no link and sees nothing hidden") {
  Place place;
  fs::create_symlink("../secret", place.work / "out");
  fs::create_symlink("../secret/key", place.work / "key");
  fs::create_symlink(".", place.work / "loop");
  put(place.work / "state/db", "private\n");
  place.hidden = {(place.work / "state").string()};
  CHECK(text_of(look(place, "private", "")) == "Nothing was found.\n");
  CHECK(text_of(shown_list(place, ".", 5)) ==
        "file  7 bytes\nkey  (link)\nloop  (link)\nout  (link)\n");
}

TEST_CASE("searches are bounded in results, entries, bytes and time") {
  Place place;
  for (int i = 10; i < 20; ++i) put(place.work / ("f" + std::to_string(i)), "hit\nhit\n");
  place.settings->limits.results = 3;
  CHECK(text_of(look(place, "hit", "")) ==
        "f10:1: hit\nf10:2: hit\nf11:1: hit\n[only the first 3; narrow the search]\n");
  place.settings->limits.results = 100;
  place.settings->limits.read = 24;
  CHECK(text_of(look(place, "hit", "")) ==
        "f10:1: hit\nf10:2: hit\n[only the first 2; narrow the search]\n");
  place.settings->limits.read = 10000;
  place.settings->limits.entries = 5;
  CHECK(text_of(look(place, "", "*")).find("not everything was looked at: there are more than 5") !=
        std::string::npos);
  place.settings->limits.entries = 1000;
  std::int64_t now = 0;
  const Work slow{place.settings, [] { return false; }, [&now] { return now += 4'000'000'000; }};
  SearchArguments all;
  all.glob = "*";
  const auto cut = files::search(place.roots(), slow, all);
  CHECK(text_of(cut).find("f10\nf11\n[not everything was looked at: the time was over]") == 0);
  put(place.work / "wide", "hit " + std::string(1000, 'x'));
  place.settings->limits.results = 1;
  CHECK(text_of(look(place, "hit", "wide")).size() < 340);
}

TEST_CASE("a folder is listed, as deep as is asked") {
  Place place;
  put(place.work / "a/b/c", "123");
  CHECK(text_of(shown_list(place, ".")) == "a/\nfile  7 bytes\n");
  CHECK(text_of(shown_list(place, ".", 2)) == "a/\na/b/\nfile  7 bytes\n");
  CHECK(text_of(shown_list(place, ".", 3, "c")) == "a/b/c  3 bytes\n");
  CHECK(text_of(shown_list(place, "a/b")) == "c  3 bytes\n");
  fs::create_directory(place.work / "empty");
  CHECK(text_of(shown_list(place, "empty")) == "There is nothing.\n");
  CHECK(shown_list(place, ".", 0).error().code == Code::InvalidArgument);
}
