// SPDX-License-Identifier: Apache-2.0
// What a workspace's memory holds, note by note.
#include <gantry/contract.hpp>
#include <gantry/iso_time.hpp>

#include <functional>
#include <utility>
#include <vector>

#include "api_wire.hpp"
#include "chats.hpp"
#include "memory_notes.hpp"
#include "routes.hpp"
#include "workspaces.hpp"

namespace gantry::chat_cortask {
namespace {

MemoryEntryView entry_of(const MemoryNote& note, const std::string& at) {
  MemoryEntryView view;
  view.id = std::string(kMemoryFile) + ":" + std::to_string(note.line);
  view.content = note.content;
  view.source = kMemoryFile;
  view.createdAt = at;
  if (!note.heading.empty()) view.metadata = Json(R"({"heading":)" + to_json(note.heading) + "}");
  return view;
}

/// `then` has the notes of the workspace's memory and when they were written, on the strand.
void with_notes(Exchange& exchange,
                std::function<void(Exchange&, std::vector<MemoryNote>, std::string)> then) {
  if (exchange.services().workspaces.find(exchange.parameters[0]) == nullptr) {
    return exchange.error(404, "Workspace not found");
  }
  WorkspaceFileRequest request{kPrincipal, exchange.parameters[0], kMemoryFile, kLargestMemory};
  exchange.host().bus().call<WorkspaceRead>(
      std::move(request), [self = exchange.shared_from_this(),
                           then = std::move(then)](const Result<Ref<WorkspaceFile>>& read) {
        if (read.ok()) {
          return then(*self, notes_of((*read)->content.text()), iso_time_of((*read)->changed_ms));
        }
        if (read.error().code != Code::NotFound) return self->fail(read.error());
        then(*self, {}, {});
      });
}

}  // namespace

void search_memory(Exchange& exchange) {
  const std::string query = exchange.query("q").value_or("");
  if (query.empty()) return exchange.error(400, "q query parameter required");
  const auto limit = static_cast<std::size_t>(exchange.number("limit", 5, 1, 50));
  with_notes(exchange, [query, limit](Exchange& self, const std::vector<MemoryNote>& notes,
                                      const std::string& at) {
    std::vector<FoundMemoryView> out;
    for (const FoundNote& found : find_notes(notes, query, limit)) {
      out.push_back({entry_of(found.note, at), found.score, "keyword"});
    }
    self.json(to_json(out));
  });
}

void memory_entries(Exchange& exchange) {
  const auto limit = static_cast<std::size_t>(exchange.number("limit", 20, 1, 100));
  with_notes(exchange,
             [limit](Exchange& self, std::vector<MemoryNote> notes, const std::string& at) {
               if (notes.size() > limit) notes.resize(limit);
               std::vector<MemoryEntryView> out;
               for (const MemoryNote& note : notes) out.push_back(entry_of(note, at));
               self.json(to_json(out));
             });
}

/// Memory is searched by its words here, which needs no embeddings.
void test_embedding(Exchange& exchange) {
  EmbeddingTestView view;
  view.error =
      "The chat's memory is searched by words; no embedding provider is used (asked for: " +
      exchange.text("provider").value_or("none") + ")";
  exchange.json(to_json(view));
}

}  // namespace gantry::chat_cortask
