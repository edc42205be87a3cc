// SPDX-License-Identifier: MIT
#include "offscreen.hpp"

#include <dlfcn.h>
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <stb/stb_image_write.h>

#include <algorithm>
#include <cstring>

namespace viewer {

namespace {

bool has(const char* extensions, const char* name) {
  return extensions != nullptr && std::strstr(extensions, name) != nullptr;
}

// Every display that needs no screen, the most direct first: Mesa's surfaceless one, then each graphics device, then
// whatever the system calls its default.
std::vector<EGLDisplay> displays() {
  std::vector<EGLDisplay> found;
  const char* client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  if (has(client, "EGL_EXT_platform_base")) {
    if (has(client, "EGL_MESA_platform_surfaceless"))
      found.push_back(eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
    if (has(client, "EGL_EXT_platform_device") && has(client, "EGL_EXT_device_enumeration")) {
      EGLDeviceEXT devices[8];
      EGLint count = 0;
      if (eglQueryDevicesEXT(8, devices, &count) != EGL_FALSE)
        for (EGLint k = 0; k < count; ++k)
          found.push_back(eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[k], nullptr));
    }
  }
  found.push_back(eglGetDisplay(EGL_DEFAULT_DISPLAY));
  return found;
}

bool make_current(EGLDisplay display) {
  if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) == EGL_FALSE) return false;
  if (eglBindAPI(EGL_OPENGL_API) == EGL_FALSE) return false;
  const EGLint wanted_config[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglChooseConfig(display, wanted_config, &config, 1, &count) == EGL_FALSE || count == 0) return false;
  const EGLint wanted_context[] = {
      EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
  const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, wanted_context);
  if (context == EGL_NO_CONTEXT) return false;
  return eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) != EGL_FALSE;
}

bool can_load(const char* library) {
  void* handle = dlopen(library, RTLD_LAZY);  // stays open: it is used in a moment
  return handle != nullptr;
}

}  // namespace

std::string make_offscreen_context() {
  // libepoxy ends the program if it cannot load these, so they are tried first.
  if (!can_load("libEGL.so.1")) return "there is no OpenGL on this machine: libEGL.so.1 is not installed";
  if (!can_load("libOpenGL.so.0") && !can_load("libGL.so.1"))
    return "there is no OpenGL on this machine: neither libOpenGL.so.0 nor libGL.so.1 is installed";
  for (const EGLDisplay display : displays())
    if (make_current(display)) return {};
  return "there is no OpenGL 3.3 on this machine: no EGL driver gives a context (on Debian, libgl1-mesa-dri has one)";
}

Picture read_framebuffer(Size size) {
  Picture picture{size, std::vector<unsigned char>(static_cast<std::size_t>(size.width) *
                                                   static_cast<std::size_t>(size.height) * 3)};
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, size.width, size.height, GL_RGB, GL_UNSIGNED_BYTE, picture.rgb.data());
  const auto row = static_cast<std::ptrdiff_t>(size.width) * 3;
  for (std::ptrdiff_t y = 0; y < size.height / 2; ++y)  // OpenGL's first row is the lowest
    std::swap_ranges(picture.rgb.begin() + y * row, picture.rgb.begin() + (y + 1) * row,
                     picture.rgb.begin() + (size.height - 1 - y) * row);
  return picture;
}

bool write_png(std::ostream& out, const Picture& picture) {
  const auto write = [](void* stream, void* data, int bytes) {
    static_cast<std::ostream*>(stream)->write(static_cast<const char*>(data), bytes);
  };
  const int done = stbi_write_png_to_func(write, &out, picture.size.width, picture.size.height, 3, picture.rgb.data(),
                                          picture.size.width * 3);
  return done != 0 && out.good();
}

namespace {

struct Target {
  GLuint framebuffer = 0;
  bool complete = false;
};

// A framebuffer with a colour and, if wanted, a depth buffer of its own.
Target make_target(Size size, int samples, bool depth) {
  Target target;
  glGenFramebuffers(1, &target.framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer);
  GLuint buffers[2];
  glGenRenderbuffers(2, buffers);
  glBindRenderbuffer(GL_RENDERBUFFER, buffers[0]);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, size.width, size.height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[0]);
  if (depth) {
    glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT24, size.width, size.height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffers[1]);
  }
  target.complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  return target;
}

}  // namespace

Picture paint_offscreen(Size size, const std::function<void()>& paint) {
  GLint samples = 0, largest = 0;
  glGetIntegerv(GL_MAX_SAMPLES, &samples);
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
  if (size.width > largest || size.height > largest) return {};
  const Target plain = make_target(size, 0, false);
  const Target smooth = make_target(size, std::min(samples, 4), true);
  if (!plain.complete || !smooth.complete) return {};
  paint();
  glBindFramebuffer(GL_READ_FRAMEBUFFER, smooth.framebuffer);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, plain.framebuffer);
  glBlitFramebuffer(0, 0, size.width, size.height, 0, 0, size.width, size.height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, plain.framebuffer);
  return read_framebuffer(size);
}

}  // namespace viewer
