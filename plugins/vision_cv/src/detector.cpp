// SPDX-License-Identifier: Apache-2.0
#include "detector.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blobs.hpp"
#include "colours.hpp"
#include "edges.hpp"
#include "regions.hpp"
#include "toggles.hpp"
#include "views.hpp"

namespace gantry::vision_cv {
namespace {

constexpr double kWholePicture = 0.9;
constexpr double kIconCertain = 0.7;
constexpr double kIconDoubtful = 0.4;
constexpr double kPanelCertain = 0.5;
constexpr double kTickedCertain = 0.85;
constexpr int kLeastMark = 5;
constexpr int kAlone = 3;  // pixels beside a check box without anything

bool inside(const cv::Rect& inner, const cv::Rect& outer) { return (inner & outer) == inner; }

bool middle_inside(const cv::Rect& inner, const cv::Rect& outer) {
  return outer.contains({inner.x + inner.width / 2, inner.y + inner.height / 2});
}

/// A check box or radio button that is ticked.
struct Ticked {
  cv::Rect box;
  Form form = Form::Other;
};

/// Everything that is found before it is told what it is.
struct Scene {
  cv::Mat bgr;
  std::vector<Region> regions;
  std::vector<TextBox> texts;
  std::vector<Atom> atoms;  // but those of what is ticked
  std::vector<Atom> marks;  // what is no text
  std::vector<Icon> icons;
  std::vector<Ticked> ticked;
};

/// Signs such as © and ★ begin with these bytes, and letters do not, but for few.
bool begins_sign(unsigned char byte) { return byte == 0xC2 || byte == 0xE2; }

/// What is read as one letter, or as signs, may as well be an icon.
bool is_word(std::string_view text) {
  const auto counts = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0xC0 ? !begins_sign(byte) : byte < 0x80 && std::isalnum(byte) != 0;
  };
  return std::count_if(text.begin(), text.end(), counts) >= 2;
}

std::vector<TextBox> boxes_of(const std::vector<OcrWord>& words, const View& view) {
  std::vector<TextBox> out;
  for (const OcrWord& word : words) {
    if (!is_word(word.text)) continue;
    const cv::Rect box = cut_to({word.bbox.x - view.corner.x, word.bbox.y - view.corner.y,
                                 word.bbox.width, word.bbox.height},
                                view.pixels.size());
    if (!box.empty()) out.push_back({box, 1});
  }
  return out;
}

/// Atoms of words that have been read are no icons.
void drop_read(std::vector<Atom>& atoms, const std::vector<TextBox>& words) {
  const auto is_read = [&](const Atom& atom) {
    return std::any_of(words.begin(), words.end(), [&](const TextBox& word) {
      return atom.box.height <= word.box.height * 3 / 2 && middle_inside(atom.box, word.box);
    });
  };
  atoms.erase(std::remove_if(atoms.begin(), atoms.end(), is_read), atoms.end());
}

/// Letters of a word stand closer to each other than a check box stands to anything.
bool stands_alone(const std::vector<Atom>& atoms, const cv::Rect& box) {
  const cv::Rect around(box.x - kAlone, box.y + box.height / 4, box.width + 2 * kAlone,
                        box.height / 2);
  return std::none_of(atoms.begin(), atoms.end(), [&](const Atom& atom) {
    const cv::Rect& other = atom.box;
    const bool own = middle_inside(other, box) && other.width <= box.width + 4;
    return !own && other.height <= 2 * box.height && (other & around).area() > 0;
  });
}

/// Takes what is ticked out of the atoms, before its text beside it is taken for its line.
std::vector<Ticked> take_ticked(const cv::Mat& bgr, std::vector<Atom>& atoms) {
  std::vector<Ticked> out;
  for (const Atom& atom : atoms) {
    const cv::Rect box(atom.box.x + 1, atom.box.y + 1, atom.box.width - 1, atom.box.height - 1);
    if (std::abs(box.width - box.height) > 2 || box.width > kToggleSide + 2) continue;
    const Form form = ticked_form_of(bgr, box);
    if (form == Form::Other || !stands_alone(atoms, box)) continue;
    // A ring and the disc in it are one.
    const auto other = std::find_if(out.begin(), out.end(), [&](const Ticked& one) {
      return middle_inside(box, one.box) || middle_inside(one.box, box);
    });
    if (other == out.end()) {
      out.push_back({box, form});
    } else if (box.area() > other->box.area()) {
      *other = {box, form};
    }
  }
  const auto is_part = [&](const Atom& atom) {
    return std::any_of(out.begin(), out.end(), [&](const Ticked& one) {
      return atom.box.area() <= 2 * one.box.area() && middle_inside(atom.box, one.box);
    });
  };
  atoms.erase(std::remove_if(atoms.begin(), atoms.end(), is_part), atoms.end());
  return out;
}

Scene look_at(const View& view, const std::vector<OcrWord>& words) {
  Scene out;
  out.bgr = bgr_of(view);
  const cv::Mat edges = edges_of(out.bgr);
  out.regions = regions_of(out.bgr, edges);
  std::vector<Atom> atoms = atoms_of(edges);
  out.ticked = take_ticked(out.bgr, atoms);
  out.atoms = atoms;
  const std::vector<TextBox> read = boxes_of(words, view);
  if (!read.empty()) drop_read(atoms, read);
  out.texts = texts_of(atoms);
  out.icons = icons_of(atoms, out.bgr.size());
  out.marks = std::move(atoms);
  out.texts.insert(out.texts.end(), read.begin(), read.end());
  return out;
}

/// The eyes of letters are flat and closed too.
bool is_part_of_text(const Region& region, const std::vector<TextBox>& texts) {
  return std::any_of(texts.begin(), texts.end(), [&](const TextBox& text) {
    return region.box.height <= text.box.height + 2 && middle_inside(region.box, text.box) &&
           region.box.width * 2 < text.box.width + region.box.height;
  });
}

/// What reads a picture often takes a check box for a letter of the word beside it.
bool is_toggle_in_word(const Scene& scene, const Region& region) {
  const cv::Rect& box = region.box;
  if (std::abs(box.width - box.height) > 2 || box.width > kToggleSide) return false;
  return closed_form_of(scene.bgr, box) != Form::Other && stands_alone(scene.atoms, box);
}

/// So are parts of icons: the lens of a magnifier, the body of a bin.
bool is_part_of_icon(const Region& region, const std::vector<Icon>& icons) {
  return std::any_of(icons.begin(), icons.end(), [&](const Icon& icon) {
    return middle_inside(region.box, icon.box) && region.box.area() * 5 < icon.box.area() * 4 &&
           (region.box & icon.box).area() * 10 >= region.box.area() * 9;
  });
}

/// The ring around a radio button's or the frame around a check box's ground belongs to it.
bool take_ring(Region& region, const std::vector<Icon>& icons) {
  if (std::abs(region.box.width - region.box.height) > 2) return false;
  const cv::Point twice = region.box.tl() + region.box.br();
  for (const Icon& icon : icons) {
    const cv::Point off = twice - (icon.box.tl() + icon.box.br());
    const int more = std::max(icon.box.width, icon.box.height) - region.box.width;
    if (std::abs(off.x) > 2 || std::abs(off.y) > 2 || more < 0 || more > 6) continue;
    region.box = icon.box;
    return true;
  }
  return false;
}

/// What holds other controls is no control itself.
bool is_panel(const Scene& scene, const Region& region) {
  int within = 0;
  for (const Region& other : scene.regions) {
    if (other.box != region.box && inside(other.box, region.box)) ++within;
  }
  const bool large = region.box.width > 200 && region.box.height > 120;
  const bool band = region.box.width * 10 > scene.bgr.cols * 6;
  return within >= 3 || ((large || band) && within >= 1);
}

/// What is in a control, from the left to the right.
struct Inside {
  cv::Rect text;  // of all texts; empty: there is none
  bool mark_at_end = false;
};

Inside look_into(const Scene& scene, const cv::Rect& box) {
  Inside out;
  for (const TextBox& text : scene.texts) {
    if (!middle_inside(text.box, box)) continue;
    const int left = box.br().x - text.box.br().x;
    // A flat arrow has the shape of a low letter.
    const bool arrow = text.atoms == 1 && text.box.height <= 8 && text.box.width <= 14 &&
                       text.box.x > box.x + box.width / 2 && left > 2 && left < box.height;
    if (arrow) {
      out.mark_at_end = true;
    } else {
      out.text |= text.box;
    }
  }
  for (const Atom& mark : scene.marks) {
    const int high = std::max(mark.box.width, mark.box.height);
    if (high < kLeastMark || high > box.height || !inside(mark.box, box)) continue;
    const int left = box.x + box.width - (mark.box.x + mark.box.width);
    if (left > 2 && left < box.height) out.mark_at_end = true;
  }
  return out;
}

std::string role_of(Form form) {
  if (form == Form::Other) return {};
  return form == Form::Round ? "RadioButton" : "CheckBox";
}

/// What it looks like; nothing where its looks do not tell.
std::string role_of(const Scene& scene, const Region& region) {
  const cv::Rect& box = region.box;
  const int high = std::max(box.width, box.height);
  const bool square = std::abs(box.width - box.height) <= 2;
  if (square && high <= kToggleSide) {
    return role_of(form_of(scene.bgr, box));
  }
  const Inside in = look_into(scene, box);
  const bool wide = box.width >= box.height * 3;
  if (in.text.empty()) return wide && !in.mark_at_end ? "Edit" : "";
  const int left = in.text.x - box.x;
  const int right = box.x + box.width - (in.text.x + in.text.width);
  if (std::abs(left - right) * 5 <= box.width && left * 2 > 4) return "Button";
  if (left < right && wide) return in.mark_at_end ? "ComboBox" : "Edit";
  return "";
}

VisualElement element_of(const Scene& scene, const Region& region) {
  VisualElement out;
  out.bbox = rect_of(region.box);
  out.source = "vision";
  out.colour = hex_of(region.ground);
  if (is_panel(scene, region)) {
    out.kind = "region";
    out.confidence = kPanelCertain;
    return out;
  }
  out.kind = "control";
  out.role = role_of(scene, region);
  out.confidence = std::min(1.0, region.outline * (out.role.empty() ? 0.85 : 0.95));
  return out;
}

VisualElement element_of(const Scene& scene, const Icon& icon) {
  VisualElement out;
  out.bbox = rect_of(icon.box);
  out.kind = "icon";
  out.role = "Image";
  out.confidence = icon.doubtful ? kIconDoubtful : kIconCertain;
  out.source = "vision";
  const VisionColour colour = colour_of(scene.bgr(icon.box));
  out.colour = colour.foreground.empty() ? colour.background : colour.foreground;
  return out;
}

VisualElement element_of(const Scene& scene, const Ticked& ticked) {
  VisualElement out;
  out.bbox = rect_of(ticked.box);
  out.kind = "control";
  out.role = role_of(ticked.form);
  out.confidence = kTickedCertain;
  out.source = "vision";
  out.colour = colour_of(scene.bgr(ticked.box)).background;
  return out;
}

/// The words whose middle is on it, with blanks between them. Inner elements have theirs too.
std::string text_on(const Rect& box, const std::vector<OcrWord>& words) {
  std::string out;
  for (const OcrWord& word : words) {
    const Rect& at = word.bbox;
    if (!box.contains(at.x + at.width / 2, at.y + at.height / 2)) continue;
    out += (out.empty() ? "" : " ") + word.text;
  }
  return out;
}

/// Whether one of the first elements is this box already.
bool is_known(const std::vector<VisualElement>& elements, std::size_t count, const cv::Rect& box) {
  const auto end = elements.begin() + static_cast<std::ptrdiff_t>(count);
  return std::any_of(elements.begin(), end, [&](const VisualElement& other) {
    const cv::Rect at(other.bbox.x, other.bbox.y, other.bbox.width, other.bbox.height);
    return overlap_of(box, at) > 0.5;
  });
}

/// The ground within a ticked box, its tick, the dot of a radio button.
bool is_part_of_ticked(const cv::Rect& box, const std::vector<Ticked>& ticked) {
  return std::any_of(ticked.begin(), ticked.end(), [&](const Ticked& one) {
    return middle_inside(box, one.box) && box.area() * 2 <= one.box.area() * 3;
  });
}

std::vector<VisualElement> elements_of(const Scene& scene) {
  std::vector<VisualElement> out;
  for (const Ticked& ticked : scene.ticked) out.push_back(element_of(scene, ticked));
  const double whole = kWholePicture * scene.bgr.cols * scene.bgr.rows;
  for (Region region : scene.regions) {
    if (region.box.area() > whole || is_part_of_ticked(region.box, scene.ticked)) continue;
    if (is_part_of_text(region, scene.texts) && !is_toggle_in_word(scene, region)) continue;
    if (!take_ring(region, scene.icons) && is_part_of_icon(region, scene.icons)) continue;
    out.push_back(element_of(scene, region));
  }
  const std::size_t controls = out.size();
  for (const Icon& icon : scene.icons) {
    if (!is_known(out, controls, icon.box)) out.push_back(element_of(scene, icon));
  }
  return out;
}

}  // namespace

Result<VisionDetectResult> detect(const VisionDetectRequest& request, std::int64_t max_pixels) {
  GANTRY_ASSIGN(const View view, view_of(request.image, request.region, max_pixels));
  const Scene scene = look_at(view, request.words);
  VisionDetectResult out;
  out.route = "classical/1";
  for (VisualElement& element : elements_of(scene)) {
    if (element.confidence < request.min_confidence) continue;
    element.bbox.x += view.corner.x;
    element.bbox.y += view.corner.y;
    if (element.kind != "region") element.text = text_on(element.bbox, request.words);
    out.elements.push_back(std::move(element));
  }
  std::stable_sort(out.elements.begin(), out.elements.end(), [](const auto& a, const auto& b) {
    return std::pair(a.bbox.y, a.bbox.x) < std::pair(b.bbox.y, b.bbox.x);
  });
  const auto limit = static_cast<std::size_t>(std::max(request.max_results, 0));
  out.truncated = out.elements.size() > limit;
  if (out.truncated) out.elements.resize(limit);
  return out;
}

}  // namespace gantry::vision_cv
