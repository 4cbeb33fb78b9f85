// SPDX-License-Identifier: Apache-2.0
#include "roles.hpp"

#include <array>

namespace gantry::atspi {
namespace {

// Index = AtspiRole number. The order is the wire protocol's; never sort it.
constexpr std::array<RoleInfo, 131> kRoles = {{
    {"Unknown", "invalid"},                                           // 0
    {"Text", "accelerator label"},                                    // 1
    {"Alert", "alert", kTopLevel},                                    // 2
    {"Image", "animation"},                                           // 3
    {"Image", "arrow"},                                               // 4
    {"Calendar", "calendar"},                                         // 5
    {"Canvas", "canvas"},                                             // 6
    {"CheckBox", "check box", kActs},                                 // 7
    {"CheckMenuItem", "check menu item", kActs},                      // 8
    {"Dialog", "color chooser", kTopLevel},                           // 9
    {"ColumnHeader", "column header", kActs},                         // 10
    {"ComboBox", "combo box", kHoldsText | kActs},                    // 11
    {"Edit", "date editor", kHoldsText},                              // 12
    {"Image", "desktop icon", kActs},                                 // 13
    {"Pane", "desktop frame"},                                        // 14
    {"Slider", "dial", kHoldsRange | kActs},                          // 15
    {"Dialog", "dialog", kTopLevel},                                  // 16
    {"Pane", "directory pane"},                                       // 17
    {"Canvas", "drawing area"},                                       // 18
    {"Dialog", "file chooser", kTopLevel},                            // 19
    {"Pane", "filler"},                                               // 20
    {"Pane", "focus traversable"},                                    // 21
    {"Dialog", "font chooser", kTopLevel},                            // 22
    {"Window", "frame", kTopLevel},                                   // 23
    {"Pane", "glass pane"},                                           // 24
    {"Document", "html container"},                                   // 25
    {"Image", "icon", kActs},                                         // 26
    {"Image", "image"},                                               // 27
    {"Window", "internal frame", kTopLevel},                          // 28
    {"Text", "label"},                                                // 29
    {"Pane", "layered pane"},                                         // 30
    {"List", "list"},                                                 // 31
    {"ListItem", "list item", kActs},                                 // 32
    {"Menu", "menu", kActs},                                          // 33
    {"MenuBar", "menu bar"},                                          // 34
    {"MenuItem", "menu item", kActs},                                 // 35
    {"Dialog", "option pane"},                                        // 36
    {"Tab", "page tab", kActs},                                       // 37
    {"TabList", "page tab list"},                                     // 38
    {"Pane", "panel"},                                                // 39
    {"Password", "password text", kSecret},                           // 40
    {"Menu", "popup menu"},                                           // 41
    {"ProgressBar", "progress bar", kHoldsRange},                     // 42
    {"Button", "push button", kActs},                                 // 43
    {"RadioButton", "radio button", kActs},                           // 44
    {"RadioMenuItem", "radio menu item", kActs},                      // 45
    {"Pane", "root pane"},                                            // 46
    {"RowHeader", "row header"},                                      // 47
    {"ScrollBar", "scroll bar", kHoldsRange},                         // 48
    {"Pane", "scroll pane"},                                          // 49
    {"Separator", "separator"},                                       // 50
    {"Slider", "slider", kHoldsRange | kActs},                        // 51
    {"SpinButton", "spin button", kHoldsRange | kHoldsText | kActs},  // 52
    {"Pane", "split pane", kHoldsRange},                              // 53
    {"StatusBar", "statusbar"},                                       // 54
    {"Table", "table"},                                               // 55
    {"Cell", "table cell"},                                           // 56
    {"ColumnHeader", "table column header", kActs},                   // 57
    {"RowHeader", "table row header"},                                // 58
    {"MenuItem", "tear off menu item", kActs},                        // 59
    {"Terminal", "terminal", kHoldsText},                             // 60
    {"Edit", "text", kHoldsText},                                     // 61
    {"ToggleButton", "toggle button", kActs},                         // 62
    {"ToolBar", "tool bar"},                                          // 63
    {"ToolTip", "tool tip"},                                          // 64
    {"Tree", "tree"},                                                 // 65
    {"Tree", "tree table"},                                           // 66
    {"Unknown", "unknown"},                                           // 67
    {"Pane", "viewport"},                                             // 68
    {"Window", "window", kTopLevel},                                  // 69
    {"Unknown", "extended"},                                          // 70
    {"Group", "header"},                                              // 71
    {"Group", "footer"},                                              // 72
    {"Paragraph", "paragraph"},                                       // 73
    {"Ruler", "ruler"},                                               // 74
    {"Application", "application"},                                   // 75
    {"Edit", "autocomplete", kHoldsText},                             // 76
    {"Edit", "edit bar", kHoldsText},                                 // 77
    {"Pane", "embedded component"},                                   // 78
    {"Edit", "entry", kHoldsText | kActs},                            // 79
    {"Image", "chart"},                                               // 80
    {"Text", "caption"},                                              // 81
    {"Document", "document frame"},                                   // 82
    {"Heading", "heading"},                                           // 83
    {"Pane", "page"},                                                 // 84
    {"Group", "section"},                                             // 85
    {"Pane", "redundant object"},                                     // 86
    {"Form", "form"},                                                 // 87
    {"Link", "link", kActs},                                          // 88
    {"Window", "input method window", kTopLevel},                     // 89
    {"Row", "table row"},                                             // 90
    {"TreeItem", "tree item", kActs},                                 // 91
    {"Document", "document spreadsheet"},                             // 92
    {"Document", "document presentation"},                            // 93
    {"Document", "document text", kHoldsText},                        // 94
    {"Document", "document web"},                                     // 95
    {"Document", "document email", kHoldsText},                       // 96
    {"Group", "comment"},                                             // 97
    {"List", "list box"},                                             // 98
    {"Group", "grouping"},                                            // 99
    {"Image", "image map"},                                           // 100
    {"Alert", "notification", kTopLevel},                             // 101
    {"Alert", "info bar"},                                            // 102
    {"ProgressBar", "level bar", kHoldsRange},                        // 103
    {"TitleBar", "title bar"},                                        // 104
    {"Group", "block quote"},                                         // 105
    {"Group", "audio"},                                               // 106
    {"Group", "video"},                                               // 107
    {"Group", "definition"},                                          // 108
    {"Group", "article"},                                             // 109
    {"Landmark", "landmark"},                                         // 110
    {"Group", "log"},                                                 // 111
    {"Group", "marquee"},                                             // 112
    {"Group", "math"},                                                // 113
    {"Slider", "rating", kHoldsRange},                                // 114
    {"Text", "timer"},                                                // 115
    {"Text", "static"},                                               // 116
    {"Group", "math fraction"},                                       // 117
    {"Group", "math root"},                                           // 118
    {"Text", "subscript"},                                            // 119
    {"Text", "superscript"},                                          // 120
    {"List", "description list"},                                     // 121
    {"ListItem", "description term"},                                 // 122
    {"ListItem", "description value"},                                // 123
    {"Group", "footnote"},                                            // 124
    {"Group", "content deletion"},                                    // 125
    {"Group", "content insertion"},                                   // 126
    {"Text", "mark"},                                                 // 127
    {"Group", "suggestion"},                                          // 128
    {"Button", "push button menu", kActs},                            // 129
    {"Switch", "switch", kActs},                                      // 130, at-spi2-core 2.56
}};

}  // namespace

const RoleInfo& role_info(std::uint32_t role) {
  static constexpr RoleInfo kUnknown{"Unknown", "unknown"};
  return role < kRoles.size() ? kRoles[role] : kUnknown;
}

std::string_view observer_role_of_name(std::string_view toolkit_name) {
  for (const RoleInfo& info : kRoles) {
    if (info.name == toolkit_name) return info.observer;
  }
  return "Unknown";
}

std::uint32_t role_count() { return static_cast<std::uint32_t>(kRoles.size()); }

}  // namespace gantry::atspi
