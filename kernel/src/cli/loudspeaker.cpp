// SPDX-License-Identifier: Apache-2.0
#include "cli/loudspeaker.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string_view>

#include "cli/cli.hpp"

namespace gantry::cli {
namespace {

constexpr const char* kLoudspeakerCure =
    "connect loudspeakers and install alsa-utils or pulseaudio-utils, or name a file with -o";

struct Player {
  std::string_view program;
  std::string_view arguments;  // the rate follows
};
constexpr std::array kPlayers{
    Player{"paplay", "--raw --format=s16le --channels=1 --rate="},
    Player{"aplay", "-q -t raw -f S16_LE -c 1 -r "},
};

bool is_installed(std::string_view program) {
  const std::string path = environment("PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string file = path.substr(begin, end - begin) + "/" + std::string(program);
    if (::access(file.c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

Result<Loudspeaker> Loudspeaker::open(int sample_rate) {
  for (const Player& player : kPlayers) {
    if (!is_installed(player.program)) continue;
    std::signal(SIGPIPE, SIG_IGN);  // its end shows in what writing answers
    const std::string command = "exec " + std::string(player.program) + " " +
                                std::string(player.arguments) + std::to_string(sample_rate) +
                                " 2>/dev/null";
    std::FILE* pipe = ::popen(command.c_str(), "we");  // nothing in it is anybody's text
    if (pipe == nullptr) continue;
    return Loudspeaker(std::string(player.program), pipe);
  }
  return unavailable("neither paplay nor aplay is installed", kLoudspeakerCure);
}

Loudspeaker::~Loudspeaker() { (void)finish(); }

Result<void> Loudspeaker::play(const Audio& audio) {
  const auto bytes = audio.samples.bytes();
  if (pipe_ == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), pipe_) != bytes.size() ||
      std::fflush(pipe_) != 0) {
    const auto ended = finish();
    return ended.ok() ? unavailable(program_ + " took no more sound", kLoudspeakerCure) : ended;
  }
  return {};
}

Result<void> Loudspeaker::finish() {
  if (pipe_ == nullptr) return {};
  const int status = ::pclose(std::exchange(pipe_, nullptr));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return unavailable("no sound can be played: " + program_ + " finds no sound device",
                     kLoudspeakerCure);
}

}  // namespace gantry::cli
