// Inter and JetBrains Mono in the sizes of the style guide, baked with the eight state patterns into one alpha texture.
// Sizes are em sizes in logical pixels; the atlas is baked at the view's pixel ratio.
#pragma once

#include "base/result.h"
#include "presenter/stall_group.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

struct ImFont;
struct ImFontAtlas;

namespace warpmill::scene {

enum class Weight : std::uint8_t { Regular, Medium, SemiBold, Bold };
struct TextStyle {
  float size = 13;
  Weight weight = Weight::Regular;
  bool mono = false;
};

class Fonts {
 public:
  static Result<std::shared_ptr<Fonts>> bake(float pixelRatio);
  ~Fonts();

  struct Glyph { float x0, y0, x1, y1, u0, v0, u1, v1, advance; };  // logical pixels from the pen on the baseline
  // Glyphs of a style; `scale` enlarges the nearest baked size.
  class Face {
   public:
    [[nodiscard]] Glyph glyph(std::uint32_t codepoint) const;
   private:
    friend class Fonts;
    const ImFont* font_ = nullptr;
    float scale_ = 1, ratio_ = 1;
  };
  [[nodiscard]] Face face(TextStyle style) const;
  [[nodiscard]] float width(std::string_view text, TextStyle style) const;

  struct Tile { float u0, v0, u1, v1; int pixels; };   // a pattern's tile, `pixels` wide and high
  [[nodiscard]] const Tile& pattern(presenter::StallGroup group) const { return tiles_[static_cast<std::size_t>(group)]; }
  [[nodiscard]] const Tile& hatch() const { return tiles_[8]; }
  [[nodiscard]] const std::vector<std::uint8_t>& pixels() const { return pixels_; }
  [[nodiscard]] int textureWidth() const { return width_; }
  [[nodiscard]] int textureHeight() const { return height_; }
  [[nodiscard]] float whiteU() const { return whiteU_; }
  [[nodiscard]] float whiteV() const { return whiteV_; }

 private:
  Fonts() = default;
  struct Baked { ImFont* font; float size; Weight weight; bool mono; };
  std::unique_ptr<ImFontAtlas> atlas_;
  std::vector<Baked> baked_;
  std::array<Tile, 9> tiles_{};
  std::vector<std::uint8_t> pixels_;
  int width_ = 0, height_ = 0;
  float whiteU_ = 0, whiteV_ = 0, ratio_ = 1;
};

// The next code point of UTF-8 text; moves `at`. Broken bytes give U+FFFD.
std::uint32_t nextCodepoint(std::string_view text, std::size_t& at);

}  // namespace warpmill::scene
