// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pictures and documents of one turn: bytes are artifacts of the session's principal and are
// read once. Models are shown pictures no larger than they take them, and documents as text. Strand
// only.

#include <gantry/buffer.hpp>
#include <gantry/contracts/session.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store_client.hpp"

namespace gantry::agent {

[[nodiscard]] bool is_document(const ImageRef& image);
/// Bytes of what all documents of a model call say together: a quarter of what the model takes, and
/// at most some 30,000 tokens.
[[nodiscard]] std::int64_t document_room(std::int64_t context_window);

/// A picture or document as a model is shown it.
struct ShownImage {
  Buffer bytes;
  std::string media_type;
  std::string note;  // what has to be said beside it: that positions in it are not the original's
  std::string text;  // what a document says
};

class Images : public std::enable_shared_from_this<Images> {
 public:
  Images(Host& host, StoreClient& store, std::string owner)
      : host_(host), store_(store), owner_(std::move(owner)) {}

  /// Keeps a picture as an artifact. Where that is not possible the reference has no artifact, and
  /// the picture can be shown in this turn only.
  void keep(Buffer bytes, std::string media_type, std::function<void(ImageRef)> kept);
  /// Reads what of `wanted` is not here yet, and makes it fit, documents into a share of
  /// `document_room` bytes; what cannot be read stays away.
  void load(const std::vector<ImageRef>& wanted, std::int64_t document_room,
            std::function<void()> loaded);
  /// Runs when every picture that keep() was given has been told of; at once when all have.
  void when_kept(std::function<void()> then);
  [[nodiscard]] bool keeping() const { return keeping_ != 0; }
  /// When it is here.
  [[nodiscard]] std::optional<ShownImage> find(const ImageRef& image) const;

 private:
  struct Held {
    ShownImage shown;
    bool fitted = false;  // or nobody can
  };
  void read(const std::string& id, std::function<void()> done);
  void fit(const std::string& name, std::function<void()> done);
  void make_smaller(const std::string& name, std::function<void()> done);
  void read_document(const std::string& name, std::function<void()> done);

  Host& host_;
  StoreClient& store_;
  std::string owner_;
  std::map<std::string, Held> held_;  // by artifact, else by name
  std::int64_t most_text_ = 0;        // of one document
  int shown_ = 0;
  int keeping_ = 0;
  std::vector<std::function<void()>> waiting_;  // for the last of them
};

}  // namespace gantry::agent
