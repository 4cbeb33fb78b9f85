// SPDX-License-Identifier: Apache-2.0
#include "cortask_server.hpp"

#include <gantry/testkit/eventually.hpp>
#include <gantry/testkit/net_client.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <stdexcept>
#include <utility>

#include "../support/listening_port.hpp"

namespace gantry::conformance {
namespace {

namespace fs = std::filesystem;

std::string configuration(const fs::path& state, FlowConfig config) {
  for (const char* name : {"transport", "agent_engine", "llm_scripted", "document_poppler"}) {
    config.try_emplace(name, "{}");
  }
  const fs::path data = state / "cortask";
  const std::string folders = "workspaces: [" + quoted_path(data / "projects") + "]";
  add_member(config, "store", "path: " + quoted_path(state / "store.db"));
  add_member(config, "artifacts", "folder: " + quoted_path(state / "artifacts"));
  add_member(config, "tools_files", folders + ", workspace: " + quoted_path(state / "usual"));
  add_member(config, "tools_shell",
             folders + ", sandbox: none, workspace: " + quoted_path(state / "usual"));
  add_member(config, "chat_cortask", "port: 0, data_dir: " + quoted_path(data));
  add_member(config, "workspaces", "folders: [" + quoted_path(state / "elsewhere") + "]");
  if (config.contains("skills")) {
    add_member(config, "skills", "user: " + quoted_path(state / "skills"));
  }
  return plugins_text(config);
}

}  // namespace

CortaskServer::CortaskServer(const fs::path& state, FlowConfig config) : state_(state) {
  fs::create_directories(state / "elsewhere" / "site");
  kernel_ = std::make_unique<testkit::InProcessKernel>(
      testkit::KernelSetup{.config = configuration(state, std::move(config))});
  const Result<void> started = kernel_->start();
  if (!started.ok()) throw std::runtime_error(started.error().message);
  port_ = listening_port(kernel_->host(), "cortask");
  // The first workspace is made when the plugin starts, and may take a moment longer.
  testkit::HttpClient client("127.0.0.1", port_);
  boost::json::value rows;
  const bool there = testkit::eventually([&] {
    rows = boost::json::parse(client.get("/api/workspaces").body);
    return rows.is_array() && !rows.get_array().empty();
  });
  if (!there) throw std::runtime_error("there is no workspace");
  workspace_ = std::string(rows.at(0).at("id").as_string());
  root_ = std::string(rows.at(0).at("rootPath").as_string());
}

}  // namespace gantry::conformance
