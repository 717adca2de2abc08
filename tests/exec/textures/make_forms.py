#!/usr/bin/env python3
"""Writes forms.txt, the list of texture reads that record.py runs on a GPU and texture_test.cpp runs here. usage: make_forms.py > forms.txt"""
import json
out = []
def tex(dims, dtype="f32", channels=1, init=None, filter="point", address="clamp", normalized=False, read="element", **more):
    if init is None: init = "random:1" if dtype in ("f32", "f16") else "randint:3:%d" % {"u8": 256, "i8": 256, "u16": 65536, "i16": 65536}.get(dtype, (1 << 32) - 1)
    t = {"type": "texture", "dims": dims, "dtype": dtype, "channels": channels, "init": init, "filter": filter, "address": [address] * len(dims) if isinstance(address, str) else address, "normalized": normalized, "read": read}
    return t | more
def add(t, code): out.append(json.dumps(t) + " : " + code)
D = "{%d0,%d1,%d2,%d3}"
C = {1: "{%x}", 2: "{%x,%y}", 3: "{%x,%y,%z,%z}"}
I = {1: "{%i}", 2: "{%i,%j}", 3: "{%i,%j,%k,%k}"}
def f32(t, n=None): n = n or len(t["dims"]); add(t, f"tex.{n}d.v4.f32.f32 {D}, [%t, {C[n]}];")
wild = ["nan", 1.0, "inf", -3.5, 1e-40, "-inf", 3e38, -3e38, 1e-38, 2.5e-39, 65504.0, -1e-45, 1.0000001, 16777217.0, 0.333333343, -0.0]
steps = [0.0, 1.0, 0.0, 1e6, 0.0, 1e-6, 1.0, 1.0000001, 0.0, 3.0, -3.0, 7.0, 0.0, 255.0, -255.0, 256.0]
for n, dims in ((1, [16]), (1, [13]), (2, [8, 5]), (3, [4, 3, 5])):
    for norm in (False, True):
        for mode in ("clamp", "border", "wrap", "mirror"):
            for filter in ("point", "linear"): f32(tex(dims, filter=filter, address=mode, normalized=norm, **({"border": [0.25, 2.0, -3.0, 7.0]} if mode == "border" else {})))
for init in (wild, steps, [0.0, 1.0] * 8): f32(tex([16], init=init, filter="linear")); f32(tex([4, 4], init=init, filter="linear")); f32(tex([4, 2, 2], init=init, filter="linear"))
f32(tex([16], init=wild)); f32(tex([1], filter="linear")); f32(tex([1, 1], filter="linear", address="wrap", normalized=True)); f32(tex([1000], filter="linear")); f32(tex([4096, 2], filter="linear", normalized=True, address="mirror")); f32(tex([65536], filter="linear"))
f32(tex([8, 5], filter="linear", normalized=True, address=["wrap", "mirror"])); f32(tex([8, 5], filter="linear", normalized=True, address=["border", "clamp"], border=[5.0, 5.0, 5.0, 5.0]))
for ch in (2, 4): f32(tex([8, 5], channels=ch, filter="linear")); f32(tex([8, 5], channels=ch, address="border", border=[1.0, 2.0, 3.0, 4.0])); f32(tex([4, 3, 5], channels=ch, filter="linear", address="wrap", normalized=True))
for ty in ("u8", "i8", "u16", "i16"):
    s = "s32" if ty[0] == "i" else "u32"
    for ch in (1, 2, 4):
        add(tex([8, 5], ty, ch), f"tex.2d.v4.{s}.f32 {D}, [%t, {C[2]}];")
        for filter in ("point", "linear"): f32(tex([8, 5], ty, ch, filter=filter, read="normalized"))
    f32(tex([13], ty, filter="linear", read="normalized", address="wrap", normalized=True)); f32(tex([4, 3, 5], ty, filter="linear", read="normalized")); f32(tex([16], ty, init=[0, 255] * 8 if ty[0] == "u" else [-128, 127] * 8, filter="linear", read="normalized"))
    f32(tex([8, 5], ty, read="normalized", address="border", border=[0.25, 2.0, -3.0, 7.0])); add(tex([8, 5], ty, 4, address="border", border=[0.25, 2.0, -3.0, 7.0]), f"tex.2d.v4.{s}.f32 {D}, [%t, {C[2]}];")
for ty in ("u32", "i32"):
    s = "s32" if ty[0] == "i" else "u32"
    for ch in (1, 2, 4): add(tex([8, 5], ty, ch), f"tex.2d.v4.{s}.f32 {D}, [%t, {C[2]}];")
    for n, dims in ((1, [16]), (2, [8, 5]), (3, [4, 3, 5])): add(tex(dims, ty), f"tex.{n}d.v4.{s}.s32 {D}, [%t, {I[n]}];")
for ch in (1, 2, 4):
    for filter in ("point", "linear"): f32(tex([8, 5], "f16", ch, filter=filter))
f32(tex([16], "f16", init=["nan", 1.0, "inf", -3.5, 6e-8, "-inf", 65504.0, -65504.0, 6.1e-5, 0.333, 1.0, 1.001, 0.0, -0.0, 2.0, 4.0], filter="linear"))
f32(tex([4, 3, 5], "f16", filter="linear")); f32(tex([13], "f16", filter="linear", address="mirror", normalized=True))
for n, dims in ((1, [16]), (2, [8, 5]), (3, [4, 3, 5])):
    for mode in ("clamp", "border"): add(tex(dims, address=mode), f"tex.{n}d.v4.f32.s32 {D}, [%t, {I[n]}];")
add(tex([8, 5], filter="linear"), f"tex.2d.v4.f32.s32 {D}, [%t, {I[2]}];")
add(tex([8, 5], "f16"), "tex.2d.v4.f16.f32 {%h0,%h1,%h2,%h3}, [%t, {%x,%y}];"); add(tex([8, 5], "f16", 4, filter="linear"), "tex.2d.v4.f16.f32 {%h0,%h1,%h2,%h3}, [%t, {%x,%y}];"); add(tex([8, 5], "f16", 4, filter="linear"), "tex.2d.v2.f16x2.f32 {%d0,%d1}, [%t, {%x,%y}];")
add(tex([8, 5]), f"tex.2d.v4.s32.f32 {D}, [%t, {C[2]}];"); add(tex([8, 5], "u8"), f"tex.2d.v4.f32.f32 {D}, [%t, {C[2]}];"); add(tex([8, 5], "u32"), f"tex.2d.v4.f32.f32 {D}, [%t, {C[2]}];")
for f in ("point", "linear"):
    for lod in ("0f00000000", "0f3F800000", "0fBF800000"): add(tex([8, 5], filter=f), f"tex.level.2d.v4.f32.f32 {D}, [%t, {C[2]}], {lod};")
    add(tex([8, 5], filter=f, normalized=True, address="wrap"), f"tex.grad.2d.v4.f32.f32 {D}, [%t, {C[2]}], {{0f3F000000,0f3F000000}}, {{0f3F000000,0f3F000000}};"); add(tex([8, 5], filter=f), f"tex.base.2d.v4.f32.f32 {D}, [%t, {C[2]}];"); add(tex([16], filter=f), f"tex.level.1d.v4.f32.f32 {D}, [%t, {C[1]}], 0f00000000;"); add(tex([4, 3, 5], filter=f), f"tex.level.3d.v4.f32.f32 {D}, [%t, {C[3]}], 0f00000000;")
    add(tex([8, 5], filter=f), f"tex.2d.v4.f32.f32 {D}, [%t, {C[2]}], {{1,-2}};"); add(tex([8, 5], filter=f), f"tex.2d.v4.f32.f32 {D}|%p, [%t, {C[2]}]; @%p add.u32 %d1, %d1, 77;")
for comp in "rgba":
    for ch in (1, 4): add(tex([8, 5], channels=ch), f"tld4.{comp}.2d.v4.f32.f32 {D}, [%t, {C[2]}];")
add(tex([8, 5], filter="linear"), f"tld4.r.2d.v4.f32.f32 {D}, [%t, {C[2]}];"); add(tex([8, 5], normalized=True, address="wrap"), f"tld4.r.2d.v4.f32.f32 {D}, [%t, {C[2]}];"); add(tex([8, 5], normalized=True, address="mirror"), f"tld4.r.2d.v4.f32.f32 {D}, [%t, {C[2]}];"); add(tex([8, 5], address="border", border=[9.0, 8.0, 7.0, 6.0]), f"tld4.r.2d.v4.f32.f32 {D}, [%t, {C[2]}];"); add(tex([8, 5], "u8", 4), f"tld4.g.2d.v4.u32.f32 {D}, [%t, {C[2]}];"); add(tex([8, 5], "u8", 4, read="normalized"), f"tld4.b.2d.v4.f32.f32 {D}, [%t, {C[2]}];"); add(tex([8, 5], "f16", 4), f"tld4.a.2d.v4.f32.f32 {D}, [%t, {C[2]}];")
for f in ("point", "linear"):
    add(tex([13], filter=f, layers=4), f"tex.a1d.v4.f32.f32 {D}, [%t, {{%l,%x}}];"); add(tex([8, 5], filter=f, layers=3), f"tex.a2d.v4.f32.f32 {D}, [%t, {{%l,%x,%y,%y}}];")
    add(tex([8, 5], filter=f, layers=3, normalized=True, address="wrap"), f"tex.a2d.v4.f32.f32 {D}, [%t, {{%l,%x,%y,%y}}];")
add(tex([8, 5], "u8", 4, layers=3), f"tex.a2d.v4.u32.s32 {D}, [%t, {{%l,%i,%j,%j}}];"); add(tex([13], "i16", 2, layers=4), f"tex.a1d.v4.s32.s32 {D}, [%t, {{%l,%i}}];")
for t in (tex([13]), tex([8, 5], "u8", 4, normalized=True, address=["wrap", "mirror"], filter="point"), tex([4, 3, 5], "f16", 2, filter="linear", address=["border", "clamp", "clamp"]), tex([8, 5], "i16", layers=3)):
    for q in ("width", "height", "depth", "channel_data_type", "channel_order", "normalized_coords", "filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2", "array_size", "num_mipmap_levels", "num_samples", "force_unnormalized_coords"): add(t, f"txq.{q}.b32 %d0, [%t];")
for ty, ch, s in (("f32", 1, "f32"), ("f32", 4, "f32"), ("f32", 2, "f32"), ("u8", 4, "u32"), ("i8", 1, "s32"), ("u16", 2, "u32"), ("i16", 1, "s32"), ("u32", 4, "u32"), ("i32", 1, "s32"), ("f16", 4, "f32")):
    add(tex([13], ty, ch, memory="linear"), f"tex.1d.v4.{s}.s32 {D}, [%t, {I[1]}];")
for ty in ("u8", "i8", "u16", "i16"): add(tex([1000], ty, 4, read="normalized", memory="linear"), f"tex.1d.v4.f32.s32 {D}, [%t, {I[1]}];")
add(tex([13], init=wild[:13], memory="linear"), f"tex.1d.v4.f32.s32 {D}, [%t, {I[1]}];"); add(tex([13], memory="linear", address="border", border=[1.0, 2.0, 3.0, 4.0]), f"tex.1d.v4.f32.s32 {D}, [%t, {I[1]}];"); add(tex([13], memory="linear", address="wrap", normalized=True), f"tex.1d.v4.f32.s32 {D}, [%t, {I[1]}];");
for q in ("width", "height", "depth"): add(tex([13], memory="linear"), f"txq.{q}.b32 %d0, [%t];")
exps = [1.5, -0.0123, 3.1e-3, 7e4, -1.1e-5, 2.2e5, 9e-7, 1.0, -3.3e3, 5e-4, 0.75, 12.5, -1e-3, 250.0, 1e-2, -31.0]
for dims in ([16], [4, 4], [4, 2, 2]): f32(tex(dims, init=exps, filter="linear"))
for dims in ([16], [4, 4], [4, 2, 2]): f32(tex(dims, "f16", init=[e if abs(e) < 6e4 else 6e4 for e in exps], filter="linear"))
f32(tex([16], init=exps, filter="linear", address="wrap", normalized=True)); f32(tex([64, 64], filter="linear")); f32(tex([512, 3], filter="linear", normalized=True)); f32(tex([16, 16, 16], filter="linear")); f32(tex([7, 9, 11], filter="linear", normalized=True))
add(tex([8, 5], "f16", 1), f"tex.2d.v4.s32.f32 {D}, [%t, {C[2]}];"); add(tex([8, 5], "u8", 1, read="normalized"), f"tex.2d.v4.u32.f32 {D}, [%t, {C[2]}];"); add(tex([8, 5], "u8", 1, read="normalized"), "tex.2d.v4.f16.f32 {%h0,%h1,%h2,%h3}, [%t, {%x,%y}];"); add(tex([8, 5], "f32", 1, filter="linear"), "tex.2d.v4.f16.f32 {%h0,%h1,%h2,%h3}, [%t, {%x,%y}];")
add(tex([13], memory="linear"), f"tex.1d.v4.f32.f32 {D}, [%t, {C[1]}];")
print("\n".join(out))
