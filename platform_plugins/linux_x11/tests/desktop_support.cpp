// SPDX-License-Identifier: Apache-2.0
#include "desktop_support.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>

extern char** environ;

namespace gantry::x11::testing {

namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

bool same_name(const std::string& a, const std::string& b) {
  return a.substr(0, a.find('=')) == b.substr(0, b.find('='));
}

xcb_atom_t intern(xcb_connection_t* xcb, const std::string& name) {
  const auto reply = fetch_or_null<xcb_intern_atom_reply>(
      xcb, xcb_intern_atom(xcb, 0, static_cast<std::uint16_t>(name.size()), name.data()));
  return reply ? reply->atom : xcb_atom_t{XCB_NONE};
}

/// One client for all windows of a display. A client each would get the numbers of the last one,
/// and a window manager that is still busy with a dead window would take the new one for it.
xcb_connection_t* client_of(const std::string& display) {
  struct Disconnect {
    void operator()(xcb_connection_t* xcb) const { xcb_disconnect(xcb); }
  };
  static std::map<std::string, std::unique_ptr<xcb_connection_t, Disconnect>> clients;
  auto& client = clients[display];
  // A question shows whether the server that this client knows still runs.
  if (!client ||
      !fetch_or_null<xcb_get_input_focus_reply>(client.get(), xcb_get_input_focus(client.get()))) {
    client.reset(xcb_connect(display.empty() ? nullptr : display.c_str(), nullptr));
  }
  return client.get();
}

}  // namespace

Process::Process(const std::vector<std::string>& command,
                 const std::vector<std::string>& environment) {
  std::vector<std::string> variables = environment;
  for (char** v = environ; *v != nullptr; ++v) {
    const bool replaced = std::any_of(environment.begin(), environment.end(),
                                      [&](const std::string& e) { return same_name(e, *v); });
    if (!replaced) variables.emplace_back(*v);
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (posix_spawnp(&pid_, command[0].c_str(), &actions, nullptr, pointers(command).data(),
                   pointers(variables).data()) != 0) {
    pid_ = -1;
  }
  posix_spawn_file_actions_destroy(&actions);
}

void Process::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void Process::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

Xvfb::Xvfb() {
  int ends[2];
  if (pipe(ends) != 0) return;
  process_ = Process({"Xvfb", "-displayfd", std::to_string(ends[1]), "-screen", "0", "1280x720x24",
                      "-nolisten", "tcp"});
  close(ends[1]);
  pollfd readable{ends[0], POLLIN, 0};
  char text[16] = {};
  if (poll(&readable, 1, 20000) == 1 && read(ends[0], text, sizeof text - 1) > 0)
    number_ = std::atoi(text);
  close(ends[0]);
}

void Xvfb::restart() {
  process_ = Process({"Xvfb", display(), "-screen", "0", "1280x720x24", "-nolisten", "tcp"});
}

TestWindow::TestWindow(const Options& o, const std::string& display) : xcb_(client_of(display)) {
  const xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(xcb_)).data;
  root_ = screen->root;
  id_ = xcb_generate_id(xcb_);
  const std::uint32_t values[] = {o.colour, o.override_redirect ? 1U : 0U,
                                  XCB_EVENT_MASK_KEY_PRESS | XCB_EVENT_MASK_KEY_RELEASE |
                                      XCB_EVENT_MASK_BUTTON_PRESS | XCB_EVENT_MASK_BUTTON_RELEASE |
                                      XCB_EVENT_MASK_POINTER_MOTION |
                                      XCB_EVENT_MASK_PROPERTY_CHANGE};
  xcb_create_window(xcb_, XCB_COPY_FROM_PARENT, id_, root_, static_cast<std::int16_t>(o.bounds.x),
                    static_cast<std::int16_t>(o.bounds.y),
                    static_cast<std::uint16_t>(o.bounds.width),
                    static_cast<std::uint16_t>(o.bounds.height), 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                    XCB_COPY_FROM_PARENT,
                    XCB_CW_BACK_PIXEL | XCB_CW_OVERRIDE_REDIRECT | XCB_CW_EVENT_MASK, values);
  // ICCCM: program-specified position, so that managers keep it.
  const std::uint32_t hints[18] = {1U | 4U, static_cast<std::uint32_t>(o.bounds.x),
                                   static_cast<std::uint32_t>(o.bounds.y)};
  xcb_change_property(xcb_, XCB_PROP_MODE_REPLACE, id_, XCB_ATOM_WM_NORMAL_HINTS,
                      XCB_ATOM_WM_SIZE_HINTS, 32, 18, hints);
  const std::uint32_t pid = static_cast<std::uint32_t>(getpid());
  xcb_change_property(xcb_, XCB_PROP_MODE_REPLACE, id_, intern(xcb_, "_NET_WM_PID"),
                      XCB_ATOM_CARDINAL, 32, 1, &pid);
  const std::string app("test-instance\0TestClass\0", 24);
  xcb_change_property(xcb_, XCB_PROP_MODE_REPLACE, id_, XCB_ATOM_WM_CLASS, XCB_ATOM_STRING, 8,
                      static_cast<std::uint32_t>(app.size()), app.data());
  set_title(o.title);
  xcb_map_window(xcb_, id_);
  xcb_flush(xcb_);
}

TestWindow::~TestWindow() {
  xcb_destroy_window(xcb_, id_);
  xcb_flush(xcb_);
}

void TestWindow::set_title(const std::string& utf8) const {
  xcb_change_property(xcb_, XCB_PROP_MODE_REPLACE, id_, intern(xcb_, "_NET_WM_NAME"),
                      intern(xcb_, "UTF8_STRING"), 8, static_cast<std::uint32_t>(utf8.size()),
                      utf8.data());
  xcb_flush(xcb_);
}

void TestWindow::minimise() const {
  xcb_client_message_event_t message{};
  message.response_type = XCB_CLIENT_MESSAGE;
  message.format = 32;
  message.window = id_;
  message.type = intern(xcb_, "WM_CHANGE_STATE");
  message.data.data32[0] = 3;  // IconicState
  xcb_send_event(xcb_, 0, root_,
                 XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY,
                 reinterpret_cast<const char*>(&message));
  xcb_flush(xcb_);
}

void TestWindow::unmap() const {
  xcb_unmap_window(xcb_, id_);
  xcb_flush(xcb_);
}

void TestWindow::fill(std::uint32_t colour) const {
  xcb_change_window_attributes(xcb_, id_, XCB_CW_BACK_PIXEL, &colour);
  xcb_clear_area(xcb_, 0, id_, 0, 0, 0, 0);
  xcb_flush(xcb_);
}

void TestWindow::move(const Rect& b) const {
  const std::uint32_t values[] = {static_cast<std::uint32_t>(b.x), static_cast<std::uint32_t>(b.y),
                                  static_cast<std::uint32_t>(b.width),
                                  static_cast<std::uint32_t>(b.height)};
  xcb_configure_window(xcb_, id_,
                       XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y | XCB_CONFIG_WINDOW_WIDTH |
                           XCB_CONFIG_WINDOW_HEIGHT,
                       values);
  xcb_flush(xcb_);
}

std::vector<xcb_generic_event_t> TestWindow::events() const {
  std::vector<xcb_generic_event_t> out;
  // Key, button and motion events share their layout; the others are not asked for.
  const auto window_of = [](const xcb_generic_event_t& event) {
    return reinterpret_cast<const xcb_button_press_event_t&>(event).event;
  };
  while (const Owned<xcb_generic_event_t> event{xcb_poll_for_event(xcb_)}) {
    if (window_of(*event) == id_) out.push_back(*event);
  }
  return out;
}

bool manager_answers() {
  static const bool answers = [] {
    const TestWindow probe({{0, 0, 10, 10}, 0, "probe", true});
    probe.unmap();
    xcb_client_message_event_t message{};
    message.response_type = XCB_CLIENT_MESSAGE;
    message.format = 32;
    message.window = probe.id();
    message.type = intern(probe.xcb(), "_NET_REQUEST_FRAME_EXTENTS");
    const xcb_atom_t answer = intern(probe.xcb(), "_NET_FRAME_EXTENTS");
    const xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(probe.xcb())).data->root;
    return eventually([&] {
      xcb_send_event(probe.xcb(), 0, root,
                     XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY,
                     reinterpret_cast<const char*>(&message));
      const auto reply = fetch_or_null<xcb_get_property_reply>(
          probe.xcb(),
          xcb_get_property(probe.xcb(), 0, probe.id(), answer, XCB_ATOM_CARDINAL, 0, 4));
      return reply && reply->value_len == 4;
    });
  }();
  return answers;
}

Window find_window(X11Connection& connection, xcb_window_t id) {
  const auto session = connection.session();
  if (!session) return {};
  const auto monitors = list_monitors(**session);
  if (!monitors) return {};
  const auto list = list_windows(**session, *monitors);
  if (!list) return {};
  for (const Window& window : list->windows) {
    if (window.id == id) return window;
  }
  return {};
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace gantry::x11::testing
