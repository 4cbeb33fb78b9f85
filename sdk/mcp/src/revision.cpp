// SPDX-License-Identifier: Apache-2.0
#include <gantry/mcp/revision.hpp>

#include <gantry/mcp/json_text.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace gantry::mcp {
namespace {

constexpr std::array<Revision, 5> make_revisions() {
  std::array<Revision, 5> rows{};
  rows[0].name = "2024-11-05";
  rows[0].indented = true;

  rows[1].name = "2025-03-26";
  rows[1].batches = true;
  rows[1].annotations = true;

  rows[2].name = "2025-06-18";
  rows[2].annotations = true;
  rows[2].structured = true;

  rows[3] = rows[2];
  rows[3].name = "2025-11-25";
  rows[3].id_optional = true;
  rows[3].priming = true;
  rows[3].elicit_modes = true;

  rows[4] = rows[3];
  rows[4].name = "2026-07-28";
  rows[4].stateless = true;
  rows[4].priming = false;
  rows[4].missing_resource = kInvalidParams;
  return rows;
}

constexpr std::array<Revision, 5> kRevisions = make_revisions();
constexpr std::size_t kAssumed = 1;
constexpr std::size_t kNewestWithSessions = 3;

}  // namespace

std::span<const Revision> revisions() { return kRevisions; }

const Revision* find_revision(std::string_view name) {
  const auto* const found =
      std::find_if(kRevisions.begin(), kRevisions.end(),
                   [name](const Revision& revision) { return revision.name == name; });
  return found == kRevisions.end() ? nullptr : found;
}

const Revision& negotiate(std::string_view wanted) {
  const Revision* found = find_revision(wanted);
  return found != nullptr && !found->stateless ? *found : kRevisions[kNewestWithSessions];
}

const Revision& assumed_revision() { return kRevisions[kAssumed]; }

const Revision& newest_revision() { return kRevisions.back(); }

const std::string& revision_names_json() {
  static const std::string kNames = [] {
    ArrayText names;
    for (auto row = kRevisions.rbegin(); row != kRevisions.rend(); ++row) names.add(row->name);
    return names.text();
  }();
  return kNames;
}

}  // namespace gantry::mcp
