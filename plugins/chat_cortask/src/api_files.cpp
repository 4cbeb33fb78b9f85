// SPDX-License-Identifier: Apache-2.0
// Files of a workspace, as gantry.workspace.* has them.
#include <gantry/codec.hpp>
#include <gantry/contract.hpp>
#include <gantry/tools/text.hpp>

#include <functional>
#include <string>
#include <utility>

#include "api_wire.hpp"
#include "chats.hpp"
#include "media_types.hpp"
#include "memory_notes.hpp"
#include "routes.hpp"
#include "workspaces.hpp"

namespace gantry::chat_cortask {
namespace {

constexpr std::int64_t kLargestServed = 32LL << 20;
constexpr std::int32_t kNewest = 10;

/// Asks about the workspace that the path names; `then` has the answer.
template <class C>
void ask_workspace(Exchange& exchange, typename C::Request request,
                   std::function<void(Exchange&, const typename C::Response&)> then) {
  request.principal = kPrincipal;
  request.workspace = exchange.parameters[0];
  exchange.host().bus().call<C>(std::move(request),
                                [self = exchange.shared_from_this(), then = std::move(then)](
                                    const Result<Ref<typename C::Response>>& answer) {
                                  if (!answer.ok()) return self->fail(answer.error());
                                  then(*self, **answer);
                                });
}

void say_ok(Exchange& exchange, const gantry::Done&) { exchange.json(R"({"ok":true})"); }

void write_text(Exchange& exchange, const std::string& path, std::string content) {
  WorkspaceWriteRequest request;
  request.path = path;
  request.content = Buffer::of(std::move(content));
  ask_workspace<WorkspaceWrite>(exchange, std::move(request), say_ok);
}

void send_file(Exchange& exchange, const std::string& path, const Buffer& content) {
  HttpResponse response;
  response.content_type = media_type_of(path);
  // A page of the workspace must not run as one of this server's own.
  response.headers.push_back({"content-security-policy", "sandbox"});
  response.body = content;
  exchange.answer(std::move(response));
}

}  // namespace

void list_files(Exchange& exchange) {
  WorkspaceNewestRequest request;
  request.limit = kNewest;
  ask_workspace<WorkspaceNewest>(
      exchange, std::move(request), [](Exchange& self, const WorkspaceEntries& found) {
        FilesView view;
        for (const WorkspaceEntry& file : found.entries) {
          view.files.push_back({file.name, static_cast<double>(file.changed_us) / 1e3});
        }
        self.json(to_json(view));
      });
}

void show_tree(Exchange& exchange) {
  WorkspaceTreeRequest request;
  request.depth = static_cast<std::int32_t>(exchange.number("depth", 3, 1, 5));
  ask_workspace<WorkspaceTree>(
      exchange, std::move(request), [](Exchange& self, const WorkspaceEntries& found) {
        TreeView view;
        for (const WorkspaceEntry& entry : found.entries) {
          view.tree.push_back({entry.path, entry.name, entry.folder ? "dir" : "file"});
        }
        self.json(to_json(view));
      });
}

void read_memory(Exchange& exchange) {
  if (exchange.services().workspaces.find(exchange.parameters[0]) == nullptr) {
    return exchange.error(404, "Workspace not found");
  }
  WorkspaceFileRequest request{kPrincipal, exchange.parameters[0], kMemoryFile, kLargestMemory};
  exchange.host().bus().call<WorkspaceRead>(
      std::move(request),
      [self = exchange.shared_from_this()](const Result<Ref<WorkspaceFile>>& read) {
        MemoryView view;
        if (read.ok()) {
          std::string text;
          codec::write_string(text, tools::repaired_utf8((*read)->content.text()));
          view.content = Json(std::move(text));
        } else if (read.error().code != Code::NotFound) {
          return self->fail(read.error());
        }
        self->json(to_json(view));
      });
}

void write_memory(Exchange& exchange) {
  auto content = exchange.text("content");
  if (!content) return exchange.error(400, "content string required");
  write_text(exchange, kMemoryFile, std::move(*content));
}

void get_file(Exchange& exchange) {
  WorkspaceFileRequest request;
  request.path = exchange.parameters[1];
  request.max_bytes = kLargestServed;
  ask_workspace<WorkspaceRead>(
      exchange, std::move(request),
      [path = exchange.parameters[1]](Exchange& self, const WorkspaceFile& file) {
        send_file(self, path, file.content);
      });
}

void put_file(Exchange& exchange) {
  auto content = exchange.text("content");
  if (!content) return exchange.error(400, "content string required");
  write_text(exchange, exchange.parameters[1], std::move(*content));
}

void rename_file(Exchange& exchange) {
  WorkspaceMoveRequest request;
  request.from = exchange.text("oldPath").value_or("");
  request.to = exchange.text("newPath").value_or("");
  if (request.from.empty() || request.to.empty()) {
    return exchange.error(400, "oldPath and newPath are required");
  }
  ask_workspace<WorkspaceMove>(exchange, std::move(request), say_ok);
}

void delete_file(Exchange& exchange) {
  WorkspaceFileRequest request;
  request.path = exchange.parameters[1];
  ask_workspace<WorkspaceRemove>(exchange, std::move(request), say_ok);
}

}  // namespace gantry::chat_cortask
