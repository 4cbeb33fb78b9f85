// SPDX-License-Identifier: Apache-2.0
#include "clipboard.hpp"

#include "property.hpp"

#include <algorithm>
#include <span>

namespace gantry::x11 {

namespace {

constexpr std::uint32_t kPiece =
    256 * 1024;  // bytes in one property, far below every server's limit

constexpr std::size_t kMostTargets = 100;  // formats of the clipboard that are named

Result<std::string> take_property(const Session& session, xcb_atom_t property, xcb_atom_t* type) {
  std::string out;
  for (std::uint32_t left = 1; left > 0;) {
    GANTRY_ASSIGN(const auto reply,
                  fetch<xcb_get_property_reply>(
                      session.xcb(),
                      xcb_get_property(session.xcb(), 0, session.helper(), property,
                                       XCB_GET_PROPERTY_TYPE_ANY,
                                       static_cast<std::uint32_t>(out.size() / 4), kPiece / 4),
                      "reading the clipboard"));
    const auto length = static_cast<std::size_t>(xcb_get_property_value_length(reply.get()));
    out.append(static_cast<const char*>(xcb_get_property_value(reply.get())), length);
    *type = reply->type;
    left = length == 0 ? 0 : reply->bytes_after;
  }
  // Deleting tells an INCR owner to go on.
  xcb_delete_property(session.xcb(), session.helper(), property);
  session.flush();
  return out;
}

std::string join(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

/// Latin-1 form of UTF-8 text, null when a character does not fit.
std::shared_ptr<const std::string> to_latin1(const std::u32string& text) {
  std::string out;
  for (const char32_t c : text) {
    if (c > 0xFF) return nullptr;
    out += static_cast<char>(static_cast<std::uint8_t>(c));
  }
  return std::make_shared<const std::string>(std::move(out));
}

}  // namespace

Result<ClipboardText> Clipboard::get(const Patience& patience) {
  GANTRY_ASSIGN(const SessionPtr session, connection_.session());
  const Session& s = *session;
  GANTRY_ASSIGN(const auto owner,
                fetch<xcb_get_selection_owner_reply>(
                    s.xcb(), xcb_get_selection_owner(s.xcb(), s.atom(Atom::Clipboard)),
                    "asking who owns the clipboard"));
  if (owner->owner == XCB_NONE) return not_found("the clipboard is empty: no program owns it");
  if (owner->owner == s.helper()) {
    const std::lock_guard lock(mutex_);
    if (text_) {
      ClipboardText own{*text_, {}};
      for (const xcb_atom_t atom : offered(s)) own.targets.push_back(s.atom_name(atom));
      return own;
    }
  }
  const std::lock_guard lock(reading_);
  xcb_atom_t type = XCB_NONE;
  GANTRY_ASSIGN(const std::string list,
                convert(session, s.atom(Atom::Targets), "the list of formats", patience, &type));
  std::vector<xcb_atom_t> atoms(list.size() / sizeof(xcb_atom_t));
  std::copy_n(list.data(), atoms.size() * sizeof(xcb_atom_t),
              reinterpret_cast<char*>(atoms.data()));
  ClipboardText content;
  // Each name is a round trip, and the owner may claim to offer any number.
  const std::size_t shown = std::min(atoms.size(), kMostTargets);
  for (std::size_t i = 0; i < shown; ++i) content.targets.push_back(s.atom_name(atoms[i]));
  const xcb_atom_t preferred[] = {s.atom(Atom::Utf8String),   s.atom(Atom::TextPlainUtf8),
                                  s.atom(Atom::TextPlain),    XCB_ATOM_STRING,
                                  s.atom(Atom::CompoundText), s.atom(Atom::Text)};
  const auto wanted = std::find_if(
      std::begin(preferred), std::end(preferred),
      [&](xcb_atom_t atom) { return std::find(atoms.begin(), atoms.end(), atom) != atoms.end(); });
  if (wanted == std::end(preferred)) {
    return not_found("the clipboard holds no text; its owner offers: " + join(content.targets));
  }
  GANTRY_ASSIGN(const std::string bytes, convert(session, *wanted, "text", patience, &type));
  if (type == XCB_ATOM_STRING) {
    content.text = latin1_to_utf8(bytes);
  } else if (type == s.atom(Atom::CompoundText)) {
    content.text = compound_text_to_utf8(bytes);
  } else {
    content.text = valid_utf8(bytes);
  }
  return content;
}

Result<std::string> Clipboard::convert(const SessionPtr& session, xcb_atom_t target,
                                       std::string_view what, const Patience& patience,
                                       xcb_atom_t* type) {
  const Session& s = *session;
  const xcb_window_t helper = s.helper();
  const xcb_atom_t property = s.atom(Atom::GantryTransfer);
  EventWaiter arrived(connection_, [=](const xcb_generic_event_t& event) {
    if (event_type(event) == XCB_SELECTION_NOTIFY) {
      const auto& notify = reinterpret_cast<const xcb_selection_notify_event_t&>(event);
      return notify.requestor == helper && notify.target == target;
    }
    const auto& change = reinterpret_cast<const xcb_property_notify_event_t&>(event);
    return event_type(event) == XCB_PROPERTY_NOTIFY && change.window == helper &&
           change.atom == property && change.state == XCB_PROPERTY_NEW_VALUE;
  });
  GANTRY_ASSIGN(const xcb_timestamp_t now, server_time(connection_, session, patience));
  xcb_delete_property(s.xcb(), helper, property);
  xcb_convert_selection(s.xcb(), helper, s.atom(Atom::Clipboard), target, property, now);
  s.flush();
  const Patience limit = patience.at_most(3s);
  for (;;) {
    const auto event = arrived.wait(limit);
    if (!event) {
      if (patience.cancelled())
        return Error{Code::Cancelled, "reading the clipboard: cancelled", {}};
      if (!s.alive()) return connection_lost("reading the clipboard");
      return Error{
          Code::DeadlineExceeded,
          "reading the clipboard: its owner did not answer the request for " + std::string(what),
          {}};
    }
    if (event_type(*event) != XCB_SELECTION_NOTIFY)
      continue;  // the property, announced before the reply
    if (reinterpret_cast<const xcb_selection_notify_event_t&>(*event).property == XCB_NONE) {
      return not_found("reading the clipboard: its owner refused or is gone, it gives no " +
                       std::string(what));
    }
    GANTRY_ASSIGN(std::string bytes, take_property(s, property, type));
    if (*type != s.atom(Atom::Incr)) return bytes;
    return receive_in_pieces(session, arrived, patience, type);
  }
}

Result<std::string> Clipboard::receive_in_pieces(const SessionPtr& session, EventWaiter& arrived,
                                                 const Patience& patience, xcb_atom_t* type) {
  std::string all;
  for (;;) {
    if (!arrived.wait(patience.at_most(3s))) {
      if (patience.cancelled())
        return Error{Code::Cancelled, "reading the clipboard: cancelled", {}};
      return Error{
          Code::Aborted,
          "reading the clipboard: its owner stopped after " + std::to_string(all.size()) + " bytes",
          {}};
    }
    GANTRY_ASSIGN(const std::string piece,
                  take_property(*session, session->atom(Atom::GantryTransfer), type));
    if (piece.empty()) return all;
    all += piece;
    if (all.size() > kMostBytes) {
      return Error{Code::ResourceExhausted, "the clipboard holds more than 64 MiB of text", {}};
    }
  }
}

Result<void> Clipboard::set(std::string_view utf8, const Patience& patience) {
  GANTRY_ASSIGN(const std::u32string characters, code_points(utf8));
  GANTRY_ASSIGN(const SessionPtr session, connection_.session());
  const Session& s = *session;
  GANTRY_ASSIGN(const xcb_timestamp_t now, server_time(connection_, session, patience));
  {
    const std::lock_guard lock(mutex_);
    text_ = std::make_shared<const std::string>(utf8);
    latin1_ = to_latin1(characters);
    owned_since_ = now;
  }
  xcb_set_selection_owner(s.xcb(), s.helper(), s.atom(Atom::Clipboard), now);
  GANTRY_ASSIGN(const auto owner,
                fetch<xcb_get_selection_owner_reply>(
                    s.xcb(), xcb_get_selection_owner(s.xcb(), s.atom(Atom::Clipboard)),
                    "checking who owns the clipboard"));
  if (owner->owner == s.helper()) return {};
  return Error{
      Code::Aborted, "another program took the clipboard at the same moment; set it again", {}};
}

void Clipboard::on_connected(const SessionPtr&) {}

void Clipboard::on_lost() {
  const std::lock_guard lock(mutex_);
  text_.reset();  // selections die with their server
  latin1_.reset();
  transfers_.clear();
}

void Clipboard::on_event(const SessionPtr& session, const xcb_generic_event_t& event) {
  switch (event_type(event)) {
    case XCB_SELECTION_REQUEST:
      answer(*session, reinterpret_cast<const xcb_selection_request_event_t&>(event));
      break;
    case XCB_PROPERTY_NOTIFY: {
      const auto& change = reinterpret_cast<const xcb_property_notify_event_t&>(event);
      if (change.state == XCB_PROPERTY_DELETE) continue_transfer(*session, change);
      break;
    }
    case XCB_SELECTION_CLEAR: {
      const auto& clear = reinterpret_cast<const xcb_selection_clear_event_t&>(event);
      const std::lock_guard lock(mutex_);
      // A late notice about an ownership before the present one is not meant for it.
      if (clear.owner != session->helper() || clear.time < owned_since_) break;
      text_.reset();
      latin1_.reset();
      break;
    }
    case XCB_DESTROY_NOTIFY: {
      const auto& gone = reinterpret_cast<const xcb_destroy_notify_event_t&>(event);
      const std::lock_guard lock(mutex_);
      transfers_.remove_if([&](const Transfer& t) { return t.requestor == gone.window; });
      break;
    }
    default: break;
  }
}

std::vector<xcb_atom_t> Clipboard::offered(const Session& s) const {
  std::vector<xcb_atom_t> targets = {s.atom(Atom::Targets),       s.atom(Atom::Timestamp),
                                     s.atom(Atom::Multiple),      s.atom(Atom::Utf8String),
                                     s.atom(Atom::TextPlainUtf8), s.atom(Atom::TextPlain),
                                     s.atom(Atom::Text)};
  if (latin1_) targets.push_back(XCB_ATOM_STRING);
  return targets;
}

bool Clipboard::write_target(const Session& s, xcb_window_t requestor, xcb_atom_t target,
                             xcb_atom_t property) {
  if (!text_) return false;
  if (target == s.atom(Atom::Targets)) {
    const auto targets = offered(s);
    xcb_change_property(s.xcb(), XCB_PROP_MODE_REPLACE, requestor, property, XCB_ATOM_ATOM, 32,
                        static_cast<std::uint32_t>(targets.size()), targets.data());
    return true;
  }
  if (target == s.atom(Atom::Timestamp)) {
    xcb_change_property(s.xcb(), XCB_PROP_MODE_REPLACE, requestor, property, XCB_ATOM_INTEGER, 32,
                        1, &owned_since_);
    return true;
  }
  if (target == XCB_ATOM_STRING) {
    if (latin1_) write_bytes(s, requestor, property, XCB_ATOM_STRING, latin1_);
    return latin1_ != nullptr;
  }
  if (target == s.atom(Atom::Text)) {  // the owner chooses the encoding
    write_bytes(s, requestor, property, s.atom(Atom::Utf8String), text_);
    return true;
  }
  for (const Atom text : {Atom::Utf8String, Atom::TextPlainUtf8, Atom::TextPlain}) {
    if (target != s.atom(text)) continue;
    write_bytes(s, requestor, property, target, text_);
    return true;
  }
  return false;
}

bool Clipboard::write_multiple(const Session& s, const xcb_selection_request_event_t& request) {
  const auto reply = fetch_or_null<xcb_get_property_reply>(
      s.xcb(), xcb_get_property(s.xcb(), 0, request.requestor, request.property,
                                s.atom(Atom::AtomPair), 0, 256));
  if (!reply || reply->format != 32) return false;
  const auto* first = static_cast<const xcb_atom_t*>(xcb_get_property_value(reply.get()));
  std::vector<xcb_atom_t> pairs(first, first + reply->value_len);
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (!write_target(s, request.requestor, pairs[i], pairs[i + 1])) pairs[i + 1] = XCB_NONE;
  }
  xcb_change_property(s.xcb(), XCB_PROP_MODE_REPLACE, request.requestor, request.property,
                      s.atom(Atom::AtomPair), 32, static_cast<std::uint32_t>(pairs.size()),
                      pairs.data());
  return true;
}

void Clipboard::write_bytes(const Session& s, xcb_window_t requestor, xcb_atom_t property,
                            xcb_atom_t type, Bytes data) {
  if (data->size() <= kPiece) {
    xcb_change_property(s.xcb(), XCB_PROP_MODE_REPLACE, requestor, property, type, 8,
                        static_cast<std::uint32_t>(data->size()), data->data());
    return;
  }
  const std::uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_STRUCTURE_NOTIFY;
  xcb_change_window_attributes(s.xcb(), requestor, XCB_CW_EVENT_MASK, &mask);
  const auto size = static_cast<std::uint32_t>(data->size());
  xcb_change_property(s.xcb(), XCB_PROP_MODE_REPLACE, requestor, property, s.atom(Atom::Incr), 32,
                      1, &size);
  transfers_.push_back({requestor, property, type, std::move(data)});
}

void Clipboard::answer(const Session& s, const xcb_selection_request_event_t& request) {
  xcb_selection_notify_event_t notify{};
  notify.response_type = XCB_SELECTION_NOTIFY;
  notify.time = request.time;
  notify.requestor = request.requestor;
  notify.selection = request.selection;
  notify.target = request.target;
  {
    const std::lock_guard lock(mutex_);
    const bool ours = request.selection == s.atom(Atom::Clipboard) && request.owner == s.helper();
    const bool multiple = request.target == s.atom(Atom::Multiple);
    // ICCCM 2.2: clients from before 1989 leave the property out and mean the target.
    const xcb_atom_t property = request.property != XCB_NONE ? request.property : request.target;
    const bool written =
        ours && (multiple ? write_multiple(s, request)
                          : write_target(s, request.requestor, request.target, property));
    notify.property = written ? property : xcb_atom_t{XCB_NONE};
  }
  xcb_send_event(s.xcb(), 0, request.requestor, XCB_EVENT_MASK_NO_EVENT,
                 reinterpret_cast<const char*>(&notify));
  s.flush();
}

void Clipboard::continue_transfer(const Session& s, const xcb_property_notify_event_t& deleted) {
  const std::lock_guard lock(mutex_);
  const auto it = std::find_if(transfers_.begin(), transfers_.end(), [&](const Transfer& t) {
    return t.requestor == deleted.window && t.property == deleted.atom;
  });
  if (it == transfers_.end()) return;
  const std::size_t length = std::min<std::size_t>(kPiece, it->data->size() - it->sent);
  xcb_change_property(s.xcb(), XCB_PROP_MODE_REPLACE, it->requestor, it->property, it->type, 8,
                      static_cast<std::uint32_t>(length), it->data->data() + it->sent);
  s.flush();
  it->sent += length;
  if (length == 0) transfers_.erase(it);  // the empty piece was the end
}

}  // namespace gantry::x11
