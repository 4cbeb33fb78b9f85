// SPDX-License-Identifier: Apache-2.0
// Draws one window of Qt for toolkits.py: windows_qt light|dark PICTURE < PARTS
// Standard input has a line for each part: kind, name, x, y, width, height (0: its own), on, value
// or file, with tabs between them. Printed are, for each, the box of what is ticked or pressed and
// that of the whole control.
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QPalette>
#include <QPixmap>
#include <QPushButton>
#include <QRadioButton>
#include <QStyleOptionButton>
#include <QTextStream>
#include <QWidget>

namespace {

void make_dark() {
  QPalette palette;
  palette.setColor(QPalette::Window, QColor(43, 45, 48));
  palette.setColor(QPalette::Base, QColor(30, 31, 34));
  palette.setColor(QPalette::Button, QColor(60, 63, 65));
  for (const auto role : {QPalette::WindowText, QPalette::ButtonText, QPalette::Text}) {
    palette.setColor(role, QColor(210, 212, 214));
  }
  QApplication::setPalette(palette);
}

QWidget* made(const QStringList& part, QWidget* window) {
  const QString& kind = part[0];
  const QString& name = part[1];
  if (kind == "button") return new QPushButton(name, window);
  if (kind == "edit") return new QLineEdit(part[7], window);
  if (kind == "panel") {
    auto* frame = new QFrame(window);
    frame->setFrameStyle(QFrame::StyledPanel);
    return frame;
  }
  if (kind == "check" || kind == "radio") {
    QAbstractButton* toggle = nullptr;
    if (kind == "check") {
      toggle = new QCheckBox(name, window);
    } else {
      toggle = new QRadioButton(name, window);
    }
    toggle->setChecked(part[6] == "1");
    return toggle;
  }
  if (kind == "combo") {
    auto* combo = new QComboBox(window);
    combo->addItem(name);
    return combo;
  }
  auto* label = new QLabel(name, window);
  if (kind == "icon") label->setPixmap(QPixmap(part[7]));
  return label;
}

/// What is ticked of a check box or radio button; all of everything else.
QRect mark_of(const QWidget* widget, const QString& kind) {
  if (kind != "check" && kind != "radio") return widget->geometry();
  QStyleOptionButton option;
  option.initFrom(widget);
  const auto element =
      kind == "check" ? QStyle::SE_CheckBoxIndicator : QStyle::SE_RadioButtonIndicator;
  return widget->style()
      ->subElementRect(element, &option, widget)
      .translated(widget->geometry().topLeft());
}

void print(QTextStream& out, const QRect& box) {
  out << box.x() << '\t' << box.y() << '\t' << box.width() << '\t' << box.height();
}

}  // namespace

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  const QStringList arguments = QApplication::arguments();
  QApplication::setStyle("Fusion");
  if (arguments.value(1) == "dark") make_dark();
  QWidget window;
  window.setFixedSize(1280, 800);
  QList<QPair<QWidget*, QString>> shown;
  QTextStream in(stdin);
  in.setCodec("UTF-8");
  QFont font(in.readLine());
  font.setPixelSize(in.readLine().toInt());
  QApplication::setFont(font);
  while (!in.atEnd()) {
    const QStringList part = in.readLine().split('\t');
    if (part.size() < 8) continue;
    QWidget* widget = made(part, &window);
    const QSize size =
        part[4] == "0" ? widget->sizeHint() : QSize(part[4].toInt(), part[5].toInt());
    widget->setGeometry(QRect(QPoint(part[2].toInt(), part[3].toInt()), size));
    shown.append({widget, part[0]});
  }
  window.show();
  QApplication::processEvents();
  if (QWidget* focused = QApplication::focusWidget()) focused->clearFocus();
  QApplication::processEvents();
  window.grab().toImage().convertToFormat(QImage::Format_RGB32).save(arguments.value(2), "PNG");
  QTextStream out(stdout);
  for (const auto& [widget, kind] : shown) {
    print(out, mark_of(widget, kind));
    out << '\t';
    print(out, widget->geometry());
    out << '\n';
  }
  return 0;
}
