// SPDX-License-Identifier: Apache-2.0
// open_app: finds the application, asks the guard, has it started, and tells what was seen of it.
#include <gantry/llm/json.hpp>

#include <algorithm>
#include <chrono>

#include "app_match.hpp"
#include "app_watch.hpp"
#include "guarded_deed.hpp"
#include "tools.hpp"

namespace gantry::desk {
namespace {

namespace json = boost::json;
using llm::jsv;
using observed::Window;

constexpr auto kPatience = std::chrono::seconds(20);
constexpr std::int64_t kLook = 250;  // ms between two looks, when nothing says that it is time
constexpr std::int64_t kHandOver = 5'000;  // ms for the instance that runs already
constexpr std::int64_t kFocus = 1'500;     // ms until a new window has the keyboard by itself
constexpr double kLongestWait = 60;        // s

/// What is to be started.
struct Plan {
  LaunchAppRequest request;
  std::string name;  // for people
  std::string how;   // why this one
  std::string app_program;
};

json::array candidates_json(const AppChoice& choice) {
  json::array out;
  for (const AppInfo* app : choice.candidates) {
    out.push_back(json::object{{"name", app->name}, {"command", app->id}});
  }
  return out;
}

/// Says what was asked, what was found, and what to do next.
ToolResult not_clear(const std::string& asked, const AppChoice& choice) {
  std::string message = "'" + asked + "': " + choice.problem;
  for (const AppInfo* app : choice.candidates) {
    message += (app == choice.candidates.front() ? ": " : ", ") + app->name + " (" + app->id + ')';
  }
  if (choice.candidates.empty() && asked.find(' ') != std::string::npos) {
    message += "; an application is opened by its name alone, without arguments";
  }
  json::object context{{"asked", asked}};
  if (!choice.candidates.empty()) context["candidates"] = candidates_json(choice);
  return failed(choice.candidates.empty() ? "AppNotFound" : "AmbiguousApp", message,
                std::move(context));
}

Plan plan_of(const AppChoice& choice) {
  Plan plan;
  plan.how = choice.how;
  if (choice.app != nullptr) {
    plan.request.id = choice.app->id;
    plan.name = choice.app->name;
    plan.app_program = choice.app->program;
  } else {
    plan.request.program = plan.name = plan.app_program = choice.program;
  }
  return plan;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

const AppEndedEvent* end_of(const Run& run, std::int64_t pid) {
  const auto& ended = run.desk().ended;
  const auto found = std::find_if(ended.rbegin(), ended.rend(),
                                  [pid](const AppEndedEvent& one) { return one.pid == pid; });
  return found == ended.rend() ? nullptr : &*found;
}

std::string words_of(const AppEndedEvent& end) {
  return end.exit_code ? "ended with status " + std::to_string(*end.exit_code)
                       : "was ended by signal " + std::to_string(end.signal);
}

bool handed_over(const AppEndedEvent* end) { return end != nullptr && end->exit_code == 0; }

/// One application on its way, from the start to what was seen.
class Opening {
 public:
  Opening(Run& run, Plan plan) : run_(run), plan_(std::move(plan)) {}

  Task<ToolResult> start() {
    const bool looked = co_await look();
    if (!looked) co_return failed(seen_);
    launch_.before = windows_;
    LaunchAppRequest request = plan_.request;
    CallOptions options;
    options.timeout = kPatience;
    const auto launched = co_await run_.call<LaunchApp>(std::move(request), std::move(options));
    if (!launched.ok()) {
      co_return failed(code_name(launched.error().code), launched.error().message);
    }
    launch_.pid = (*launched)->pid;
    launch_.program = file_name((*launched)->program);
    launch_.app_program = plan_.app_program;
    route_ = "launch:" + (*launched)->program;
    run_.progress("started " + plan_.name + ", waiting for its window");
    co_return co_await watch();
  }

 private:
  Task<bool> look() {
    std::string tool = "list_windows";
    json::object none;
    seen_ = co_await run_.observe(std::move(tool), std::move(none));
    if (seen_.ok) windows_ = observed::read_windows(seen_.text);
    co_return seen_.ok;
  }

  [[nodiscard]] std::int64_t longest_wait() const {
    const auto asked = run_.arguments.number("wait_seconds");
    return asked ? static_cast<std::int64_t>(*asked * 1000) : run_.settings().open_app.wait;
  }

  /// Looks until there is a window, or no hope for one.
  Task<ToolResult> watch() {
    std::int64_t until = run_.now_ms() + longest_wait();
    bool shortened = false;
    for (;;) {
      if (run_.cancelled()) co_return failed("Cancelled", "the caller gave up");
      const AppEndedEvent* const end = end_of(run_, launch_.pid);
      const bool over = handed_over(end);
      const bool looked = co_await look();
      if (!looked) co_return started("its windows cannot be seen: " + seen_.message);
      const Sighting sighting = look_for(launch_, windows_, over);
      if (sighting.window != nullptr) {
        const Window window = *sighting.window;
        std::optional<ToolResult> there = co_await in_front(window, sighting.opened);
        if (there) co_return std::move(*there);
        launch_.before.push_back(window);  // a splash, or of a process that handed over
        continue;
      }
      if (end != nullptr && !over) co_return broke(*end);
      if (over && !std::exchange(shortened, true)) {
        until = std::min(until, run_.now_ms() + kHandOver);
      }
      if (run_.now_ms() >= until) co_return started(no_window(sighting, over));
      (void)co_await run_.pause(kLook);
    }
  }

  /// Its window takes the keyboard by itself; where it does not it is brought to the front.
  /// Nothing: the window has gone again.
  Task<std::optional<ToolResult>> in_front(Window window, bool opened) {
    const std::int64_t until = run_.now_ms() + kFocus;
    while (!window.focused && run_.now_ms() < until && !run_.cancelled()) {
      (void)co_await run_.pause(kLook);
      const bool there = co_await still_there(window);
      if (!there) co_return std::nullopt;
    }
    json::object out = answer("confirmed");
    out["evidence"] = desk::words_of(window) + (opened ? " opened" : " was there already");
    if (!window.focused) {
      json::object which{{"window_uid", window.uid}};
      std::string raise = "bring_to_foreground";
      const Seen raised = co_await run_.observe(std::move(raise), std::move(which));
      if (!raised.ok) out["warning"] = "it could not be brought to the front: " + raised.message;
    }
    json::object idle{{"window_uid", window.uid}, {"quiet_ms", 200}, {"timeout_ms", 2000}};
    std::string settle = "wait_idle";
    // Whoever types next finds it drawn; one that never rests is left alone.
    (void)co_await run_.observe(std::move(settle), std::move(idle));
    const bool there = co_await still_there(window);
    if (!there) co_return std::nullopt;
    out["window"] = json::object{
        {"window_uid", window.uid}, {"title", window.title}, {"focused", window.focused}};
    co_return done(std::move(out));
  }

  /// Looks again; also true when nothing could be seen.
  Task<bool> still_there(Window& window) {
    const bool looked = co_await look();
    if (!looked) co_return true;
    const auto now = std::find_if(windows_.begin(), windows_.end(),
                                  [&](const Window& one) { return one.uid == window.uid; });
    if (now != windows_.end()) window = *now;
    co_return now != windows_.end();
  }

  [[nodiscard]] json::object answer(std::string_view effect) const {
    json::object out{{"action", "open_app"}, {"application", plan_.name}};
    if (!plan_.request.id.empty()) out["id"] = plan_.request.id;
    if (!plan_.how.empty()) out["chosen_because"] = plan_.how;
    out["effect"] = jsv(effect);
    out["route"] = route_;
    return out;
  }

  [[nodiscard]] ToolResult started(const std::string& note) const {
    json::object out = answer("unverified");
    out["note"] = note;
    return done(std::move(out));
  }

  [[nodiscard]] std::string no_window(const Sighting& sighting, bool over) const {
    std::string note = over ? "it ended at once with status 0, as programs do that hand over to an "
                              "instance that runs, and no window of it opened"
                            : "it runs as process " + std::to_string(launch_.pid) +
                                  ", and no window of it was seen yet";
    if (sighting.other != nullptr) note += "; meanwhile opened " + desk::words_of(*sighting.other);
    return note;
  }

  [[nodiscard]] ToolResult broke(const AppEndedEvent& end) const {
    return failed("AppEnded", plan_.name + " was started and " + words_of(end) +
                                  " before any window of it was seen");
  }

  Run& run_;
  Plan plan_;
  Launch launch_;
  Seen seen_;
  std::vector<Window> windows_;
  std::string route_;
};

Task<ToolResult> open_guarded(Run& run, Plan plan, std::string asked) {
  Deed what;
  what.tool = "open_app";
  what.role = "Application";
  what.name = plan.name;
  what.id = plan.request.id.empty() ? "program:" + plan.request.program : plan.request.id;
  what.arguments = Json(codec::serialize(json::object{{"command", asked}, {"opens", what.id}}));
  GuardedDeed deed(run, std::move(what));
  const std::optional<ToolResult> refused = co_await deed.admit();
  if (refused) co_return *refused;
  Opening opening(run, std::move(plan));
  ToolResult result = co_await opening.start();
  const bool ok = !result.is_error;
  deed.settle(ok, ok ? "" : "AppNotOpened", ok ? std::optional(true) : std::nullopt);
  co_return result;
}

Task<ToolResult> open_app(Run& run) {
  std::string asked(observed::trim(run.arguments.text("command")));
  if (asked.empty()) co_return failed("BadRequest", "command must name an application");
  ListAppsRequest question = question_for(asked);
  CallOptions options;
  options.timeout = kPatience;
  const auto list = co_await run.call<ListApps>(std::move(question), std::move(options));
  if (!list.ok()) co_return failed(code_name(list.error().code), list.error().message);
  const AppChoice choice = choose_app(asked, **list, run.settings().open_app.programs);
  if (choice.app == nullptr && choice.program.empty()) co_return not_clear(asked, choice);
  Plan plan = plan_of(choice);
  co_return co_await open_guarded(run, std::move(plan), std::move(asked));
}

constexpr Parameter kOpenApp[] = {
    {"command", Kind::Text,
     "The application: its name, the name of its executable, or a kind such as editor, web "
     "browser, "
     "file manager, terminal, calculator. No arguments.",
     true},
    {"wait_seconds",
     Kind::Number,
     "Longest wait for its window; open_app.wait of the configuration when not given.",
     false,
     {},
     0,
     kLongestWait},
    kExplanation,
};

constexpr Tool kAppTools[] = {
    {"open_app", "Open an application",
     "Starts an application and waits until its window is there. A name that may mean several is "
     "refused with the candidates. effect says whether a window was seen.",
     kOpenApp, open_app, false, false, false, true, true},
};

}  // namespace

std::span<const Tool> app_tools() { return kAppTools; }

}  // namespace gantry::desk
