// SPDX-License-Identifier: Apache-2.0
// What SIGHUP takes over although `gantry check` would find errors in it. The libraries of the
// plugins here are empty: none of them ever runs.
#include <signal.h>
#include <catch2/catch.hpp>

#include "../../kernel/tests/test_files.hpp"
#include "daemon_process.hpp"

namespace gantry::test {
namespace {

class Installation {
 public:
  Installation() { dir_.write("profiles/test.yaml", "{}\n"); }

  std::string folder(const std::string& name) const { return (dir_.path() / name).string(); }
  void add(const std::string& folder, const std::string& name, const std::string& more) const {
    const std::string own = folder + "/" + name + "/";
    dir_.write(own + name + ".so", "");
    dir_.write(own + "plugin.yaml",
               "name: " + name + "\nversion: 1\nabi: 1.0\nsummary: S.\n" + more);
  }
  std::vector<std::string> run(const std::string& config) const {
    write(config);
    return {"run", "--config", folder("gantry.yaml"), "--plugin-dir", folder("plugins")};
  }
  void write(const std::string& config) const {
    dir_.write("gantry.yaml", "profile: test\n" + config);
  }

 private:
  TempDir dir_;
};

TEST_CASE("a reload is not refused for what its plan and the one in force both have") {
  const Installation installation;
  const std::string open =
      "mounts: [{listener: page, prefix_key: prefix, paths: [/]}]\nconfig: {"
      "prefix: {type: string, default: ''}, host: {type: string, default: 127.0.0.1}}\n";
  installation.add("plugins", "one", open);
  installation.add("plugins", "two", open);
  installation.add("plugins", "wants", "requires: [test.poke/1, test.prod/1]\n");
  installation.add("plugins", "pokes", "provides: [test.poke/1]\n");
  installation.add("plugins", "guarded",
                   "mounts: [{listener: page, authenticates: 'true', paths: [/own]}]\n");
  installation.add("more", "prods", "provides: [test.prod/1]\n");
  installation.add("more", "absend", "");
  const std::string more = "kernel: {plugin_dirs: ['" + installation.folder("more") + "']}\n";
  const std::string one = "guarded: {}, one: {config: {host: 0.0.0.0, prefix: /one}}";
  const std::string two = "two: {config: {host: 0.0.0.0, prefix: /two}}";
  struct Row {
    std::string what;
    std::string before;
    std::string after;
    bool taken;
  };
  const std::vector<Row> rows{
      {"the same", "plugins: {wants: {}}", "plugins: {wants: {}, pokes: {}}", true},
      {"what could help", "plugins: {wants: {}, pokes: {}}",
       more + "plugins: {wants: {}, pokes: {}}", true},
      {"where it was sought, and a like name", "plugins: {absent: {}}",
       more + "plugins: {absent: {}}", true},
      {"one that was good", "plugins: {pokes: {}}", "plugins: {pokes: {}, wants: {}}", false},
      {"another one", "plugins: {wants: {}}", "plugins: {wants: {}, absent: {}}", false},
      {"fewer open", "plugins: {" + one + ", " + two + "}", "plugins: {" + one + "}", true},
      {"one more open", "plugins: {" + one + "}", "plugins: {" + one + ", " + two + "}", false},
      {"open for more", "plugins: {one: {config: {host: 192.0.2.1, prefix: /one}}}",
       "plugins: {" + one + "}", false},
      {"only open ones", "plugins: {" + one + "}",
       "plugins: {one: {config: {host: 0.0.0.0, prefix: /uno}}}", true},
      {"one route of two", "plugins: {one: {}, guarded: {}}", "plugins: {one: {}, two: {}}", false},
  };
  for (const auto& row : rows) {
    DaemonProcess daemon(installation.run(row.before));
    REQUIRE(daemon.wait_for("ready version="));
    installation.write(row.after);
    daemon.send(SIGHUP);
    const bool told = daemon.wait_for("reloaded");
    INFO(row.what << "\n" << daemon.log());
    CHECK(told);
    CHECK((daemon.log().find("configuration reloaded") != std::string::npos) == row.taken);
    daemon.send(SIGTERM);
    daemon.wait();
  }
}

}  // namespace
}  // namespace gantry::test
