// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <string>

#include "output_log.hpp"
#include "report.hpp"

using namespace gantry;
using namespace gantry::shell;

TEST_CASE("what fits is kept as it is") {
  OutputLog log(30);
  log.append("0123456789");
  log.append("0123456789");
  log.append("0123456789");
  CHECK(log.text().text == "012345678901234567890123456789");
  CHECK(log.text().dropped == 0);
  CHECK(log.total() == 30);
}

TEST_CASE("of what is too long the beginning and the end are kept and the rest is counted") {
  OutputLog log(30);  // twenty and ten
  for (int i = 0; i < 1000; ++i) log.append("abcdefghij");
  log.append("THE END 10");
  const OutputText text = log.text();
  CHECK(text.text.starts_with("abcdefghijabcdefghij\n[… "));
  CHECK(text.text.ends_with("THE END 10"));
  CHECK(log.total() == 10'010);
  // All that is not shown is counted: what is shown and what is counted make the total.
  const std::string said = "\n[… " + std::to_string(text.dropped) + " bytes left out …]\n";
  CHECK(text.text.find(said) != std::string::npos);
  CHECK(text.text.size() - said.size() + text.dropped == 10'010);
}

TEST_CASE("one piece longer than everything is cut the same way") {
  OutputLog log(30);
  log.append(std::string(100, 'x') + "0123456789");
  CHECK(log.text().text == std::string(20, 'x') + "\n[… 80 bytes left out …]\n0123456789");
}

TEST_CASE("a character is not torn by the cut") {
  OutputLog log(9);  // six and three
  log.append("12345\xC3\xBC-------\xE2\x82\xAC");
  CHECK(log.text().text == "12345\n[… 9 bytes left out …]\n\xE2\x82\xAC");
  OutputLog tail(9);
  tail.append("123456-------\xE2\x82\xAC!");
  CHECK(tail.text().text == "123456\n[… 10 bytes left out …]\n!");
}

TEST_CASE("taking gives what is new, and waits for the rest of a character") {
  OutputLog log(100);
  log.append("one \xE2\x82");
  CHECK(log.take(true).text == "one ");
  log.append("\xAC two");
  CHECK(log.take(true).text == "\xE2\x82\xAC two");
  CHECK(log.take(true).text.empty());
  log.append("\xE2");
  CHECK(log.take(false).text == "\xEF\xBF\xBD");
}

TEST_CASE("what is taken is bounded, too") {
  OutputLog log(30);
  log.append(std::string(1000, 'x'));
  CHECK(log.take(true).dropped == 970);
  log.append("new");
  CHECK(log.take(true).text == "new");
}

TEST_CASE("lines are counted from any beginning") {
  const std::string text = "a\nb\nc\nd";
  CHECK(some_lines(text, 0, 0) == text);
  CHECK(some_lines(text, 1, 2) == "b\nc\n");
  CHECK(some_lines(text, 3, 5) == "d");
  CHECK(some_lines(text, 9, 1).empty());
}

TEST_CASE("what became of a command is said") {
  Report report;
  report.run_ms = 1500;
  CHECK(state_text(report) == "running for 1.5 s");
  report.end = Exit{0, 0};
  CHECK(state_text(report) == "exit code 0");
  report.end = Exit{137, 0};
  CHECK(state_text(report) == "exit code 137, signal 9 (KILL)");
  report.end = Exit{0, 15};
  CHECK(state_text(report) == "signal 15 (TERM)");
  report.why = Ended::TimedOut;
  CHECK(state_text(report) == "ended after 1.5 s because its time was over; signal 15 (TERM)");
  CHECK(report_result(report)->is_error);
  report.end = Error{Code::Unavailable, "no sandbox", {}};
  CHECK(report_result(report).error().code == Code::Unavailable);
}
