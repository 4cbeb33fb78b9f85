// SPDX-License-Identifier: Apache-2.0
#pragma once
// MCP on standard input and output: one client, both eras mixed. Strand only, but for the pipe.

#include <gantry/host.hpp>
#include <gantry/mcp/line_pipe.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "connection.hpp"

namespace gantry::mcp {

class StdioFace {
 public:
  /// `ended` is called on the strand when there is nobody to serve any more, with the reason.
  StdioFace(Host& host, Core& core, std::function<void(const std::string&)> ended);
  ~StdioFace() { close(); }
  StdioFace(const StdioFace&) = delete;
  StdioFace& operator=(const StdioFace&) = delete;

  Result<void> start();
  /// Cancels what is under way and ends the thread.
  void close();

 private:
  void receive(const std::string& line);
  void refuse_long_line();
  void over(const std::string& reason);

  Host& host_;
  Core& core_;
  std::function<void(const std::string&)> ended_;
  std::shared_ptr<Outlet> outlet_;
  std::shared_ptr<Connection> connection_;
  std::unique_ptr<LinePipe> pipe_;
  std::shared_ptr<void> looking_;
  std::int64_t ending_ns_ = 0;  // since when nobody is there
  std::shared_ptr<int> life_ = std::make_shared<int>(0);
};

}  // namespace gantry::mcp
