// SPDX-License-Identifier: Apache-2.0
#include "sse.hpp"

#include <charconv>
#include <utility>

namespace gantry::mcp {

// ---- PartWriter
// -----------------------------------------------------------------------------------

void PartWriter::head(HttpResponse head) {
  HttpPart part;
  part.head = std::move(head);
  send(std::move(part));
}

void PartWriter::data(std::string text) {
  HttpPart part;
  part.data = Buffer::of(std::move(text));
  send(std::move(part));
}

void PartWriter::send(HttpPart part) {
  if (ended_ || ending_) return;
  if (waiting_.empty()) {
    const auto body = make_body<HttpPart>(std::move(part));
    const Result<void> sent = down_.send(body);
    if (sent.ok()) return;
    if (sent.error().code != Code::ResourceExhausted) return over();
    waiting_bytes_ += body->data.size();
    waiting_.push_back(*body);
    return;
  }
  waiting_bytes_ += part.data.size();
  waiting_.push_back(std::move(part));
  if (waiting_bytes_ > kMostWaiting) {
    waiting_.clear();
    down_.close(Error{Code::ResourceExhausted, "the client does not read what it asked for", {}});
    over();
  }
}

void PartWriter::on_over(std::function<void()> work) {
  over_ = std::move(work);
  if (ended_) over();
}

void PartWriter::over() {
  ended_ = true;
  if (const auto work = std::exchange(over_, nullptr)) work();
}

void PartWriter::on_writable() {
  while (!waiting_.empty() && !ended_) {
    const Result<void> sent = down_.send(waiting_.front());
    if (!sent.ok()) {
      if (sent.error().code != Code::ResourceExhausted) over();
      return;
    }
    waiting_bytes_ -= waiting_.front().data.size();
    waiting_.pop_front();
  }
  if (!ending_ || ended_) return;
  down_.close();
  over();
}

void PartWriter::end() {
  if (ended_) return;
  ending_ = true;
  if (waiting_.empty()) on_writable();
}

HttpResponse event_stream_head(const std::vector<HttpHeader>& headers) {
  HttpResponse head;
  head.content_type = "text/event-stream";
  head.headers = headers;
  head.headers.push_back({"Cache-Control", "no-cache"});
  head.headers.push_back({"X-Accel-Buffering", "no"});
  return head;
}

// ---- EventStream
// ----------------------------------------------------------------------------------

void EventStream::attach(std::shared_ptr<PartWriter> writer, std::uint64_t after) {
  if (writer_) writer_->end();
  writer_ = std::move(writer);
  for (const Event& event : kept_) {
    if (event.place > after) write(event);
  }
  if (finished_) {
    writer_->end();
    writer_.reset();
  }
}

void EventStream::detach(const PartWriter* writer) {
  if (writer_.get() == writer) writer_.reset();
}

void EventStream::write(const Event& event) {
  if (!writer_) return;
  std::string text;
  text.reserve(event.text.size() + 48);
  if (number_ != 0) {
    text += "id: " + std::to_string(number_) + '-' + std::to_string(event.place) + '\n';
  }
  // JSON text has no line breaks of its own.
  text += "data:";
  if (!event.text.empty()) text += ' ';
  text += event.text;
  text += "\n\n";
  writer_->data(std::move(text));
}

void EventStream::keep(Event event) {
  if (number_ == 0) return;
  kept_bytes_ += event.text.size();
  kept_.push_back(std::move(event));
  while (kept_.size() > 1 && (kept_.size() > limits_.events || kept_bytes_ > limits_.bytes)) {
    kept_bytes_ -= kept_.front().text.size();
    kept_.pop_front();
  }
}

void EventStream::prime() { write({++last_, {}}); }

void EventStream::push(std::string_view message) {
  Event event{++last_, std::string(message)};
  write(event);
  keep(std::move(event));
}

void EventStream::comment() {
  if (writer_) writer_->data(":\n\n");
}

void EventStream::come_back(std::int64_t ms) {
  if (!writer_ || number_ == 0) return;
  writer_->data("retry: " + std::to_string(ms) + "\n\n");
  std::exchange(writer_, nullptr)->end();
}

void EventStream::finish() {
  finished_ = true;
  if (const auto writer = std::exchange(writer_, nullptr)) writer->end();
}

std::optional<EventPlace> read_event_id(std::string_view id) {
  EventPlace out;
  const char* const end = id.data() + id.size();
  const auto [dash, problem] = std::from_chars(id.data(), end, out.stream);
  if (problem != std::errc() || dash == end || *dash != '-') return std::nullopt;
  const auto [rest, other] = std::from_chars(dash + 1, end, out.event);
  if (other != std::errc() || rest != end) return std::nullopt;
  return out;
}

}  // namespace gantry::mcp
