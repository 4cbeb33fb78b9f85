// SPDX-License-Identifier: Apache-2.0
#include "program_link.hpp"

#include <gantry/tools/text.hpp>

#include <algorithm>
#include <utility>

namespace gantry::tools_mcp {

ProgramLink::~ProgramLink() {
  events_.reset();
  backlog_->close();
  if (!program_) return;
  auto& ending = *ending_;
  ending.erase(std::remove_if(ending.begin(), ending.end(),
                              [](const auto& program) { return program->gone(); }),
               ending.end());
  program_->end();
  ending.push_back(std::move(program_));
}

ProgramEvents ProgramLink::heard() const {
  ProgramEvents out;
  Host* const host = &host_;
  const std::weak_ptr<LinkEvents> weak = events_;
  out.line = [host, weak, backlog = backlog_](std::string line) {
    if (!backlog->put(line.size())) return;
    host->post([weak, backlog, line = std::move(line)] {
      backlog->took(line.size());
      if (const auto events = weak.lock()) events->message(line);
    });
  };
  out.complaint = [host, name = name_](const std::string& line) {
    host->log().info("an MCP server says", {{"server", name}, {"line", tools::visible_text(line)}});
  };
  out.ended = [host, weak, name = name_](const std::string& how) {
    host->post([weak, name, how] {
      const auto events = weak.lock();
      if (!events) return;
      events->closed(unavailable("the MCP server '" + name + "' is not running: " + how,
                                 "it is started again by itself; look at its lines in the log"));
    });
  };
  return out;
}

void ProgramLink::begin(LinkEvents events) {
  events_ = std::make_shared<LinkEvents>(std::move(events));
  auto program = Program::start(plan_, heard());
  if (program.ok()) {
    program_ = std::move(*program);
    return;
  }
  host_.post(
      [weak = std::weak_ptr<LinkEvents>(events_), name = name_, why = program.error().message] {
        const auto alive = weak.lock();
        if (!alive) return;
        alive->closed(unavailable("the MCP server '" + name + "' cannot be started: " + why,
                                  "check command and directory in tools_mcp.servers." + name));
      });
}

void ProgramLink::send(const std::string&, std::string message) {
  // One line is one message; in JSON a raw line end is only white space.
  std::replace_if(
      message.begin(), message.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  // One that does not read is noticed by the time limits of what it was asked.
  if (program_) (void)program_->send(std::move(message));
}

}  // namespace gantry::tools_mcp
