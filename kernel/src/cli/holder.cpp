// SPDX-License-Identifier: Apache-2.0
#include "cli/holder.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

namespace gantry::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kListening = "0A";  // TCP_LISTEN, as the kernel's tables write it

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// Adds the inodes of the listening sockets of the port: the columns are number, local address,
// remote address, state, queues, timer, retransmissions, user, timeout, inode.
void add_listeners(const fs::path& table, int port, std::set<std::string>& sockets) {
  std::ifstream in(table);
  for (std::string line; std::getline(in, line);) {
    std::istringstream columns(line);
    std::string number, local, remote, state, skipped, inode;
    columns >> number >> local >> remote >> state;
    for (int i = 0; i < 5; ++i) columns >> skipped;
    columns >> inode;
    const std::size_t colon = local.rfind(':');
    if (state != kListening || colon == std::string::npos || inode.empty()) continue;
    int found = 0;
    (void)std::from_chars(local.data() + colon + 1, local.data() + local.size(), found, 16);
    if (found == port) sockets.insert("socket:[" + inode + "]");
  }
}

bool has_one_of(const fs::path& descriptors, const std::set<std::string>& sockets) {
  // Reading fails where it is not allowed, and in the middle when the process ends; ++ would throw.
  std::error_code over;
  for (fs::directory_iterator entry(descriptors, over), end; !over && entry != end;
       entry.increment(over)) {
    std::error_code gone;
    if (sockets.contains(fs::read_symlink(entry->path(), gone).string())) return true;
  }
  return false;
}

}  // namespace

std::string process_name(const std::string& pid, const fs::path& proc) {
  const std::string name = first_line(proc / pid / "comm");
  return "process " + pid + (name.empty() ? "" : " (" + name + ")");
}

std::string holder_of_port(int port, const fs::path& proc) {
  std::set<std::string> sockets;
  add_listeners(proc / "net/tcp", port, sockets);
  add_listeners(proc / "net/tcp6", port, sockets);
  if (sockets.empty()) return {};
  std::error_code over;
  for (fs::directory_iterator entry(proc, over), end; !over && entry != end;
       entry.increment(over)) {
    const std::string pid = entry->path().filename().string();
    if (std::isdigit(static_cast<unsigned char>(pid.front())) == 0) continue;
    if (has_one_of(entry->path() / "fd", sockets)) return process_name(pid, proc);
  }
  return {};
}

std::string holder_of_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return {};
  path.copy(address.sun_path, path.size());
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return {};
  // A full queue is a listener too: a daemon that hangs still has its socket.
  const bool heard =
      connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const bool busy = !heard && errno == EAGAIN;
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool known = heard && getsockopt(probe, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  close(probe);
  if (known) return process_name(std::to_string(peer.pid));
  return heard || busy ? "a process" : "";
}

}  // namespace gantry::cli
