// SPDX-License-Identifier: Apache-2.0
// Files of a workspace. The disk is read and written on other threads.
#include <gantry/codec.hpp>
#include <gantry/contract.hpp>
#include <gantry/tools/text.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "api_wire.hpp"
#include "media_types.hpp"
#include "memory_notes.hpp"
#include "routes.hpp"
#include "workspace_files.hpp"
#include "workspaces.hpp"

namespace gantry::chat_cortask {
namespace {

constexpr std::size_t kLargestServed = 32U << 20;
constexpr std::size_t kNewest = 10;

/// Runs `work` with the root of the workspace where waiting is allowed, and `then` with its outcome
/// on the strand.
template <class T>
void on_disk(Exchange& exchange, std::function<Result<T>(const std::string& root)> work,
             std::function<void(Exchange&, T)> then) {
  const Workspace* workspace = exchange.services().workspaces.find(exchange.parameters[0]);
  if (workspace == nullptr) return exchange.error(404, "Workspace not found");
  Host& host = exchange.host();
  host.blocking([&host, self = exchange.shared_from_this(), root = workspace->root,
                 work = std::move(work), then = std::move(then)] {
    auto outcome = std::make_shared<Result<T>>(work(root));
    host.post([self, outcome, then] {
      if (!outcome->ok()) return self->fail(outcome->error());
      then(*self, std::move(**outcome));
    });
  });
}

/// For work without an outcome of its own.
void change_disk(Exchange& exchange, std::function<Result<void>(const std::string& root)> work) {
  on_disk<bool>(
      exchange,
      [work = std::move(work)](const std::string& root) -> Result<bool> {
        GANTRY_TRY(work(root));
        return true;
      },
      [](Exchange& self, bool) { self.json(R"({"ok":true})"); });
}

void send_file(Exchange& exchange, const std::string& path, std::string content) {
  HttpResponse response;
  response.content_type = media_type_of(path);
  // A page of the workspace must not run as one of this server's own.
  response.headers.push_back({"content-security-policy", "sandbox"});
  response.body = Buffer::of(std::move(content));
  exchange.answer(std::move(response));
}

}  // namespace

void list_files(Exchange& exchange) {
  on_disk<std::vector<FileTime>>(
      exchange, [](const std::string& root) { return newest_files(root, kNewest); },
      [](Exchange& self, std::vector<FileTime> files) {
        self.json(to_json(FilesView{std::move(files)}));
      });
}

void show_tree(Exchange& exchange) {
  const int depth = static_cast<int>(exchange.number("depth", 3, 1, 5));
  on_disk<std::vector<TreeEntry>>(
      exchange, [depth](const std::string& root) { return list_tree(root, depth); },
      [](Exchange& self, std::vector<TreeEntry> tree) {
        self.json(to_json(TreeView{std::move(tree)}));
      });
}

void read_memory(Exchange& exchange) {
  on_disk<Json>(
      exchange,
      [](const std::string& root) -> Result<Json> {
        const auto content = read_file(root, kMemoryFile, kLargestMemory);
        if (!content.ok() && content.error().code == Code::NotFound) return Json();
        if (!content.ok()) return content.error();
        std::string text;
        codec::write_string(text, tools::repaired_utf8(*content));
        return Json(std::move(text));
      },
      [](Exchange& self, Json content) { self.json(to_json(MemoryView{std::move(content)})); });
}

void write_memory(Exchange& exchange) {
  const auto content = exchange.text("content");
  if (!content) return exchange.error(400, "content string required");
  change_disk(exchange, [content = *content](const std::string& root) {
    return write_file(root, kMemoryFile, content);
  });
}

void get_file(Exchange& exchange) {
  const std::string path = exchange.parameters[1];
  on_disk<std::string>(
      exchange, [path](const std::string& root) { return read_file(root, path, kLargestServed); },
      [path](Exchange& self, std::string content) { send_file(self, path, std::move(content)); });
}

void put_file(Exchange& exchange) {
  const auto content = exchange.text("content");
  if (!content) return exchange.error(400, "content string required");
  change_disk(exchange, [path = exchange.parameters[1], content = *content](
                            const std::string& root) { return write_file(root, path, content); });
}

void rename_file(Exchange& exchange) {
  const auto from = exchange.text("oldPath");
  const auto to = exchange.text("newPath");
  if (!from || !to || from->empty() || to->empty()) {
    return exchange.error(400, "oldPath and newPath are required");
  }
  change_disk(exchange, [from = *from, to = *to](const std::string& root) {
    return rename_path(root, from, to);
  });
}

void delete_file(Exchange& exchange) {
  change_disk(exchange, [path = exchange.parameters[1]](const std::string& root) {
    return remove_path(root, path);
  });
}

}  // namespace gantry::chat_cortask
