#include "scene/fonts.h"

#include "scene/problem.h"

#include <imgui.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace warpmill::scene {
namespace {

// Where Debian's and Ubuntu's font packages put the files; a folder of the program's own comes first.
std::string findFont(const std::vector<std::string>& names) {
  std::vector<std::string> folders;
  if (const char* own = std::getenv("WARPMILL_FONTS")) folders.emplace_back(own);
  for (const char* folder : {"/usr/share/fonts/opentype/inter", "/usr/share/fonts/truetype/inter", "/usr/share/fonts/truetype/jetbrains-mono",
                             "/usr/share/fonts/opentype/jetbrains-mono", "/usr/share/fonts/truetype/dejavu"})
    folders.emplace_back(folder);
  std::error_code ignored;
  for (const std::string& name : names)
    for (const std::string& folder : folders)
      if (const std::string path = folder + "/" + name; std::filesystem::exists(path, ignored)) return path;
  return {};
}

const ImWchar ranges[] = {0x0020, 0x00FF, 0x0401, 0x0401, 0x0410, 0x044F, 0x0451, 0x0451, 0x2009, 0x2009, 0x2013, 0x2014,
                          0x2018, 0x201E, 0x2022, 0x2022, 0x2026, 0x2026, 0x2190, 0x2193, 0x2212, 0x2212, 0x2248, 0x2248, 0};
const ImWchar paintRanges[] = {0x0020, 0x007E, 0x0401, 0x0401, 0x0410, 0x044F, 0x0451, 0x0451, 0};

// ImGui's size is ascent minus descent; ours is the em. The two fonts' own ratios (hhea table).
constexpr float interLine = 1.21f, monoLine = 1.32f;

// How much of a pattern's tile a stroke covers at (x, y) of a 6 x 6 tile.
float patternInk(presenter::StallGroup group, float x, float y) {
  using presenter::StallGroup;
  const auto stripe = [](float d, float w) { return std::fabs(d - 6 * std::round(d / 6)) < w / 2 ? 1.0f : 0.0f; };
  constexpr float root2 = 1.41421356f;
  switch (group) {
    case StallGroup::Global: return stripe(x + y, 1.3f * root2);
    case StallGroup::Instruction: return stripe(x - y, 1.3f * root2);
    case StallGroup::Short: return std::hypot(x - 1.5f, y - 1.5f) < 1.05f || std::hypot(x - 4.5f, y - 4.5f) < 1.05f ? 1.0f : 0.0f;
    case StallGroup::Queue: return std::max(stripe(x + y, root2), stripe(x - y, root2));
    case StallGroup::Barrier: return std::fabs(y - 1.5f) < 0.55f || std::fabs(y - 4.5f) < 0.55f ? 1.0f : 0.0f;
    case StallGroup::Machine: return std::fabs(x - 1.5f) < 0.55f || std::fabs(x - 4.5f) < 0.55f ? 1.0f : 0.0f;
    case StallGroup::Working:
    case StallGroup::Ready: break;
  }
  return 0;
}

}  // namespace

Fonts::~Fonts() = default;

Result<std::shared_ptr<Fonts>> Fonts::bake(float pixelRatio) {
  std::shared_ptr<Fonts> self(new Fonts);
  self->ratio_ = pixelRatio;
  self->atlas_ = std::make_unique<ImFontAtlas>();
  ImFontAtlas& atlas = *self->atlas_;
  atlas.TexDesiredWidth = 2048;
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight | ImFontAtlasFlags_NoMouseCursors | ImFontAtlasFlags_NoBakedLines;
  const std::string sans[4] = {findFont({"Inter-Regular.otf", "Inter-Regular.ttf", "DejaVuSans.ttf"}), findFont({"Inter-Medium.otf", "Inter-Medium.ttf", "DejaVuSans.ttf"}),
                               findFont({"Inter-SemiBold.otf", "Inter-SemiBold.ttf", "DejaVuSans-Bold.ttf"}), findFont({"Inter-Bold.otf", "Inter-Bold.ttf", "DejaVuSans-Bold.ttf"})};
  const std::string mono[4] = {findFont({"JetBrainsMono-Regular.ttf", "DejaVuSansMono.ttf"}), findFont({"JetBrainsMono-Medium.ttf", "DejaVuSansMono.ttf"}),
                               findFont({"JetBrainsMono-SemiBold.ttf", "DejaVuSansMono-Bold.ttf"}), findFont({"JetBrainsMono-Bold.ttf", "DejaVuSansMono-Bold.ttf"})};
  struct Want { float size; Weight weight; bool mono; const ImWchar* range; };
  const Want wants[] = {{12, Weight::Regular, false, ranges}, {13, Weight::Regular, false, ranges}, {14, Weight::Regular, false, ranges},
                        {12, Weight::Medium, false, ranges}, {13, Weight::Medium, false, ranges}, {14, Weight::Medium, false, ranges},
                        {12, Weight::SemiBold, false, ranges}, {13, Weight::SemiBold, false, ranges}, {14, Weight::SemiBold, false, ranges}, {15, Weight::SemiBold, false, ranges},
                        {20, Weight::SemiBold, false, ranges}, {32, Weight::SemiBold, false, paintRanges},
                        {12, Weight::Bold, false, paintRanges}, {13, Weight::Bold, false, paintRanges},
                        {12, Weight::Regular, true, ranges}, {13, Weight::Regular, true, ranges}, {14, Weight::Regular, true, ranges},
                        {12, Weight::Medium, true, paintRanges}, {20, Weight::Medium, true, ranges},
                        {12, Weight::SemiBold, true, ranges}, {13, Weight::SemiBold, true, ranges}, {14, Weight::SemiBold, true, ranges}, {20, Weight::SemiBold, true, ranges},
                        {12, Weight::Bold, true, paintRanges}};
  for (const Want& want : wants) {
    const std::string& file = want.mono ? mono[static_cast<int>(want.weight)] : sans[static_cast<int>(want.weight)];
    if (file.empty())
      return problemOf(want.mono ? "the font JetBrains Mono is not installed" : "the font Inter is not installed",
                       "install the packages fonts-inter and fonts-jetbrains-mono, or set WARPMILL_FONTS to a folder with their files");
    ImFontConfig config;
    config.OversampleH = 2;
    config.OversampleV = 1;
    ImFont* font = atlas.AddFontFromFileTTF(file.c_str(), want.size * pixelRatio * (want.mono ? monoLine : interLine), &config, want.range);
    if (font == nullptr) return problemOf("the font file " + file + " cannot be read", {});
    self->baked_.push_back({font, want.size, want.weight, want.mono});
  }
  const int tile = std::max(6, static_cast<int>(std::lround(6 * pixelRatio)));
  std::array<int, 9> rect{};
  for (int& r : rect) r = atlas.AddCustomRectRegular(tile + 2, tile + 2);   // a rim of one pixel: linear filtering stays inside
  unsigned char* data = nullptr;
  atlas.GetTexDataAsAlpha8(&data, &self->width_, &self->height_);
  self->pixels_.assign(data, data + static_cast<std::size_t>(self->width_) * static_cast<std::size_t>(self->height_));
  const float w = static_cast<float>(self->width_), h = static_cast<float>(self->height_);
  for (std::size_t g = 0; g < rect.size(); ++g) {
    const ImFontAtlasCustomRect* place = atlas.GetCustomRectByIndex(rect[g]);
    constexpr int sub = 4;
    for (int y = -1; y <= tile; ++y)
      for (int x = -1; x <= tile; ++x) {
        float sum = 0;
        for (int k = 0; k < sub * sub; ++k) {
          const float px = std::fmod((static_cast<float>(x + tile) + (static_cast<float>(k % sub) + 0.5f) / sub) * 6 / static_cast<float>(tile), 6.0f);
          const float py = std::fmod((static_cast<float>(y + tile) + (static_cast<float>(k / sub) + 0.5f) / sub) * 6 / static_cast<float>(tile), 6.0f);
          sum += g < 8 ? patternInk(static_cast<presenter::StallGroup>(g), px, py) : std::fabs(px + py - 6 * std::round((px + py) / 6)) < 0.707f ? 1.0f : 0.0f;
        }
        self->pixels_[static_cast<std::size_t>((place->Y + y + 1) * self->width_ + place->X + x + 1)] = static_cast<std::uint8_t>(std::lround(sum * 255 / (sub * sub)));
      }
    self->tiles_[g] = {static_cast<float>(place->X + 1) / w, static_cast<float>(place->Y + 1) / h, static_cast<float>(place->X + 1 + tile) / w,
                       static_cast<float>(place->Y + 1 + tile) / h, tile};
  }
  self->whiteU_ = atlas.TexUvWhitePixel.x;
  self->whiteV_ = atlas.TexUvWhitePixel.y;
  return self;
}

Fonts::Face Fonts::face(TextStyle style) const {
  const Baked* best = nullptr;
  float bestCost = 0;
  for (const Baked& baked : baked_) {
    float cost = std::fabs(baked.size - style.size) + 40.0f * std::fabs(static_cast<float>(baked.weight) - static_cast<float>(style.weight));
    if (baked.size < style.size) cost += 2;
    if (baked.mono != style.mono) cost += 1000;
    if (best == nullptr || cost < bestCost) { best = &baked; bestCost = cost; }
  }
  Face face;
  face.font_ = best->font;
  face.scale_ = style.size / best->size;
  face.ratio_ = ratio_;
  return face;
}

Fonts::Glyph Fonts::Face::glyph(std::uint32_t codepoint) const {
  const ImFontGlyph* g = font_->FindGlyph(static_cast<ImWchar>(codepoint));
  const float k = scale_ / ratio_, up = font_->Ascent;
  if (codepoint == 0x2009) return {0, 0, 0, 0, 0, 0, 0, 0, font_->FontSize * k * 0.17f};   // the thin space, which not every font has
  if (g == nullptr) return {0, 0, 0, 0, 0, 0, 0, 0, 0};
  return {g->X0 * k, (g->Y0 - up) * k, g->X1 * k, (g->Y1 - up) * k, g->U0, g->V0, g->U1, g->V1, g->AdvanceX * k};
}

float Fonts::width(std::string_view text, TextStyle style) const {
  const Face f = face(style);
  float w = 0;
  for (std::size_t at = 0; at < text.size();) w += f.glyph(nextCodepoint(text, at)).advance;
  return w;
}

std::uint32_t nextCodepoint(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(at++);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  if (more == 0 || at + static_cast<std::size_t>(more) > text.size()) return 0xFFFD;
  std::uint32_t code = first & (0x3Fu >> more);
  for (int i = 0; i < more; ++i) code = code << 6 | (byte(at++) & 0x3F);
  return code;
}

}  // namespace warpmill::scene
