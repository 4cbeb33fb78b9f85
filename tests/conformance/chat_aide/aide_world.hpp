// SPDX-License-Identifier: Apache-2.0
#pragma once
// A daemon with the aide chat, a user, and clients that talk to it.

#include <gantry/testkit/kernel.hpp>
#include <gantry/testkit/net_client.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <boost/json/object.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gantry::conformance {

class AideWorld {
 public:
  /// `more` are settings of the plugin, each with a comma before it.
  explicit AideWorld(const std::string& more = {});

  testkit::InProcessKernel& kernel() { return *kernel_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Where the files of the user's tools are.
  [[nodiscard]] std::string file(const std::string& name) const;

  testkit::HttpReply log_in(const std::string& user, const std::string& password);
  /// "aide_user=…" of a log-in that succeeds.
  std::string cookie(const std::string& user = "ann");
  testkit::HttpReply get(const std::string& target, const std::string& cookie = {});
  testkit::HttpReply post(const std::string& target, const std::string& type,
                          const std::string& body, const std::string& cookie = {});
  template <class C>
  Result<typename C::Response> call(typename C::Request request) {
    auto answer = kernel_->host().bus().template call_wait<C>(std::move(request));
    if (!answer.ok()) return answer.error();
    return **answer;
  }

 private:
  testkit::TempDir folder_;
  std::unique_ptr<testkit::InProcessKernel> kernel_;
  std::uint16_t port_ = 0;
};

inline constexpr const char* kPassword = "correct horse";

/// One socket of a client.
class AideClient {
 public:
  AideClient(const AideWorld& world, const std::string& cookie, const std::string& session = "s1");

  [[nodiscard]] int status() const { return socket_.reply().status; }
  void send(const std::string& frame) { socket_.send_text(frame); }
  void say(const std::string& text, const std::string& more = {});
  /// Takes the list of models, up to one that has been loaded.
  void greet();
  /// The next frame.
  boost::json::object next();
  /// Frames up to one of this type, which is the last.
  std::vector<boost::json::object> until(const std::string& type);
  /// The types of frames, with runs of `text` as one.
  static std::vector<std::string> types(const std::vector<boost::json::object>& frames);
  testkit::WebSocketClient& socket() { return socket_; }

 private:
  testkit::WebSocketClient socket_;
};

std::string text_in(const boost::json::object& frame, const char* name);

/// A client that has had its first frame.
AideClient greeted(AideWorld& world, const std::string& session = "s1");
/// A message whose tool asks before it writes note.txt.
inline constexpr const char* kWrite =
    "@script tool write_file {\"file_path\":\"note.txt\",\"content\":\"hello\"}\n"
    "@script reply Written.";

}  // namespace gantry::conformance
