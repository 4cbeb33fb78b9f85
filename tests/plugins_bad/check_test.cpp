// SPDX-License-Identifier: Apache-2.0
// What `gantry check` knows of listeners: who opens them where, who mounts what on them, and
// whether that is guarded. The plugins are manifests alone, their libraries are never opened.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "../../kernel/tests/test_files.hpp"
#include "daemon_process.hpp"

namespace gantry::test {
namespace {

struct Row {
  std::string config;
  std::string said;  // part of the finding; empty: there is none
  int code = 0;
};

class Place {
 public:
  Place() {
    dir_.write("profiles/test.yaml", "{}\n");
    add("door",
        "config: {listeners: {type: map, default: {}, entries: {type: map, keys: {"
        "address: {type: string, format: address, default: ''}, "
        "token: {type: string, secret: true, default: ''}}}}, "
        "mounts: {type: map, default: {}, entries: {type: map, keys: {"
        "prefix: {type: string, default: ''}, host: {type: string, default: ''}}}}}\n");
  }

  void add(const std::string& name, const std::string& more) {
    dir_.write("plugins/" + name + "/" + name + ".so", "");
    dir_.write("plugins/" + name + "/plugin.yaml",
               "name: " + name + "\nversion: 1\nabi: 1.0\nsummary: S.\n" + more);
  }

  void check(const std::vector<Row>& rows) const {
    for (const auto& row : rows) {
      const auto file = dir_.write("gantry.yaml", "profile: test\nplugins: {" + row.config + "}\n");
      std::string output;
      const int code = run_gantry({"check", "--json", "--config", file.string(), "--plugin-dir",
                                   (dir_.path() / "plugins").string()},
                                  output);
      INFO(row.config << "\n" << output);
      CHECK(code == row.code);
      const bool silent = output.find("\"findings\":[]") != std::string::npos;
      CHECK(silent == row.said.empty());
      if (!row.said.empty()) CHECK(output.find(row.said) != std::string::npos);
    }
  }

 private:
  TempDir dir_;
};

const std::string kKeys =
    "listener: {type: string, default: web}, path: {type: string, default: /ws}, "
    "host: {type: string, default: 127.0.0.1}, port: {type: int, default: 80}, "
    "auth: {type: string, default: 'no'}, "
    "bearer_token: {type: string, secret: true, default: ''}";

std::string keyed(const std::string& listener, const std::string& more) {
  return "mounts: [{listener: " + listener + ", listener_key: listener, path_key: path" + more +
         "}]\nconfig: {" + kKeys + "}\n";
}

TEST_CASE("routes are looked for where the configuration puts them") {
  Place place;
  place.add("one", keyed("web", ""));
  place.add("two",
            "mounts: [{listener: page, listener_key: http.listener, path_key: http.path, "
            "enabled_key: http.enabled}]\nconfig: {http: {type: map, keys: {"
            "enabled: {type: bool, default: true}, listener: {type: string, default: page}, "
            "path: {type: string, default: /ws}}}}\n");
  const std::string both = "mounts /ws on the listener web, where plugin one mounts /ws";
  place.check({
      {"one: {}, two: {}", "", 0},
      {"one: {}, two: {config: {http: {listener: web}}}", both, 1},
      {"one: {config: {path: /one}}, two: {config: {http: {listener: web}}}", "", 0},
      {"one: {}, two: {config: {http: {listener: web, path: /two}}}", "", 0},
      {"one: {}, two: {config: {http: {listener: web, enabled: false}}}", "", 0},
      {"one: {}, two: {config: {http: {listener: web}}}, "
       "door: {config: {mounts: {two: {prefix: /two}}}}",
       "", 0},
      {"one: {}, two: {config: {http: {listener: web}}}, "
       "door: {config: {mounts: {one: {host: one.localhost}}}}",
       "", 0},
      {"one: {config: {path: /x/ws}}, two: {config: {http: {listener: web}}}, "
       "door: {config: {mounts: {two: {prefix: /x}}}}",
       "mounts /x/ws on the listener web, where plugin one mounts /x/ws", 1},
      {"one: {config: {listener: page}}, two: {}",
       "mounts /ws on the listener page, where plugin one mounts /ws", 1},
  });
}

TEST_CASE("the address that is set for a listener takes the place of the plugin's own") {
  Place place;
  place.add("one",
            "mounts: [{listener: web, paths: [/]}]\n"
            "config: {host: {type: string, default: 127.0.0.1}, "
            "port: {type: int, default: 80}}\n");
  place.add("other", "config: {port: {type: int, default: 81}}\n");
  const auto door = [](const std::string& address) {
    return "door: {config: {listeners: {web: {address: '" + address + "'}}}}, one: {}, other: {}";
  };
  place.check({
      {door(""), "", 0},
      {door("127.0.0.1:80"), "", 0},
      {door("unix:/run/web.sock"), "", 0},
      {door("127.0.0.1:81"), "port 81 is also wanted by plugins.door.config.listeners.web.address",
       1},
      {"one: {}, other: {config: {port: 80}}", "port 80 is also wanted by", 1},
      {door("unix:/run/web.sock") + ", one: {}", "appears twice", 78},
      {door("web:80"), "found 'web:80', allowed: 127.0.0.1:PORT", 78},
  });
}

TEST_CASE("who would not get the address that it asks for is named") {
  Place place;
  place.add("one", keyed("web", ""));
  place.add("two", keyed("web", ""));
  const auto two = [](const std::string& config) {
    return "one: {}, two: {config: {path: /two, " + config + "}}";
  };
  place.check({
      {two("port: 80"), "", 0},
      {two("port: 81"),
       "found 127.0.0.1:81, but plugins.one.config.port asks for the same listener at 127.0.0.1:80",
       0},
      {two("host: '::1'"), "found ::1:80, but plugins.one.config.port", 0},
      {two("port: 81, listener: other"), "", 0},
      {two("port: 81") + ", door: {config: {listeners: {web: {address: '127.0.0.1:9'}}}}", "", 0},
  });
}

TEST_CASE("a preference that nobody can follow is named") {
  Place place;
  place.add("one", "provides: [x.read/1]\n");
  place.add("two", "provides: [x.write/1]\n");
  const auto prefer = [](const std::string& entry) {
    return "one: {}}\nkernel: {prefer: {" + entry + "}";
  };
  place.check({
      {prefer("x.read/1: one"), "", 0},
      {prefer("x.write/1: two"), "", 0},  // which may be listed tomorrow
      {prefer("x.read/1: two"), "'two' does not provide it; installed are: one", 0},
      {prefer("x.reed/1: one"), "no installed plugin provides it. Did you mean 'x.read/1'?", 0},
  });
}

TEST_CASE("each plugin on a listener that others reach has to be guarded") {
  Place place;
  place.add("own", keyed("web", ", authenticates: true"));
  place.add("must", keyed("web", ", authenticates: auth=always"));
  place.add("unless", keyed("web", ", authenticates: auth!=no"));
  place.add("plain", keyed("web", ""));
  place.add("wide", keyed("web", ", guards_listener: true"));
  const auto at = [](const std::string& name, const std::string& more = "") {
    return name + ": {config: {host: 0.0.0.0" + more + "}}";
  };
  const std::string none =
      "0.0.0.0 can be reached from other machines, and the listener web has no";
  const std::string beside = "and plain on the listener web has no authentication";
  const std::string second = ", plain: {config: {host: 0.0.0.0, path: /plain";
  place.check({
      {at("own"), "", 0},
      {at("must"), none, 1},
      {at("must", ", auth: always"), "", 0},
      {at("unless"), none, 1},
      {at("unless", ", auth: password"), "", 0},
      {at("plain"), none, 1},
      {at("plain", ", bearer_token: x"), "", 0},
      {at("own") + second + "}}", beside, 1},
      {at("own") + second + ", bearer_token: x}}", "", 0},
      {at("own") + ", plain: {config: {path: /plain}}", beside, 1},
      {at("wide") + second + "}}", none, 1},
      {at("wide", ", bearer_token: x") + second + "}}", "", 0},
      {at("wide") + second + ", bearer_token: x}}", "and wide on the listener web has no", 1},
      {at("own") + second + "}}, door: {config: {listeners: {web: {token: x}}}}", "", 0},
  });
}

}  // namespace
}  // namespace gantry::test
