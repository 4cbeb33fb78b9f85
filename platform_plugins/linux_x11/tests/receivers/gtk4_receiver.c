/* SPDX-License-Identifier: Apache-2.0
 *
 * A GTK 4 window with a text view. gtk4_receiver FILE: FILE always holds what the view holds. */
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

static gboolean closed(GtkWindow* window, gpointer loop) {
  (void)window;
  g_main_loop_quit(loop);
  return FALSE;
}

int main(int argc, char** argv) {
  (void)argc;
  gtk_init();
  GMainLoop* loop = g_main_loop_new(NULL, FALSE);
  GtkWidget* window = gtk_window_new();
  GtkWidget* view = gtk_text_view_new();
  gtk_window_set_title(GTK_WINDOW(window), "receiver gtk4");
  gtk_window_set_default_size(GTK_WINDOW(window), 500, 300);
  g_signal_connect(gtk_text_view_get_buffer(GTK_TEXT_VIEW(view)), "changed", G_CALLBACK(changed),
                   argv[1]);
  g_signal_connect(window, "close-request", G_CALLBACK(closed), loop);
  gtk_window_set_child(GTK_WINDOW(window), view);
  gtk_window_present(GTK_WINDOW(window));
  gtk_widget_grab_focus(view);
  g_main_loop_run(loop);
  return 0;
}
