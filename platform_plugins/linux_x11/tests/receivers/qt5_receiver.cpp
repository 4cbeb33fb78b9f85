// SPDX-License-Identifier: Apache-2.0
//
// A Qt 5 window with a text edit. qt5_receiver FILE: FILE always holds what the edit holds.
#include "save_text.h"

#include <QApplication>
#include <QPlainTextEdit>

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  const std::string path = argc > 1 ? argv[1] : "/dev/null";
  QPlainTextEdit edit;
  edit.setWindowTitle("receiver qt5");
  edit.resize(500, 300);
  QObject::connect(&edit, &QPlainTextEdit::textChanged,
                   [&] { save_text(path.c_str(), edit.toPlainText().toUtf8().constData()); });
  edit.show();
  edit.setFocus();
  return QApplication::exec();
}
