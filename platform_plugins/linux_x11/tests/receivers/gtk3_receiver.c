/* SPDX-License-Identifier: Apache-2.0
 *
 * A GTK 3 window with a text view. gtk3_receiver FILE: FILE always holds what the view holds. */
#include "save_text.h"

#include <gtk/gtk.h>

static void changed(GtkTextBuffer* buffer, gpointer path) {
  GtkTextIter begin;
  GtkTextIter end;
  gtk_text_buffer_get_bounds(buffer, &begin, &end);
  char* text = gtk_text_buffer_get_text(buffer, &begin, &end, TRUE);
  save_text(path, text);
  g_free(text);
}

int main(int argc, char** argv) {
  gtk_init(&argc, &argv);
  GtkWidget* window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
  GtkWidget* view = gtk_text_view_new();
  gtk_window_set_title(GTK_WINDOW(window), "receiver gtk3");
  gtk_window_set_default_size(GTK_WINDOW(window), 500, 300);
  gtk_text_view_set_accepts_tab(GTK_TEXT_VIEW(view), TRUE);
  g_signal_connect(gtk_text_view_get_buffer(GTK_TEXT_VIEW(view)), "changed", G_CALLBACK(changed),
                   argv[1]);
  g_signal_connect(window, "destroy", G_CALLBACK(gtk_main_quit), NULL);
  gtk_container_add(GTK_CONTAINER(window), view);
  gtk_widget_show_all(window);
  gtk_widget_grab_focus(view);
  gtk_main();
  return 0;
}
