// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <thread>

namespace gantry::atspi::testing {
namespace {

template <class T>
using Reply = std::unique_ptr<T, decltype(&std::free)>;

template <class T>
Reply<T> own(T* reply) {
  return {reply, &std::free};
}

class Display {
 public:
  Display() : connection_(xcb_connect(nullptr, nullptr)) {}
  ~Display() { xcb_disconnect(connection_); }
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  xcb_connection_t* get() const { return connection_; }
  xcb_window_t root() const {
    return xcb_setup_roots_iterator(xcb_get_setup(connection_)).data->root;
  }
  std::string property(xcb_window_t window, const char* name) const {
    const auto atom = own(xcb_intern_atom_reply(
        connection_,
        xcb_intern_atom(connection_, 1, static_cast<std::uint16_t>(std::strlen(name)), name),
        nullptr));
    if (!atom) return {};
    const auto reply = own(xcb_get_property_reply(
        connection_, xcb_get_property(connection_, 0, window, atom->atom, XCB_ATOM_ANY, 0, 4096),
        nullptr));
    if (!reply) return {};
    return {static_cast<const char*>(xcb_get_property_value(reply.get())),
            static_cast<std::size_t>(xcb_get_property_value_length(reply.get()))};
  }

 private:
  xcb_connection_t* connection_;
};

template <class Number>
Number number_of(const std::string& bytes) {
  Number number = 0;
  if (bytes.size() >= sizeof number) std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

std::optional<WindowHint> describe(const Display& display, xcb_window_t window, pid_t pid,
                                   const std::string& title) {
  if (number_of<std::uint32_t>(display.property(window, "_NET_WM_PID")) !=
      static_cast<std::uint32_t>(pid)) {
    return std::nullopt;
  }
  WindowHint hint;
  hint.title = display.property(window, "_NET_WM_NAME");
  if (!title.empty() && hint.title.find(title) == std::string::npos) return std::nullopt;
  const auto geometry =
      own(xcb_get_geometry_reply(display.get(), xcb_get_geometry(display.get(), window), nullptr));
  const auto place = own(xcb_translate_coordinates_reply(
      display.get(), xcb_translate_coordinates(display.get(), window, display.root(), 0, 0),
      nullptr));
  if (!geometry || !place) return std::nullopt;
  hint.handle = std::to_string(window);
  hint.pid = static_cast<std::uint32_t>(pid);
  hint.bounds = Bounds{place->dst_x, place->dst_y, geometry->width, geometry->height};
  return hint;
}

/// Desktop tests wait for programs of other people; there is nothing to be notified by.
template <class Look>
auto await(int seconds, Look look) -> decltype(look()) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (;;) {
    auto seen = look();
    if (seen || std::chrono::steady_clock::now() >= until) return seen;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
}

}  // namespace

Program::Program(std::vector<std::string> command) {
  pid_ = fork();
  if (pid_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

Program::~Program() {
  if (pid_ <= 0) return;
  signal(SIGCONT);
  signal(SIGTERM);
  if (!await(3, [this] { return waitpid(pid_, nullptr, WNOHANG) != 0; })) {
    signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

bool Program::running() const { return ::kill(pid_, 0) == 0; }

void Program::signal(int number) const { ::kill(-pid_, number); }

std::optional<WindowHint> Program::window(const std::string& title, int seconds) const {
  const Display display;
  return await(seconds, [&]() -> std::optional<WindowHint> {
    const std::string list = display.property(display.root(), "_NET_CLIENT_LIST");
    for (std::size_t i = 0; i + 4 <= list.size(); i += 4) {
      auto hint = describe(display, number_of<std::uint32_t>(list.substr(i, 4)), pid_, title);
      if (hint) return hint;
    }
    return std::nullopt;
  });
}

void move_window(const WindowHint& hint, int x, int y) {
  const Display display;
  const auto window = static_cast<xcb_window_t>(std::stoul(hint.handle));
  const std::uint32_t values[] = {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)};
  xcb_configure_window(display.get(), window, XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y, values);
  xcb_flush(display.get());
  await(5, [&] {
    const auto now = describe(display, window, static_cast<pid_t>(hint.pid), "");
    return now && now->bounds->x != hint.bounds->x;
  });
}

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string candidate = folder;
    candidate.append("/").append(name);
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

}  // namespace gantry::atspi::testing
