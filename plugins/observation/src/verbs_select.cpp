// SPDX-License-Identifier: Apache-2.0
// select_option: opens the element when its options cannot be acted on closed, and chooses one.
#include <algorithm>
#include <functional>

#include "act_roles.hpp"
#include "hands.hpp"
#include "options.hpp"
#include "verbs.hpp"

namespace gantry::observation {
namespace {

constexpr std::string_view kChoose = "enter";

/// Acts on another element of the same window for a while.
class Instead {
 public:
  Instead(Act& act, const Node& other) : act_(act), kept_(act.element.node), parts_(act.parts) {
    act.element.node = &other;
    act.parts = visible_parts(other.bounds, act.screen, act.covers);
  }
  Instead(const Instead&) = delete;
  Instead& operator=(const Instead&) = delete;
  ~Instead() {
    act_.element.node = kept_;
    act_.parts = parts_;
  }

 private:
  Act& act_;
  const Node* kept_;
  std::vector<Rect> parts_;
};

/// Clicks an option, by its own action when it has one.
Task<Outcome<Deed>> click_option(Act& act, const Node& option) {
  const std::shared_ptr<const Tree> kept = act.tree;  // holds `option`
  const Outcome<bool> allowed = co_await admit_option(act, option);
  if (!allowed.ok()) co_return allowed.failure();
  const Instead instead(act, option);
  NativeDetail detail;
  detail.action = click_action(option);
  if (!detail.action.empty()) {
    Outcome<std::optional<Deed>> native = co_await native_act(act, A11yVerb::Do, std::move(detail));
    if (!native.ok()) co_return native.failure();
    if (*native) co_return **native;
  }
  co_return co_await click_on(act, kLeftButton, 1);
}

Task<Outcome<Deed>> open_selector(Act& act) {
  NativeDetail detail;
  detail.action = click_action(act.node());
  if (!detail.action.empty()) {
    Outcome<std::optional<Deed>> native = co_await native_act(act, A11yVerb::Do, std::move(detail));
    if (!native.ok()) co_return native.failure();
    if (*native) co_return **native;
  }
  co_return co_await click_on(act, kLeftButton, 1);
}

/// Reads back which option the element shows.
Task<bool> confirm(Act& act, const std::string& name, Deed& deed) {
  if (name.empty()) co_return false;
  // Faster than looking, and with GTK 3 the only sign where the box has a name of its own.
  (void)co_await let_settle(act);
  const std::optional<std::string> child = co_await chosen_child(act);
  if (child == name) {
    deed.effect = Effect::Confirmed;
    deed.evidence = "the element says that the option is its chosen one";
    co_return true;
  }
  const std::function<bool(const Node&)> chosen = [&name](const Node& node) {
    if (node.value == name || node.name == name) return true;
    const Node* option = named_node(node, name, &node);
    return option != nullptr && option->selected == true;
  };
  const bool shown = co_await look_until(act, chosen);
  if (!shown) co_return false;
  deed.effect = Effect::Confirmed;
  deed.evidence = "the element shows the option as chosen";
  co_return true;
}

/// An open list takes the name of an option from the keyboard where its options cannot be clicked.
Task<Outcome<Deed>> type_choice(Act& act, const std::string& name) {
  std::string text = name;
  Outcome<Deed> typed = co_await send_text(act, std::move(text));
  if (!typed.ok()) co_return typed.failure();
  std::string keys(kChoose);
  co_return co_await send_keys(act, std::move(keys));
}

Task<Outcome<Deed>> choose(Act& act, WantedOption wanted) {
  const bool mock = act.engine.directory.is_mock();
  const Node* option = find_option(act, wanted);
  // Opening shows nothing new then, and is seen to be done only after a while.
  if (!mock && option == nullptr && lists_options(act.node())) co_return no_option(act, wanted);
  const bool closed_works = !mock && option != nullptr && !click_action(*option).empty();
  if (!closed_works) {
    const std::shared_ptr<const Tree> old = act.tree;
    const Outcome<Deed> opened = co_await open_selector(act);
    if (!opened.ok()) co_return opened.failure();
    std::shared_ptr<const Tree> before = old;
    (void)co_await wait_open(act, std::move(before));
    // The published program numbers the children that were there before it opened.
    const bool keep = mock && wanted.name.empty() && option != nullptr;
    if (!keep) {
      const bool there = co_await look_again(act);
      if (there && !mock && opened_list(act, *old) != nullptr) {
        co_return co_await choose_by_keyboard(act, std::move(wanted));
      }
      option = there ? find_option(act, wanted) : nullptr;
    }
    if (option == nullptr) {
      (void)co_await close_again(act);
      co_return no_option(act, wanted);
    }
  }
  const std::string name = option->name;
  const bool listens = act.node().focused || act.node().expanded == true;
  Outcome<Deed> deed = co_await click_option(act, *option);
  const bool hidden = !deed.ok() && deed.failure().fault == Fault::ElementOccluded;
  if (hidden && listens && !name.empty() && !mock) {
    Outcome<Deed> typed = co_await type_choice(act, name);
    if (!typed.ok()) co_return typed.failure();
    const bool chosen = co_await confirm(act, name, *typed);
    if (chosen) co_return typed;
  }
  if (!deed.ok()) {
    (void)co_await close_again(act);
    co_return deed.failure();
  }
  (void)co_await confirm(act, name, *deed);
  co_return deed;
}

}  // namespace

Task<Outcome<Deed>> choose_option(Act& act, std::string name, std::optional<std::int64_t> index) {
  WantedOption wanted{std::move(name), index};
  return choose(act, std::move(wanted));
}

Task<Outcome<Deed>> perform_select(Act& act) {
  const auto index = act.call.arguments.integer("option_index");
  if (!index.ok()) co_return index.failure();
  std::string name = act.call.arguments.text("option_name");
  co_return co_await choose_option(act, std::move(name), *index);
}

}  // namespace gantry::observation
