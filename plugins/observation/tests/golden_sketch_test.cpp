#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <cstdlib>
#include <yaml-cpp/yaml.h>
#include "sketch.hpp"
#include "prose.hpp"
using namespace gantry::observation;
static Node load(const YAML::Node& y){
  Node n; n.id=y["id"].as<std::string>(); n.role=y["role"].as<std::string>(); n.name=y["name"].as<std::string>();
  if(!y["value"].IsNull()) n.value=y["value"].as<std::string>();
  auto b=y["bounds"]; n.bounds={b["x"].as<int>(),b["y"].as<int>(),b["width"].as<int>(),b["height"].as<int>()};
  n.enabled=y["enabled"].as<bool>(); n.focused=y["focused"].as<bool>();
  if(y["selected"]) n.selected=y["selected"].as<bool>();
  if(y["value_now"]) {n.value_now=y["value_now"].as<double>();n.value_min=y["value_min"].as<double>();n.value_max=y["value_max"].as<double>();}
  for(auto c: y["children"]) n.children.push_back(load(c));
  return n;
}
static YAML::Node file(const std::string& p){ return YAML::LoadFile(std::string("/work/shared/golden/screen-observer/")+p); }
TEST_CASE("x"){
  auto t=make_tree(load(file("mock/005-structure.json")["tree"]));
  CHECK(t->hash==file("mock/005-structure.json")["tree_hash"].as<std::string>());
  struct C{const char*f;Rect r;int w,h;};
  for(auto c: {C{"mock/024-sketch.json",{80,60,800,600},110,38},C{"mock/026-sketch-index1.json",{0,0,1920,1050},110,38},C{"mock/027-sketch-60x20-structured.json",{80,60,800,600},60,20},C{"mock/028-sketch-72x24.json",{80,60,800,600},72,24},C{"mock/029-sketch-1x1.json",{80,60,800,600},1,1}}){
    SketchOptions o; o.grid_width=c.w;o.grid_height=c.h;o.unicode_box=true;
    INFO(c.f);
    CHECK("\n"+draw_sketch(t->root,c.r,o).text=="\n"+file(c.f)["sketch"].as<std::string>());
  }
  auto l=make_tree(load(file("login/002-structure.json")["tree"]));
  for(auto c: {C{"login/004-sketch.json",{100,100,800,600},110,38},C{"login/006-sketch-60x20-structured.json",{100,100,800,600},60,20}}){
    SketchOptions o; o.grid_width=c.w;o.grid_height=c.h;o.unicode_box=true;
    INFO(c.f);
    CHECK("\n"+draw_sketch(l->root,c.r,o).text=="\n"+file(c.f)["sketch"].as<std::string>());
  }
  auto d=file("mock/021-description.json")["description"].as<std::string>();
  CHECK(d.substr(0,d.find("\n\n[ocr]"))=="[accessibility]\n"+describe_tree({"notepad.exe","Untitled — Notepad",{80,60,800,600}},t->root));
}
