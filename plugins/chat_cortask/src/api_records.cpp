// SPDX-License-Identifier: Apache-2.0
// Templates, credentials, usage and artifacts.
#include <gantry/contract.hpp>
#include <gantry/iso_time.hpp>
#include <gantry/uuid.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "api_wire.hpp"
#include "artifact_shelf.hpp"
#include "records.hpp"
#include "routes.hpp"
#include "workspaces.hpp"

namespace gantry::chat_cortask {
namespace {

constexpr const char* kUsualCategory = "General";
constexpr const char* kHidden = "********";  // instead of a credential's value
constexpr std::size_t kLongestKey = 200;

std::int64_t now_ms(Exchange& exchange) { return exchange.host().wall_ns() / 1'000'000; }

ArtifactView artifact_view(const MadeArtifact& made) {
  return {made.id,      made.type,      made.title,
          std::nullopt, made.mime_type, iso_time_of(made.created_ms)};
}

void by_age(std::vector<PromptTemplate>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.createdAt < b.createdAt; });
}

}  // namespace

void list_templates(Exchange& exchange) {
  std::vector<PromptTemplate> out;
  for (const auto& [id, row] : exchange.services().records.templates.rows()) out.push_back(row);
  by_age(out);
  exchange.json(to_json(out));
}

void create_template(Exchange& exchange) {
  const auto name = exchange.text("name");
  const auto content = exchange.text("content");
  if (!name || !content || name->empty()) {
    return exchange.error(400, "name and content are required");
  }
  Records& records = exchange.services().records;
  PromptTemplate row;
  row.id = random_uuid();
  row.name = *name;
  row.content = *content;
  row.category = exchange.text("category").value_or(kUsualCategory);
  row.createdAt = row.updatedAt = records.now_text();
  records.templates.put(row.id, row,
                        [self = exchange.shared_from_this(), row](const Result<void>& kept) {
                          if (!kept.ok()) return self->fail(kept.error());
                          self->json(to_json(row), 201);
                        });
}

void change_template(Exchange& exchange) {
  Records& records = exchange.services().records;
  const PromptTemplate* found = records.templates.find(exchange.parameters[0]);
  if (found == nullptr) return exchange.error(404, "Template not found");
  PromptTemplate row = *found;
  row.name = exchange.text("name").value_or(row.name);
  row.content = exchange.text("content").value_or(row.content);
  row.category = exchange.text("category").value_or(row.category);
  row.updatedAt = records.now_text();
  records.templates.put(row.id, row, exchange.then_json(to_json(row)));
}

void delete_template(Exchange& exchange) {
  exchange.services().records.templates.erase(exchange.parameters[0], exchange.then_json(""));
}

void list_credentials(Exchange& exchange) {
  exchange.json(to_json(exchange.services().records.credential_names()));
}

void put_credential(Exchange& exchange) {
  const auto key = exchange.text("key");
  const auto value = exchange.text("value");
  if (!key || !value || key->empty() || key->size() > kLongestKey) {
    return exchange.error(400, "key and value are required");
  }
  // A page that sends back what it was shown has changed nothing.
  const auto answer = [self = exchange.shared_from_this(), key = *key](const Result<void>& kept) {
    if (!kept.ok()) return self->fail(kept.error());
    self->json(to_json(CredentialView{key, std::nullopt}), 201);
  };
  if (*value == kHidden) return answer({});
  exchange.services().records.set_credential(*key, *value, answer);
}

/// Whether there is one; its value is shown to nobody.
void read_credential(Exchange& exchange) {
  const std::string& key = exchange.parameters[0];
  if (!exchange.services().records.has_credential(key)) {
    return exchange.error(404, "Key not found");
  }
  exchange.json(to_json(CredentialView{key, kHidden}));
}

void delete_credential(Exchange& exchange) {
  exchange.services().records.erase_credential(exchange.parameters[0], exchange.then_json(""));
}

void show_usage(Exchange& exchange) {
  const std::string period = exchange.query("period").value_or("monthly");
  if (!is_period(period)) {
    return exchange.error(400, "period must be daily, weekly, or monthly");
  }
  const UsageDay used = exchange.services().records.used(period);
  exchange.json(
      to_json(UsageView{used.input, used.output, used.input + used.output, used.cost, used.runs}));
}

void usage_history(Exchange& exchange) {
  const auto days = static_cast<std::size_t>(exchange.number("days", 30, 1, 366));
  std::vector<UsageRow> out;
  for (const auto& [date, used] : exchange.services().records.usage.rows()) {
    out.push_back({date, used.input + used.output, used.cost});
  }
  if (out.size() > days) out.erase(out.begin(), out.end() - static_cast<std::ptrdiff_t>(days));
  exchange.json(to_json(out));
}

void list_artifacts(Exchange& exchange) {
  std::vector<ArtifactView> out;
  for (const MadeArtifact& row : exchange.services().artifacts.all(now_ms(exchange))) {
    out.push_back(artifact_view(row));
  }
  exchange.json(to_json(out));
}

/// With `?raw` as what it is, without the rights of this server's own pages.
void read_artifact(Exchange& exchange) {
  const MadeArtifact* found =
      exchange.services().artifacts.find(exchange.parameters[0], now_ms(exchange));
  if (found == nullptr) return exchange.error(404, "Artifact not found or expired");
  if (exchange.query("raw")) {
    HttpResponse response;
    response.content_type = found->mime_type;
    response.headers.push_back({"content-security-policy", "sandbox allow-scripts"});
    response.body = Buffer::copy(found->content);
    return exchange.answer(std::move(response));
  }
  ArtifactView view = artifact_view(*found);
  view.content = found->content;
  exchange.json(to_json(view));
}

}  // namespace gantry::chat_cortask
