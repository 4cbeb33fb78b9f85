// SPDX-License-Identifier: Apache-2.0
//
// A TCP client that sends exactly the bytes it is told and reads what comes, for tables of raw
// bytes. Blocking with a deadline of 10 s for everything: a hang is a failure, not a wait.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::conformance {

class RawClient {
 public:
  /// Connects to 127.0.0.1; throws std::runtime_error when it cannot.
  explicit RawClient(std::uint16_t port);
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient();

  /// False when the peer has closed. A refused send is not an error here: the answer tells.
  bool send(std::string_view bytes);
  bool send_bytewise(std::string_view bytes);
  void end_sending();
  /// Waits for more bytes; appends them. False at the end of the stream or a reset.
  bool receive_more();
  /// Reads until the end of the stream.
  void receive_all();

  [[nodiscard]] std::string& input() { return input_; }
  [[nodiscard]] bool at_end() const { return at_end_; }

 private:
  int fd_ = -1;
  std::string input_;
  bool at_end_ = false;
};

struct Answer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

/// Takes the next HTTP answer off the client's input, reading as much as it needs. `head_only` for
/// answers to HEAD. Interim answers (1xx but 101) are skipped unless `interim` is set.
std::optional<Answer> next_answer(RawClient& client, bool head_only = false, bool interim = false);

}  // namespace gantry::conformance
