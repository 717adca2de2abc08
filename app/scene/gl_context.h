// OpenGL 3.3 core without a window: EGL surfaceless first, then the first EGL device. Needs no display.
#pragma once

#include "base/result.h"

#include <memory>
#include <string>

namespace warpmill::scene {

class GlContext {
 public:
  static Result<std::shared_ptr<GlContext>> create();
  ~GlContext();
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;

  void makeCurrent();
  [[nodiscard]] const std::string& rendererName() const { return rendererName_; }  // "llvmpipe (LLVM 15.0.6, 256 bits)"

 private:
  GlContext() = default;
  void* display_ = nullptr;
  void* context_ = nullptr;
  std::string rendererName_;
};

}  // namespace warpmill::scene
