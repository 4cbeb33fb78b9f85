// SPDX-License-Identifier: Apache-2.0
// A GTK 3 window with a known number of accessible nodes, used to measure and verify the adapter.
// Usage: gtk3_many [--cells N] [--title T] [--csd] [--twin] [--churn]
//   --cells N  buttons, labels and check boxes in the grid (default 1450; about N + 40 nodes in
//   all)
//   --csd      client-side decoration (a GtkHeaderBar), so the frame carries invisible shadow
//   borders
//   --twin     a second window with the same title beside the first
//   --churn    every 50 ms one label changes and one button is added or removed
// Prints "ready" once the first window is mapped.
#include <gtk/gtk.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int cells = 1450;
static const char* title = "Gantry GTK3";
static gboolean use_csd, twin, churn;
static GtkWidget* churn_label;
static GtkWidget* churn_box;

static gboolean on_mapped(GtkWidget* widget, GdkEvent* event, gpointer data) {
  (void)widget, (void)event, (void)data;
  puts("ready");
  fflush(stdout);
  return FALSE;
}

static gboolean on_churn(gpointer data) {
  static int tick;
  static GtkWidget* extra;
  (void)data;
  char text[32];
  snprintf(text, sizeof text, "tick %d", ++tick);
  gtk_label_set_text(GTK_LABEL(churn_label), text);
  if (extra) {
    gtk_widget_destroy(extra);
    extra = NULL;
  } else {
    extra = gtk_button_new_with_label("extra");
    gtk_widget_show(extra);
    gtk_box_pack_start(GTK_BOX(churn_box), extra, FALSE, FALSE, 0);
  }
  return TRUE;
}

static void on_clicked(GtkButton* button, gpointer data) {
  (void)button;
  gtk_entry_set_text(GTK_ENTRY(data), "clicked");
}

static GtkWidget* make_menu_bar(void) {
  GtkWidget* bar = gtk_menu_bar_new();
  const char* names[] = {"_File", "_Edit", "_View"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); ++i) {
    GtkWidget* top = gtk_menu_item_new_with_mnemonic(names[i]);
    GtkWidget* menu = gtk_menu_new();
    for (int j = 0; j < 4; ++j) {
      char label[32];
      snprintf(label, sizeof label, "Entry %zu.%d", i, j);
      gtk_menu_shell_append(GTK_MENU_SHELL(menu), gtk_menu_item_new_with_label(label));
    }
    gtk_menu_item_set_submenu(GTK_MENU_ITEM(top), menu);
    gtk_menu_shell_append(GTK_MENU_SHELL(bar), top);
  }
  return bar;
}

static GtkWidget* make_form(void) {
  GtkWidget* form = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
  GtkWidget* entry = gtk_entry_new();
  gtk_entry_set_text(GTK_ENTRY(entry), "héllo");
  atk_object_set_name(gtk_widget_get_accessible(entry), "first");
  GtkWidget* secret = gtk_entry_new();
  gtk_entry_set_visibility(GTK_ENTRY(secret), FALSE);
  gtk_entry_set_text(GTK_ENTRY(secret), "hunter2");
  atk_object_set_name(gtk_widget_get_accessible(secret), "secret");
  GtkWidget* scale = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, 100, 1);
  gtk_range_set_value(GTK_RANGE(scale), 40);
  gtk_widget_set_size_request(scale, 120, -1);
  GtkWidget* press = gtk_button_new_with_label("Press");
  g_signal_connect(press, "clicked", G_CALLBACK(on_clicked), entry);
  GtkWidget* off = gtk_button_new_with_label("Disabled");
  gtk_widget_set_sensitive(off, FALSE);
  GtkWidget* check = gtk_check_button_new_with_label("Checked");
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(check), TRUE);
  GtkWidget* combo = gtk_combo_box_text_new();
  gtk_combo_box_text_append_text(GTK_COMBO_BOX_TEXT(combo), "alpha");
  gtk_combo_box_text_append_text(GTK_COMBO_BOX_TEXT(combo), "beta");
  gtk_combo_box_set_active(GTK_COMBO_BOX(combo), 0);
  churn_label = gtk_label_new("tick 0");
  churn_box = form;
  GtkWidget* parts[] = {entry, secret, scale, press, off, check, combo, churn_label};
  for (size_t i = 0; i < G_N_ELEMENTS(parts); ++i) {
    gtk_box_pack_start(GTK_BOX(form), parts[i], FALSE, FALSE, 0);
  }
  return form;
}

static GtkWidget* make_grid(void) {
  GtkWidget* grid = gtk_grid_new();
  for (int i = 0; i < cells; ++i) {
    char label[32];
    snprintf(label, sizeof label, "c%d", i);
    GtkWidget* cell = i % 3 == 0   ? gtk_button_new_with_label(label)
                      : i % 3 == 1 ? gtk_label_new(label)
                                   : gtk_check_button_new_with_label(label);
    gtk_grid_attach(GTK_GRID(grid), cell, i % 25, i / 25, 1, 1);
  }
  return grid;
}

static GtkWidget* make_window(void) {
  GtkWidget* window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
  gtk_window_set_title(GTK_WINDOW(window), title);
  gtk_window_set_default_size(GTK_WINDOW(window), 1200, 700);
  if (use_csd) {
    GtkWidget* header = gtk_header_bar_new();
    gtk_header_bar_set_show_close_button(GTK_HEADER_BAR(header), TRUE);
    gtk_header_bar_set_title(GTK_HEADER_BAR(header), title);
    gtk_window_set_titlebar(GTK_WINDOW(window), header);
  }
  GtkWidget* column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
  gtk_box_pack_start(GTK_BOX(column), make_menu_bar(), FALSE, FALSE, 0);
  gtk_box_pack_start(GTK_BOX(column), make_form(), FALSE, FALSE, 0);
  GtkWidget* scrolled = gtk_scrolled_window_new(NULL, NULL);
  gtk_container_add(GTK_CONTAINER(scrolled), make_grid());
  gtk_box_pack_start(GTK_BOX(column), scrolled, TRUE, TRUE, 0);
  GtkWidget* status = gtk_statusbar_new();
  gtk_statusbar_push(GTK_STATUSBAR(status), 0, "all well");
  gtk_box_pack_start(GTK_BOX(column), status, FALSE, FALSE, 0);
  gtk_container_add(GTK_CONTAINER(window), column);
  g_signal_connect(window, "destroy", G_CALLBACK(gtk_main_quit), NULL);
  return window;
}

int main(int argc, char** argv) {
  gtk_init(&argc, &argv);
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--cells") && i + 1 < argc) cells = atoi(argv[++i]);
    if (!strcmp(argv[i], "--title") && i + 1 < argc) title = argv[++i];
    if (!strcmp(argv[i], "--csd")) use_csd = TRUE;
    if (!strcmp(argv[i], "--twin")) twin = TRUE;
    if (!strcmp(argv[i], "--churn")) churn = TRUE;
  }
  GtkWidget* window = make_window();
  g_signal_connect(window, "map-event", G_CALLBACK(on_mapped), NULL);
  gtk_widget_show_all(window);
  gtk_window_move(GTK_WINDOW(window), 60, 80);
  if (twin) {
    GtkWidget* second = make_window();
    gtk_window_resize(GTK_WINDOW(second), 900, 400);
    gtk_widget_show_all(second);
    gtk_window_move(GTK_WINDOW(second), 300, 420);
  }
  if (churn) g_timeout_add(50, on_churn, NULL);
  gtk_main();
  return 0;
}
