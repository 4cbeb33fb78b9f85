// SPDX-License-Identifier: Apache-2.0
#include "static_handler.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <utility>

#include "http_conditions.hpp"
#include "static_folder.hpp"

namespace gantry::transport {
namespace {

constexpr size_t kPieceBytes = 256 * 1024;

/// One file on its way to one client. Its steps follow one another on threads of the executor; the
/// connection speaks up on the loop.
class FileAnswer final : public ExchangeSink, public std::enable_shared_from_this<FileAnswer> {
 public:
  FileAnswer(ExchangePtr exchange, std::shared_ptr<const BlockingExecutor> executor)
      : exchange_(std::move(exchange)), executor_(std::move(executor)) {}

  void on_writable() override { next(); }
  void on_gone() override { (void)release(); }

  /// Sends `length` bytes from `first` on, after `head`.
  void send(ResponseHead head, StaticFile file, uint64_t first, uint64_t length) {
    const ExchangePtr exchange = current();
    if (!exchange) return;
    file_ = std::move(file);
    offset_ = first;
    left_ = length;
    exchange->set_bound(SendBound::kSender);
    exchange->start(std::move(head), static_cast<int64_t>(length));
    if (exchange->request()->head.method == "HEAD") left_ = 0;
    step();
  }

  void respond(Response response) {
    if (const ExchangePtr exchange = release()) exchange->respond(std::move(response));
  }

  ExchangePtr current() {
    const std::lock_guard lock(mutex_);
    return exchange_;
  }

 private:
  void next() {
    (*executor_)([self = shared_from_this()] { self->step(); });
  }

  void step() {
    if (left_ == 0) {
      if (const ExchangePtr exchange = release()) exchange->finish();
      return;
    }
    std::string piece(static_cast<size_t>(std::min<uint64_t>(left_, kPieceBytes)), '\0');
    const ssize_t got = read_piece(piece);
    const ExchangePtr exchange = current();
    if (!exchange) return;
    if (got <= 0) {
      // Shorter than it was, or unreadable: the client has to see that the answer is not whole.
      (void)release();
      return;
    }
    piece.resize(static_cast<size_t>(got));
    offset_ += piece.size();
    left_ -= piece.size();
    const bool last = left_ == 0;
    exchange->write(Bytes(std::move(piece)));
    if (last) step();
  }

  ssize_t read_piece(std::string& piece) const {
    while (true) {
      const ssize_t got =
          ::pread(file_.fd.get(), piece.data(), piece.size(), static_cast<off_t>(offset_));
      if (got >= 0 || errno != EINTR) return got;
    }
  }

  ExchangePtr release() {
    const std::lock_guard lock(mutex_);
    return std::exchange(exchange_, nullptr);
  }

  std::mutex mutex_;
  ExchangePtr exchange_;
  std::shared_ptr<const BlockingExecutor> executor_;
  // One step at a time: the next begins when the connection has sent what the last one wrote.
  StaticFile file_;
  uint64_t offset_ = 0;
  uint64_t left_ = 0;
};

Response refusal_for(NoFile why, const std::string& path) {
  switch (why) {
    case NoFile::kForbidden: return error_response(403, "the daemon may not read " + path);
    case NoFile::kFolder: {
      // Relative, so that it holds behind whatever the client talks through.
      Response moved = error_response(308, path + " is a folder");
      moved.head.headers.emplace_back("Location", "./" + path.substr(path.rfind('/') + 1) + "/");
      return moved;
    }
    case NoFile::kBusy: {
      Response later = error_response(503, "no file can be opened at the moment");
      later.head.headers.emplace_back("Retry-After", "1");
      return later;
    }
    case NoFile::kMissing: break;
  }
  return error_response(404, "there is no file " + path);
}

OwnedHeaders fields_of(const StaticFile& file) {
  return {{"ETag", file.etag},
          {"Last-Modified", http_date_of(file.modified_s)},
          {"Accept-Ranges", "bytes"},
          // What a file holds is what its name says, and a changed one is seen at once.
          {"X-Content-Type-Options", "nosniff"},
          {"Cache-Control", "no-cache"}};
}

class StaticHandler final : public MountHandler {
 public:
  StaticHandler(const StaticOptions& options, BlockingExecutor executor)
      : folder_(options.folder, options.index),
        max_bytes_(options.max_bytes),
        executor_(std::make_shared<const BlockingExecutor>(std::move(executor))) {}

  void on_request(ExchangePtr exchange) override {
    auto answer = std::make_shared<FileAnswer>(exchange, executor_);
    exchange->set_sink(answer);
    (*executor_)([self = self_.lock(), answer] { self->serve(*answer); });
  }

  static std::shared_ptr<StaticHandler> make(const StaticOptions& options,
                                             BlockingExecutor executor) {
    auto made = std::make_shared<StaticHandler>(options, std::move(executor));
    made->self_ = made;
    return made;
  }

 private:
  void serve(FileAnswer& answer) const {
    const ExchangePtr exchange = answer.current();
    if (!exchange) return;
    const Request& request = *exchange->request();
    const std::string path(request.head.path);
    auto found = open(request);
    if (const auto* why = std::get_if<NoFile>(&found)) {
      return answer.respond(refusal_for(*why, path));
    }
    auto& file = std::get<StaticFile>(found);
    if (max_bytes_ > 0 && file.size > max_bytes_) {
      return answer.respond(error_response(403, path + " has " + std::to_string(file.size) +
                                                    " bytes; max_size of its folder allows " +
                                                    std::to_string(max_bytes_)));
    }
    const Selection part = select_part(request.head, {file.etag, file.modified_s, file.size});
    if (part.status == 412) {
      return answer.respond(error_response(412, path + " is not as the request expects it"));
    }
    ResponseHead head;
    head.status = part.status;
    head.headers = fields_of(file);
    if (part.status == 416) {
      Response response =
          error_response(416, path + " has " + std::to_string(file.size) + " bytes");
      response.head.headers.emplace_back("Content-Range", "bytes */" + std::to_string(file.size));
      return answer.respond(std::move(response));
    }
    if (part.status == 304) return answer.respond({std::move(head), {}});
    head.content_type = file.content_type;
    if (part.status == 206) {
      head.headers.emplace_back("Content-Range", "bytes " + std::to_string(part.first) + "-" +
                                                     std::to_string(part.first + part.length - 1) +
                                                     "/" + std::to_string(file.size));
    }
    answer.send(std::move(head), std::move(file), part.first, part.length);
  }

  std::variant<StaticFile, NoFile> open(const Request& request) const {
    // "/files" without its slash has no rest; an encoded slash is part of no name.
    const std::string path = lowered(request.head.path);
    if (request.params.empty()) return NoFile::kFolder;
    if (path.find("%2f") != std::string::npos) return NoFile::kMissing;
    return folder_.open(request.param("*"));
  }

  const StaticFolder folder_;
  const uint64_t max_bytes_;
  const std::shared_ptr<const BlockingExecutor> executor_;
  std::weak_ptr<const StaticHandler> self_;
};

}  // namespace

std::vector<MountPtr> make_static_mounts(const StaticOptions& options, BlockingExecutor executor) {
  std::string prefix = options.prefix;
  if (prefix.empty() || prefix.back() != '/') prefix += '/';
  const auto handler = StaticHandler::make(options, std::move(executor));
  std::vector<MountPtr> mounts;
  for (const std::string& path : {prefix + "*", prefix.substr(0, prefix.size() - 1)}) {
    if (path.empty()) continue;  // the root is its own folder
    auto mount = std::make_shared<Mount>();
    mount->owner = "transport";
    mount->listener = options.listener;
    mount->path = path;
    mount->methods = {"GET"};
    mount->handler = handler;
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

}  // namespace gantry::transport
