// SPDX-License-Identifier: Apache-2.0
#pragma once
// The way to a server that is a program of this machine. Strand only.

#include <gantry/host.hpp>

#include <memory>
#include <string>
#include <vector>

#include "backlog.hpp"
#include "link.hpp"
#include "program.hpp"

namespace gantry::tools_mcp {

/// Programs that are being ended; whoever keeps it waits for them at the end.
using EndingPrograms = std::vector<std::shared_ptr<Program>>;

class ProgramLink final : public Link {
 public:
  ProgramLink(Host& host, std::string name, ProgramPlan plan,
              std::shared_ptr<EndingPrograms> ending)
      : host_(host), name_(std::move(name)), plan_(std::move(plan)), ending_(std::move(ending)) {}
  ~ProgramLink() override;
  ProgramLink(const ProgramLink&) = delete;
  ProgramLink& operator=(const ProgramLink&) = delete;

  void begin(LinkEvents events) override;
  void send(const std::string& id, std::string message) override;

 private:
  [[nodiscard]] ProgramEvents heard() const;

  Host& host_;
  std::string name_;
  ProgramPlan plan_;
  std::shared_ptr<EndingPrograms> ending_;
  std::shared_ptr<LinkEvents> events_;  // gone with this
  std::shared_ptr<Backlog> backlog_ = std::make_shared<Backlog>();
  std::shared_ptr<Program> program_;
};

}  // namespace gantry::tools_mcp
