#include "png.h"

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb_image_write.h>

namespace warpmill::scene_test {

bool writePng(const scene::Picture& picture, const std::string& path) {
  std::vector<unsigned char> rgb;
  rgb.reserve(picture.pixels.size() * 3);
  for (const std::uint32_t p : picture.pixels)
    for (const int shift : {16, 8, 0}) rgb.push_back(static_cast<unsigned char>(p >> shift & 255));
  return stbi_write_png(path.c_str(), picture.width, picture.height, 3, rgb.data(), picture.width * 3) != 0;
}

}  // namespace warpmill::scene_test
