// SPDX-License-Identifier: Apache-2.0
//
// The transport with the routes that the conformance tables and the peers (npm ws, Chromium, load
// generators) expect: see http/cases.yaml. One server per object, on port 0 of 127.0.0.1.
#pragma once

#include "limits.hpp"
#include "server.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace gantry::conformance {

struct EchoOptions {
  transport::Limits limits;
  std::string address = "127.0.0.1:0";
  std::size_t loops = 0;
};

/// Limits of the tables: body 64 KiB, message 128 KiB.
transport::Limits table_limits();

class EchoServer {
 public:
  /// Throws std::runtime_error when it cannot start.
  explicit EchoServer(const EchoOptions& options);
  ~EchoServer();
  EchoServer(const EchoServer&) = delete;
  EchoServer& operator=(const EchoServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] const transport::Counters& counters() const { return server_.counters(); }

 private:
  void mount(transport::MountKind kind, const std::vector<std::string>& methods,
             const std::string& path, std::shared_ptr<transport::MountHandler> handler);
  void mount_folder();
  std::filesystem::path folder_;  ///< what /files/ shows
  transport::Server server_;
};

}  // namespace gantry::conformance
