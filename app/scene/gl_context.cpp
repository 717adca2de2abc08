#include "scene/gl_context.h"

#include "scene/gl.h"
#include "scene/problem.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <array>
#include <cstring>

namespace warpmill::scene {
namespace {

bool has(const char* extensions, const char* name) { return extensions != nullptr && std::strstr(extensions, name) != nullptr; }

EGLDisplay openDisplay(int attempt) {
  const char* client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  const auto getPlatform = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  if (getPlatform == nullptr) return attempt == 2 ? eglGetDisplay(EGL_DEFAULT_DISPLAY) : EGL_NO_DISPLAY;
  if (attempt == 0 && has(client, "EGL_MESA_platform_surfaceless")) return getPlatform(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  if (attempt == 1 && has(client, "EGL_EXT_platform_device")) {
    const auto query = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
    std::array<EGLDeviceEXT, 8> devices{};
    EGLint count = 0;
    if (query != nullptr && query(static_cast<EGLint>(devices.size()), devices.data(), &count) && count > 0)
      return getPlatform(EGL_PLATFORM_DEVICE_EXT, devices[0], nullptr);
  }
  if (attempt == 2) return eglGetDisplay(EGL_DEFAULT_DISPLAY);
  return EGL_NO_DISPLAY;
}

}  // namespace

Result<std::shared_ptr<GlContext>> GlContext::create() {
  std::string last = "no EGL display";
  for (int attempt = 0; attempt < 3; ++attempt) {
    EGLDisplay display = openDisplay(attempt);
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr)) continue;
    if (!has(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context")) { last = "no EGL_KHR_surfaceless_context"; continue; }
    if (!eglBindAPI(EGL_OPENGL_API)) { last = "EGL without OpenGL"; continue; }
    const std::array<EGLint, 3> wanted{EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    const std::array<EGLint, 7> version{EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (!eglChooseConfig(display, wanted.data(), &config, 1, &count) || count == 0) config = nullptr;
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version.data());
    if (context == EGL_NO_CONTEXT) { last = "no OpenGL 3.3 core context"; continue; }
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) { eglDestroyContext(display, context); last = "the context cannot be made current"; continue; }
    std::shared_ptr<GlContext> self(new GlContext);
    self->display_ = display;
    self->context_ = context;
    if (const auto* name = glGetString(GL_RENDERER)) self->rendererName_ = reinterpret_cast<const char*>(name);
    return self;
  }
  return problemOf("the factory scene has no OpenGL 3.3: " + last, "install a driver with EGL; Mesa's llvmpipe (libgl1-mesa-dri, libegl1) draws without a graphics card");
}

// The display is shared by everything in the process that uses EGL, so it is not terminated.
GlContext::~GlContext() {
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(display_, context_);
}

void GlContext::makeCurrent() {
  eglBindAPI(EGL_OPENGL_API);
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_);
}

}  // namespace warpmill::scene
