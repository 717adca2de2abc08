#include "scene/renderer.h"

#include "scene/gl.h"
#include "scene/problem.h"
#include "scene/scene_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace warpmill::scene {
namespace {

// Rows run from the top in the framebuffer too, so that reading back needs no flip.
const char* const vertexSource = R"(#version 330 core
layout(location = 0) in vec2 position;
layout(location = 1) in vec3 abc;
layout(location = 2) in vec3 halves;
layout(location = 3) in vec2 edge;
layout(location = 4) in vec2 uv;
layout(location = 5) in vec4 fill;
layout(location = 6) in vec4 ink;
layout(location = 7) in vec4 mode;
uniform vec2 viewport;
// Few, full interpolants: in software each one costs a set-up a triangle.
out vec4 vShape;        // abc, radius
flat out vec4 vHalves;  // half widths, border
out vec4 vTexel;        // uv, tile size of a pattern (0: none), 1 for a glyph
out vec4 vFill;
flat out vec4 vInk;
void main() {
  gl_Position = vec4(position / viewport * 2.0 - 1.0, 0.0, 1.0);
  vShape = vec4(abc, edge.x);
  vHalves = vec4(halves, edge.y);
  vTexel = vec4(uv, mode.x * mode.z * 255.0, mode.y);
  vFill = fill;
  vInk = ink;
})";

const char* const fragmentSource = R"(#version 330 core
in vec4 vShape;
flat in vec4 vHalves;
in vec4 vTexel;
in vec4 vFill;
flat in vec4 vInk;
uniform sampler2D atlas;
uniform vec2 atlasSize;
out vec4 colour;
void main() {
  vec3 q = abs(vShape.xyz) - vHalves.xyz;
  vec2 r = q.xy + vShape.w;
  float d = length(max(r, 0.0)) + min(max(r.x, r.y), 0.0) - vShape.w;
  d = max(d, q.z);
  float cover = clamp(0.5 - d, 0.0, 1.0);
  float tile = vTexel.z;
  vec2 at = vTexel.xy + fract(gl_FragCoord.xy / max(tile, 1.0)) * tile / atlasSize;
  float t = texture(atlas, at).r;
  float edge = vHalves.w > 0.0 ? clamp(d + vHalves.w + 0.5, 0.0, 1.0) : 0.0;
  vec4 c = mix(vFill, vInk, max(min(tile, 1.0) * t, edge));
  float a = c.a * cover * mix(1.0, t, vTexel.w);
  colour = vec4(c.rgb * a, a);
})";

// The canvas glow covers everything: colours alone, no edges.
const char* const plainVertexSource = R"(#version 330 core
layout(location = 0) in vec2 position;
layout(location = 5) in vec4 fill;
uniform vec2 viewport;
out vec4 vFill;
void main() {
  gl_Position = vec4(position / viewport * 2.0 - 1.0, 0.0, 1.0);
  vFill = fill;
})";

const char* const plainFragmentSource = R"(#version 330 core
in vec4 vFill;
out vec4 colour;
void main() { colour = vec4(vFill.rgb * vFill.a, vFill.a); })";

unsigned int compile(unsigned int kind, const char* source, std::string& problem) {
  const unsigned int shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  int ok = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
  if (ok == 0) {
    std::string log(2000, '\0');
    int length = 0;
    glGetShaderInfoLog(shader, static_cast<int>(log.size()), &length, log.data());
    log.resize(static_cast<std::size_t>(length));
    problem = log;
  }
  return shader;
}

// 0 when it fails.
unsigned int link(const char* vertexText, const char* fragmentText, std::string& problem) {
  const unsigned int vertex = compile(GL_VERTEX_SHADER, vertexText, problem), fragment = compile(GL_FRAGMENT_SHADER, fragmentText, problem);
  const unsigned int program = glCreateProgram();
  glAttachShader(program, vertex);
  glAttachShader(program, fragment);
  glLinkProgram(program);
  int ok = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &ok);
  glDeleteShader(vertex);
  glDeleteShader(fragment);
  if (ok != 0) return program;
  glDeleteProgram(program);
  return 0;
}

void attribute(unsigned int index, int size, unsigned int type, bool normalised, std::size_t offset) {
  glEnableVertexAttribArray(index);
  glVertexAttribPointer(index, size, type, normalised ? GL_TRUE : GL_FALSE, sizeof(Vertex), reinterpret_cast<const void*>(offset));
}

constexpr std::array<std::uint32_t, 6> corners{0, 1, 2, 0, 2, 3};

unsigned int makeTexture(int width, int height) {
  unsigned int texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_BGRA, GL_UNSIGNED_BYTE, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  return texture;
}

unsigned int makeFramebuffer(unsigned int texture) {
  unsigned int framebuffer = 0;
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  return framebuffer;
}

}  // namespace

Result<std::shared_ptr<Renderer>> makeRenderer(std::shared_ptr<GlContext> context) { return Renderer::create(std::move(context)); }

Result<std::shared_ptr<Renderer>> Renderer::create(std::shared_ptr<GlContext> context) {
  std::shared_ptr<Renderer> self(new Renderer);
  self->context_ = std::move(context);
  self->context_->makeCurrent();
  std::string problem;
  self->program_ = link(vertexSource, fragmentSource, problem);
  self->plainProgram_ = link(plainVertexSource, plainFragmentSource, problem);
  if (self->program_ == 0 || self->plainProgram_ == 0) return problemOf("the scene's shader does not compile on " + self->rendererName(), problem);
  self->viewportLocation_ = glGetUniformLocation(self->program_, "viewport");
  self->atlasLocation_ = glGetUniformLocation(self->program_, "atlasSize");
  self->plainViewportLocation_ = glGetUniformLocation(self->plainProgram_, "viewport");
  glGenVertexArrays(1, &self->vertexArray_);
  glBindVertexArray(self->vertexArray_);
  glGenBuffers(1, &self->vertexBuffer_);
  glGenBuffers(1, &self->indexBuffer_);
  glGenBuffers(1, &self->pickBuffer_);
  glBindBuffer(GL_ARRAY_BUFFER, self->vertexBuffer_);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, self->indexBuffer_);
  attribute(0, 2, GL_FLOAT, false, offsetof(Vertex, x));
  attribute(1, 3, GL_FLOAT, false, offsetof(Vertex, a));
  attribute(2, 3, GL_FLOAT, false, offsetof(Vertex, ha));
  attribute(3, 2, GL_FLOAT, false, offsetof(Vertex, radius));
  attribute(4, 2, GL_FLOAT, false, offsetof(Vertex, u));
  attribute(5, 4, GL_UNSIGNED_BYTE, true, offsetof(Vertex, fill));
  attribute(6, 4, GL_UNSIGNED_BYTE, true, offsetof(Vertex, ink));
  attribute(7, 4, GL_UNSIGNED_BYTE, true, offsetof(Vertex, mode));
  if (self->fonts(1) == nullptr) return problemOf(self->problem_, "install the packages fonts-inter and fonts-jetbrains-mono, or set WARPMILL_FONTS");
  return self;
}

Renderer::~Renderer() {
  context_->makeCurrent();
  for (auto& [ratio, baked] : fonts_) glDeleteTextures(1, &baked.texture);
  glDeleteProgram(program_);
  glDeleteProgram(plainProgram_);
  glDeleteBuffers(1, &vertexBuffer_);
  glDeleteBuffers(1, &indexBuffer_);
  glDeleteBuffers(1, &pickBuffer_);
  glDeleteVertexArrays(1, &vertexArray_);
}

const Fonts* Renderer::fonts(float pixelRatio) {
  const int key = static_cast<int>(std::lround(pixelRatio * 100));
  if (const auto found = fonts_.find(key); found != fonts_.end()) return found->second.fonts.get();
  auto baked = Fonts::bake(pixelRatio);
  if (!baked) {
    problem_ = baked.diagnostics().front().message;
    return nullptr;
  }
  context_->makeCurrent();
  Baked entry{baked.value(), 0};
  glGenTextures(1, &entry.texture);
  glBindTexture(GL_TEXTURE_2D, entry.texture);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, entry.fonts->textureWidth(), entry.fonts->textureHeight(), 0, GL_RED, GL_UNSIGNED_BYTE, entry.fonts->pixels().data());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  return fonts_.emplace(key, std::move(entry)).first->second.fonts.get();
}

void Renderer::release(Surface& surface) {
  context_->makeCurrent();
  glDeleteFramebuffers(1, &surface.framebuffer);
  glDeleteFramebuffers(1, &surface.baseFramebuffer);
  glDeleteTextures(1, &surface.colour);
  glDeleteTextures(1, &surface.baseColour);
  surface = {};
}

void Renderer::resize(Surface& surface, int width, int height) {
  if (surface.framebuffer != 0 && surface.width == width && surface.height == height) return;
  if (surface.framebuffer != 0) release(surface);
  context_->makeCurrent();
  surface.width = width;
  surface.height = height;
  surface.colour = makeTexture(width, height);
  surface.framebuffer = makeFramebuffer(surface.colour);
  surface.baseColour = makeTexture(width, height);
  surface.baseFramebuffer = makeFramebuffer(surface.baseColour);
  surface.whole = true;
}

void Renderer::prepare(const Canvas& canvas, int width, int height) {
  const Baked& baked = fonts_.at(static_cast<int>(std::lround(canvas.ratio() * 100)));
  glViewport(0, 0, width, height);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_CULL_FACE);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glUseProgram(plainProgram_);
  glUniform2f(plainViewportLocation_, static_cast<float>(width), static_cast<float>(height));
  glUseProgram(program_);
  glUniform2f(viewportLocation_, static_cast<float>(width), static_cast<float>(height));
  glUniform2f(atlasLocation_, static_cast<float>(baked.fonts->textureWidth()), static_cast<float>(baked.fonts->textureHeight()));
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, baked.texture);
  glBindVertexArray(vertexArray_);
}

void Renderer::upload(const std::vector<Vertex>& vertices) {
  glBindBuffer(GL_ARRAY_BUFFER, vertexBuffer_);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(vertices.size() * sizeof(Vertex)), vertices.data(), GL_STREAM_DRAW);
}

void Renderer::fillIndices(std::size_t quads) {
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indexBuffer_);
  if (quads <= indexedQuads_) return;
  indexedQuads_ = quads * 2;
  std::vector<std::uint32_t> indices;
  indices.reserve(indexedQuads_ * 6);
  for (std::uint32_t i = 0; i < indexedQuads_; ++i)
    for (const std::uint32_t k : corners) indices.push_back(i * 4 + k);
  glBufferData(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(indices.size() * sizeof(std::uint32_t)), indices.data(), GL_STATIC_DRAW);
}

void Renderer::drawQuads(std::size_t firstQuad, std::size_t quads) {
  if (quads != 0) glDrawElements(GL_TRIANGLES, static_cast<GLsizei>(quads * 6), GL_UNSIGNED_INT, reinterpret_cast<const void*>(firstQuad * 6 * sizeof(std::uint32_t)));
}

template <class IsPlain>
void Renderer::drawRuns(std::size_t firstQuad, std::size_t quads, const IsPlain& isPlain) {
  for (std::size_t begin = firstQuad; begin < firstQuad + quads;) {
    const bool plain = isPlain(begin);
    std::size_t end = begin + 1;
    while (end < firstQuad + quads && isPlain(end) == plain) ++end;
    glUseProgram(plain ? plainProgram_ : program_);
    drawQuads(begin, end - begin);
    begin = end;
  }
}

void Renderer::drawBase(Surface& surface, const Canvas& canvas, Rgb background) {
  context_->makeCurrent();
  glBindFramebuffer(GL_FRAMEBUFFER, surface.baseFramebuffer);
  glDisable(GL_SCISSOR_TEST);
  glClearColor(static_cast<float>(background >> 16 & 255) / 255, static_cast<float>(background >> 8 & 255) / 255, static_cast<float>(background & 255) / 255, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  prepare(canvas, surface.width, surface.height);
  fillIndices(std::max(canvas.background().size(), canvas.vertices().size()) / 4);
  glUseProgram(plainProgram_);
  glDisable(GL_BLEND);
  upload(canvas.background());
  drawQuads(0, canvas.background().size() / 4);
  glEnable(GL_BLEND);
  const std::vector<Vertex>& vertices = canvas.vertices();
  upload(vertices);
  drawRuns(0, vertices.size() / 4, [&](std::size_t q) { return vertices[q * 4].mode == plainMode; });
  surface.whole = true;
}

void Renderer::drawOver(Surface& surface, const Canvas& canvas, Picture& picture) {
  const std::vector<Vertex>& vertices = canvas.vertices();
  std::vector<std::uint64_t> tiles = tileHashes(vertices, surface.width, surface.height);
  const bool whole = surface.whole || picture.width != surface.width || picture.height != surface.height;
  std::vector<PixelRect> rects = whole ? std::vector<PixelRect>{{0, 0, surface.width, surface.height}} : changedRects(surface.tiles, tiles, surface.width, surface.height);
  surface.tiles = std::move(tiles);
  surface.whole = false;
  picture.width = surface.width;
  picture.height = surface.height;
  picture.pixels.resize(static_cast<std::size_t>(surface.width) * static_cast<std::size_t>(surface.height));
  if (rects.empty()) return;

  // The quads that touch each rectangle, one list after another.
  std::vector<std::uint32_t> indices;
  std::vector<std::size_t> begins;
  for (const PixelRect& r : rects) {
    begins.push_back(indices.size() / 6);
    const auto x0 = static_cast<float>(r.x), y0 = static_cast<float>(r.y), x1 = static_cast<float>(r.x + r.width), y1 = static_cast<float>(r.y + r.height);
    for (std::size_t q = 0; q + 3 < vertices.size(); q += 4) {
      const Vertex *a = &vertices[q], *b = a + 1, *c = a + 2, *d = a + 3;
      if (std::max({a->x, b->x, c->x, d->x}) < x0 || std::min({a->x, b->x, c->x, d->x}) > x1 || std::max({a->y, b->y, c->y, d->y}) < y0 || std::min({a->y, b->y, c->y, d->y}) > y1) continue;
      for (const std::uint32_t k : corners) indices.push_back(static_cast<std::uint32_t>(q) + k);
    }
  }
  begins.push_back(indices.size() / 6);

  context_->makeCurrent();
  prepare(canvas, surface.width, surface.height);
  upload(vertices);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, pickBuffer_);
  glBufferData(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(indices.size() * sizeof(std::uint32_t)), indices.data(), GL_STREAM_DRAW);
  glEnable(GL_SCISSOR_TEST);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, surface.baseFramebuffer);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, surface.framebuffer);
  for (std::size_t i = 0; i < rects.size(); ++i) {
    const PixelRect& r = rects[i];
    glScissor(r.x, r.y, r.width, r.height);
    glBlitFramebuffer(r.x, r.y, r.x + r.width, r.y + r.height, r.x, r.y, r.x + r.width, r.y + r.height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  }
  glBindFramebuffer(GL_FRAMEBUFFER, surface.framebuffer);
  for (std::size_t i = 0; i < rects.size(); ++i) {
    const PixelRect& r = rects[i];
    glScissor(r.x, r.y, r.width, r.height);
    drawRuns(begins[i], begins[i + 1] - begins[i], [&](std::size_t q) { return vertices[indices[q * 6]].mode == plainMode; });
  }
  glDisable(GL_SCISSOR_TEST);
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glPixelStorei(GL_PACK_ROW_LENGTH, surface.width);
  for (const PixelRect& r : rects)
    glReadPixels(r.x, r.y, r.width, r.height, GL_BGRA, GL_UNSIGNED_BYTE,
                 picture.pixels.data() + static_cast<std::size_t>(r.y) * static_cast<std::size_t>(surface.width) + static_cast<std::size_t>(r.x));
  glPixelStorei(GL_PACK_ROW_LENGTH, 0);
}

}  // namespace warpmill::scene
