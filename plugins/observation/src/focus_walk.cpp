// SPDX-License-Identifier: Apache-2.0
#include "focus_walk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "act_roles.hpp"
#include "hands.hpp"
#include "tools.hpp"

namespace gantry::observation {
namespace {

/// Whether two acts are aimed at the same element of the same window.
bool same_aim(const Act& a, const Act& b) {
  if (a.window.info.uid != b.window.info.uid) return false;
  const Node* const x = a.element.node;
  const Node* const y = b.element.node;
  if (x == nullptr || y == nullptr) return x == y;
  return x->id == y->id && x->role == y->role && x->true_name() == y->true_name();
}

/// Asks the guard about what has the focus now, when that is something else than `judged`.
Task<Outcome<bool>> follow_focus(Act& judged) {
  (void)co_await let_settle(judged);
  Act now = new_act(judged.engine, judged.call);
  const Outcome<bool> aimed = co_await aim_at_focus(now);
  if (!aimed.ok()) co_return aimed.failure();
  if (same_aim(judged, now)) co_return true;
  std::vector<GateTarget> targets = gate_targets(now, std::nullopt);
  co_return co_await admit_targets(judged.engine, judged.call, std::move(targets));
}

Failure on_the_way(Failure why, std::size_t sent, std::size_t all) {
  why.message = fmt::format("{} ({} of {} parts had been sent)", why.message, sent, all);
  return why;
}

}  // namespace

Pieces chords_of(std::string_view keys) {
  Pieces out{std::string(keys), {}, {}};
  while (!keys.empty()) {
    const std::string_view chord = keys.substr(0, keys.find(' '));
    if (!chord.empty()) out.parts.emplace_back(chord);
    keys.remove_prefix(std::min(keys.size(), chord.size() + 1));
  }
  return out;
}

Pieces pieces_of(std::string_view text, const Node* element) {
  const bool lines = element != nullptr && has_lines(*element);
  const std::string_view keys = lines ? "\t" : "\t\n\r";
  Pieces out{std::string(text), {}, std::string(text.substr(0, text.find_first_of(keys)))};
  while (!text.empty()) {
    const std::size_t key = text.find_first_of(keys);
    const std::string_view piece =
        text.substr(0, key == std::string_view::npos ? text.size() : key + 1);
    out.parts.emplace_back(piece);
    text.remove_prefix(piece.size());
  }
  return out;
}

SendPiece key_sender(Engine& engine, ActIntent intent) {
  return [&engine, intent = std::move(intent)](std::string keys) {
    KeyRequest request;
    request.keys = std::move(keys);
    request.intent = intent;
    return engine.desktop.key(std::move(request));
  };
}

SendPiece text_sender(Engine& engine, ActIntent intent) {
  return [&engine, intent = std::move(intent)](std::string text) {
    TextRequest request;
    request.text = std::move(text);
    request.intent = intent;
    return engine.desktop.type(std::move(request));
  };
}

Task<Outcome<Sent>> send_pieces(Act& act, Pieces pieces, SendPiece send) {
  std::vector<std::string> parts = std::move(pieces.parts);
  const bool judged = act.engine.redaction.rules().judges_targets;
  if (!judged || parts.size() < 2) parts = {std::move(pieces.whole)};
  Sent sent;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      const Outcome<bool> allowed = co_await follow_focus(act);
      if (!allowed.ok()) co_return on_the_way(allowed.failure(), i, parts.size());
      act.pulse = act.engine.pulse.serial();
    }
    const Answer<InputReceipt> answer = co_await send(std::move(parts[i]));
    Outcome<Deed> deed = delivered(answer);
    if (!deed.ok() && i > 0) co_return on_the_way(deed.failure(), i, parts.size());
    if (!deed.ok()) co_return deed.failure();
    sent = {std::move(*deed), (*answer)->window};
  }
  co_return sent;
}

}  // namespace gantry::observation
