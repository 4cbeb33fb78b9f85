// SPDX-License-Identifier: Apache-2.0
#include "cli/microphone.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace gantry::cli {
namespace {

constexpr std::size_t kTenth = 1600;  // samples
constexpr std::size_t kLongestComplaint = 2000;
constexpr const char* kMicrophoneCure =
    "connect a microphone and install alsa-utils or pulseaudio-utils, or name a WAVE file";

constexpr std::array kParec{"parec",        "--raw",        "--format=s16le",
                            "--rate=16000", "--channels=1", "--latency-msec=50"};
constexpr std::array kArecord{"arecord", "-q", "-t",    "raw", "-f",
                              "S16_LE",  "-r", "16000", "-c",  "1"};

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) ends[0] = ends[1] = -1;
  }
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) ::close(end);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  [[nodiscard]] int take() { return std::exchange(ends[0], -1); }
};

/// Starts a program that is found in the PATH; 0 when there is none.
template <std::size_t n>
pid_t start(const std::array<const char*, n>& words, const Pipe& sound, const Pipe& complaints) {
  std::vector<char*> arguments;
  for (const char* word : words) arguments.push_back(const_cast<char*>(word));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files{};
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, sound.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, complaints.ends[1], STDERR_FILENO);
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int refused =
      posix_spawnp(&child, words[0], &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return refused == 0 ? child : 0;
}

}  // namespace

Result<Microphone> Microphone::open() {
  Pipe sound;
  Pipe complaints;
  if (sound.ends[0] < 0 || complaints.ends[0] < 0) return unavailable("no pipe can be made");
  std::string program = kParec[0];
  pid_t child = start(kParec, sound, complaints);
  if (child == 0) {
    program = kArecord[0];
    child = start(kArecord, sound, complaints);
  }
  if (child == 0) return unavailable("neither parec nor arecord is installed", kMicrophoneCure);
  return Microphone(std::move(program), child, sound.take(), complaints.take());
}

Microphone::~Microphone() {
  if (child_ > 0) {
    ::kill(child_, SIGTERM);
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  for (const int end : {sound_, words_}) {
    if (end >= 0) ::close(end);
  }
}

Result<std::vector<std::int16_t>> Microphone::read() {
  std::vector<std::int16_t> out(kTenth);
  std::size_t got = 0;
  while (got < kTenth * 2) {
    const ssize_t count =
        ::read(sound_, reinterpret_cast<char*>(out.data()) + got, kTenth * 2 - got);
    if (count < 0 && errno == EINTR) return std::vector<std::int16_t>{};
    if (count <= 0)
      return unavailable("the microphone cannot be heard: " + complaint(), kMicrophoneCure);
    got += static_cast<std::size_t>(count);
  }
  return out;
}

std::string Microphone::complaint() {
  std::string said;
  char piece[512];
  ssize_t count = 0;
  while (said.size() < kLongestComplaint && (count = ::read(words_, piece, sizeof piece)) > 0) {
    said.append(piece, static_cast<std::size_t>(count));
  }
  std::replace(said.begin(), said.end(), '\n', ' ');
  while (said.ends_with(' ')) said.pop_back();
  return said.empty() ? program_ + " ended without a word" : said;
}

}  // namespace gantry::cli
