// SPDX-License-Identifier: Apache-2.0
// Log outputs on Poco channels. A channel that throws or whose stream fails is a lost line, and
// the next line tries again.
#include <Poco/AutoPtr.h>
#include <Poco/Exception.h>
#include <Poco/FileChannel.h>
#include <Poco/Message.h>
#include <Poco/StreamChannel.h>

#include <filesystem>
#include <iostream>

#include "observe/log.hpp"

namespace gantry::observe {
namespace {

Poco::Message message(const std::string& line) {
  return {"gantry", line, Poco::Message::PRIO_INFORMATION};
}

class ConsoleOutput final : public LogOutput {
 public:
  ConsoleOutput() : channel_(new Poco::StreamChannel(std::clog)) {}

  bool write(const std::string& line, std::string& reason) override {
    channel_->log(message(line));
    if (std::clog.good()) return true;
    std::clog.clear();
    reason = "standard error refused a line (is the disk behind it full?)";
    return false;
  }

 private:
  Poco::AutoPtr<Poco::StreamChannel> channel_;
};

// Rotation is ours and not the channel's: after a failed write Poco 1.11 takes the size of the file
// for 2^64-1 and rotates, so that a full disk would delete one old log a line (measured; with the
// log at /dev/full it even renames the device).
class FileOutput final : public LogOutput {
 public:
  FileOutput(std::string path, std::int64_t rotate_bytes, int keep)
      : path_(std::move(path)), rotate_bytes_(rotate_bytes), keep_(keep) {
    open();
  }

  bool write(const std::string& line, std::string& reason) override {
    try {
      // A channel that failed once keeps its stream in that state; a fresh one tries again.
      if (failed_) open();
      if (size_ >= rotate_bytes_) rotate();
      channel_->log(message(line));
      size_ += static_cast<std::int64_t>(line.size()) + 1;
      failed_ = false;
      return true;
    } catch (const Poco::Exception& error) {
      reason = path_ + ": " + error.displayText();
    } catch (const std::exception& error) {
      reason = path_ + ": " + error.what();
    }
    failed_ = true;
    return false;
  }

 private:
  void open() {
    channel_ = new Poco::FileChannel(path_);
    std::error_code error;
    const auto size = std::filesystem::file_size(path_, error);
    size_ = error ? 0 : static_cast<std::int64_t>(size);
  }

  std::string numbered(int number) const { return path_ + "." + std::to_string(number); }

  // path.1 is the newest of the old ones.
  void rotate() {
    channel_->close();
    std::error_code ignored;
    std::filesystem::remove(numbered(keep_), ignored);
    for (int number = keep_ - 1; number >= 1; --number) {
      std::filesystem::rename(numbered(number), numbered(number + 1), ignored);
    }
    std::filesystem::rename(path_, numbered(1), ignored);
    open();
  }

  std::string path_;
  std::int64_t rotate_bytes_;
  int keep_;
  std::int64_t size_ = 0;
  bool failed_ = false;
  Poco::AutoPtr<Poco::FileChannel> channel_;
};

}  // namespace

std::unique_ptr<LogOutput> make_console_output() { return std::make_unique<ConsoleOutput>(); }

std::unique_ptr<LogOutput> make_file_output(const std::string& path, std::int64_t rotate_bytes,
                                            int keep) {
  return std::make_unique<FileOutput>(path, rotate_bytes, keep);
}

}  // namespace gantry::observe
