// SPDX-License-Identifier: Apache-2.0
// A window of Qt with the texts of standard input; prints where each is: qt_window light|dark
// PICTURE.png
#include <QApplication>
#include <QGridLayout>
#include <QLabel>
#include <QPalette>
#include <QPushButton>
#include <QTextStream>
#include <QWidget>

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  const QStringList arguments = QApplication::arguments();
  QApplication::setStyle("Fusion");
  if (arguments.value(1) == "dark") {
    QPalette palette;
    palette.setColor(QPalette::Window, QColor(43, 45, 48));
    palette.setColor(QPalette::Button, QColor(60, 63, 65));
    for (const auto role : {QPalette::WindowText, QPalette::ButtonText, QPalette::Text}) {
      palette.setColor(role, QColor(210, 212, 214));
    }
    QApplication::setPalette(palette);
  }
  QWidget window;
  QGridLayout grid(&window);
  grid.setHorizontalSpacing(28);
  QList<QPair<QWidget*, QString>> shown;
  QTextStream in(stdin);
  in.setCodec("UTF-8");
  for (int i = 0; !in.atEnd(); ++i) {
    const QString text = in.readLine();
    QWidget* widget = nullptr;
    if (i % 5 == 4) {
      widget = new QPushButton(text);
    } else {
      auto* label = new QLabel(text);
      QFont font("DejaVu Sans");
      font.setPixelSize(11 + i % 6);
      label->setFont(font);
      widget = label;
    }
    grid.addWidget(widget, i / 3, i % 3);
    shown.append({widget, text});
  }
  window.show();
  QApplication::processEvents();
  window.grab().save(arguments.value(2), "PNG");
  QTextStream out(stdout);
  out.setCodec("UTF-8");
  for (const auto& [widget, text] : shown) {
    const QPoint at = widget->mapTo(&window, QPoint(0, 0));
    const int width = widget->fontMetrics().horizontalAdvance(text);
    const bool centred = qobject_cast<QPushButton*>(widget) != nullptr;
    const int x = at.x() + (centred ? (widget->width() - width) / 2 : 0);
    const int height = widget->fontMetrics().height();
    out << x << '\t' << at.y() + (widget->height() - height) / 2 << '\t' << width << '\t' << height
        << '\t' << text << '\n';
  }
  return 0;
}
