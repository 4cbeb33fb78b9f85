// SPDX-License-Identifier: Apache-2.0
#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/SocketAddress.h>
#include <catch2/catch.hpp>

#include <map>

#include "cli/doctor_checks.hpp"
#include "test_files.hpp"

namespace gantry::test {
namespace {

using cli::Grade;
using cli::Report;

std::string filled(std::string text, const std::string& mark, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size()) {
    text.replace(at, mark.size(), value);
  }
  return text;
}

/// A machine as a row of the table describes it.
class Machine {
 public:
  explicit Machine(const config::Value& row) : row_(row) {
    for (const auto* list : {"files", "installed"}) {
      const auto* names = row.find(list);
      if (names == nullptr) continue;
      for (const auto& name : names->as_list()) (void)folder_.write(name.as_text(), "");
    }
    socket_.bind(Poco::Net::SocketAddress("127.0.0.1", 0), false);
    port_ = socket_.address().port();
    if (text_of(row, "port") == "taken") {
      socket_.listen();
    } else {
      socket_.close();
    }
  }

  std::string fill(const std::string& text) const {
    return filled(filled(text, "{run}", folder_.path().string()), "{port}", std::to_string(port_));
  }

  Report examine() const {
    Report report;
    if (const auto* given = row_.find("environment")) {
      std::map<std::string, std::string> variables;
      for (const auto& entry : given->as_map()) variables[entry.key] = fill(entry.value.as_text());
      const auto environment = config::Environment::of(std::move(variables));
      if (row_.find("folders") != nullptr) {
        check_folders(environment, report);
      } else {
        check_session(environment, report);
      }
    }
    if (row_.find("installed") != nullptr) cli::check_programs(folder_.path(), report);
    if (row_.find("port") != nullptr) {
      cli::WantedPort wanted;
      wanted.path = "plugins.rest_observer.config.port";
      wanted.host = text_of(row_, "host");
      wanted.port = port_;
      check_ports_free({wanted}, report);
    }
    return report;
  }

 private:
  const config::Value& row_;
  TempDir folder_;
  Poco::Net::ServerSocket socket_;
  int port_ = 0;
};

Grade grade_of(const std::string& name) {
  return name == "ok" ? Grade::kGood : name == "note" ? Grade::kNote : Grade::kBad;
}

TEST_CASE("what doctor says of a machine") {
  const auto rows = load_cases("kernel/tests/cases/doctor.yaml");
  for (const auto& row : rows.as_list()) {
    DYNAMIC_SECTION(text_of(row, "name")) {
      const Machine machine(row);
      const Report report = machine.examine();
      const auto& lines = row.find("lines")->as_list();
      INFO(report_text(report, "the row"));
      REQUIRE(report.size() == lines.size());
      for (std::size_t i = 0; i < lines.size(); ++i) {
        CHECK(report[i].area == text_of(lines[i], "area"));
        CHECK(report[i].grade == grade_of(text_of(lines[i], "grade")));
        CHECK_THAT(report[i].finding,
                   Catch::Matchers::Contains(machine.fill(text_of(lines[i], "finding"))));
        const std::string cure = machine.fill(text_of(lines[i], "cure"));
        CHECK(report[i].cure.empty() == cure.empty());
        CHECK_THAT(report[i].cure, Catch::Matchers::Contains(cure));
      }
    }
  }
}

TEST_CASE("one bad line means not ready, in words and in JSON") {
  Report report{{"display", Grade::kGood, "DISPLAY is \":0\"", ""},
                {"packages", Grade::kNote, "dbus is missing", "sudo apt-get install dbus"}};
  CHECK(is_ready(report));
  CHECK(report_json(report, "here") ==
        R"({"ready":true,"asked":"here","lines":[)"
        R"({"area":"display","grade":"ok","finding":"DISPLAY is \":0\"","cure":""},)"
        R"({"area":"packages","grade":"note","finding":"dbus is missing",)"
        R"("cure":"sudo apt-get install dbus"}]})"
        "\n");
  report.push_back({"packages", Grade::kBad, "worse", ""});
  CHECK_FALSE(is_ready(report));
  CHECK(report_json(report, "here").find("{\"ready\":false") == 0);
  CHECK(report_text(report, "here") ==
        "asked: here\n\ndisplay\n  [ok  ] DISPLAY is \":0\"\n\npackages\n"
        "  [note] dbus is missing\n         cure: sudo apt-get install dbus\n"
        "  [bad ] worse\n\ndoctor: not ready, see the lines marked bad\n");
}

}  // namespace
}  // namespace gantry::test
