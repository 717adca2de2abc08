#!/usr/bin/env python3
"""Runs every texture read of forms.txt on a real GPU through the driver and writes what it gave.

usage: record.py forms.txt results.txt raw.bin    (--ptx DIR: only writes the kernels, for ptxas)
results.txt: a line per form, "16 hex digits of SHA-256 over the results, a tab, the form"; forms that the driver refuses get "-".
raw.bin: the results themselves, COUNT times four 32-bit words each. The coordinates are those of texture_test.cpp."""
import ctypes as c, hashlib, json, struct, sys
import numpy as np

COUNT = 1024
def mix(i, s):
    x = (np.asarray(i, np.uint64) + np.uint64(s * 0x9E3779B9 & 0xFFFFFFFF)).astype(np.uint32)
    x ^= x >> np.uint32(16); x = x * np.uint32(0x85ebca6b); x ^= x >> np.uint32(13); x = x * np.uint32(0xc2b2ae35); x ^= x >> np.uint32(16)
    return x.astype(np.uint64)

SPECIAL = [float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 1e10, -1e10, 16777217.0, 2147483648.0, -2147483648.0, 1e-30, -1e-30, 1e38, 0.5, -0.5, 8388607.5]
def floats(axis, extent, normalized):
    i = np.arange(COUNT, dtype=np.uint64); r, s = mix(i, 11 + axis), mix(i, 21 + axis); w = float(extent); sd = s.astype(np.float64)
    wide = sd * 2.0 ** -32 * (5 * w) - 2 * w
    near = ((s % np.uint64(6 * extent)).astype(np.float64) - 2 * w) / 2 + ((s >> np.uint64(16)) % np.uint64(33)).astype(np.float64) / 1024 - 16 / 1024
    inside = sd * 2.0 ** -32 * w
    fine = (s % np.uint64(extent << 16)).astype(np.float64) / 65536
    special = np.array(SPECIAL)[(s % np.uint64(len(SPECIAL))).astype(int)]
    choice = r & np.uint64(3)
    last = np.where((r >> np.uint64(2)) % np.uint64(8) == 0, special, fine)
    with np.errstate(over="ignore"): x = np.select([choice == 0, choice == 1, choice == 2], [wide, near, inside], last).astype(np.float32)
    return x / np.float32(extent) if normalized else x
def ints(axis, extent):
    i = np.arange(COUNT, dtype=np.uint64); r, s = mix(i, 31 + axis), mix(i, 41 + axis)
    near = ((s % np.uint64(3 * extent + 2)).astype(np.int64) - extent - 1).astype(np.int32)
    return np.where(r % np.uint64(16) == 0, s.astype(np.uint32).view(np.int32), near)
def layers(count): return (mix(np.arange(COUNT, dtype=np.uint64), 51) % np.uint64(count + 2)).astype(np.uint32)

NUMPY = {"u8": np.uint8, "i8": np.int8, "u16": np.uint16, "i16": np.int16, "u32": np.uint32, "i32": np.int32, "f16": np.float16, "f32": np.float32}
def texels(t):
    n = int(np.prod(t["dims"])) * t.get("layers", 1) * t["channels"]; kind = NUMPY[t["dtype"]]; init = t["init"]
    if isinstance(init, list): return np.resize(np.array([float(v) if isinstance(v, str) else v for v in init] + [0] * max(0, n - len(init)), np.float64 if t["dtype"][0] == "f" else np.int64), n).astype(kind)
    name, *numbers = init.split(":"); numbers = [int(x) for x in numbers]; m = mix(np.arange(n, dtype=np.uint64), numbers[0])
    if name == "random": return ((m >> np.uint64(8)).astype(np.float64) * 2.0 ** -24).astype(kind)
    return (m % np.uint64(numbers[1])).astype(np.uint32).astype(kind)

def program(code):
    """The kernel; texture_test.cpp writes the same text."""
    return (".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 tex)\n{\n"
            ".reg .b64 %out, %in, %t, %a; .reg .b32 %n, %c, %d<4>, %i, %j, %k, %l; .reg .f32 %x, %y, %z; .reg .b16 %h<4>; .reg .pred %p;\n"
            "ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; ld.param.u64 %t, [tex]; mov.u32 %n, %tid.x; mov.u32 %c, %ctaid.x; mad.lo.u32 %n, %c, 256, %n;\n"
            "mad.wide.u32 %a, %n, 4, %in; mad.wide.u32 %out, %n, 16, %out;\n"
            f"ld.global.f32 %x, [%a]; ld.global.f32 %y, [%a+{4 * COUNT}]; ld.global.f32 %z, [%a+{8 * COUNT}];\n"
            f"ld.global.b32 %i, [%a+{12 * COUNT}]; ld.global.b32 %j, [%a+{16 * COUNT}]; ld.global.b32 %k, [%a+{20 * COUNT}]; ld.global.b32 %l, [%a+{24 * COUNT}];\n"
            "mov.b32 %d0, 0; mov.b32 %d1, 0; mov.b32 %d2, 0; mov.b32 %d3, 0;\n" + code + "\n"
            + "".join(f"cvt.u32.u16 %d{q}, %h{q}; " for q in range(4) if "%h" in code) + "st.global.v4.b32 [%out], {%d0,%d1,%d2,%d3};\nret;\n}\n")

class Array3D(c.Structure): _fields_ = [("w", c.c_size_t), ("h", c.c_size_t), ("d", c.c_size_t), ("format", c.c_int), ("channels", c.c_uint), ("flags", c.c_uint)]
half = lambda p, ptr: [(p + "X", c.c_size_t), (p + "Y", c.c_size_t), (p + "Z", c.c_size_t), (p + "LOD", c.c_size_t), (p + "Type", c.c_int), (p + "Host", c.c_void_p), (p + "Device", c.c_uint64), (p + "Array", c.c_void_p), (p + "Reserved", c.c_void_p), (p + "Pitch", c.c_size_t), (p + "Height", c.c_size_t)]
class Copy3D(c.Structure): _fields_ = half("src", 0) + half("dst", 0) + [("width", c.c_size_t), ("height", c.c_size_t), ("depth", c.c_size_t)]
class Resource(c.Structure): _fields_ = [("type", c.c_int), ("pad", c.c_int), ("array", c.c_void_p), ("rest", c.c_byte * 120), ("flags", c.c_uint), ("pad2", c.c_int)]
class Texture(c.Structure): _fields_ = [("address", c.c_int * 3), ("filter", c.c_int), ("flags", c.c_uint), ("anisotropy", c.c_uint), ("mip", c.c_int), ("bias", c.c_float), ("low", c.c_float), ("high", c.c_float), ("border", c.c_float * 4), ("reserved", c.c_int * 12)]
FORMAT = {"u8": 1, "u16": 2, "u32": 3, "i8": 8, "i16": 9, "i32": 10, "f16": 16, "f32": 32}
MODE = {"wrap": 0, "clamp": 1, "mirror": 2, "border": 3}

def run_all(forms, results, raw):
    cu = c.CDLL("libcuda.so.1")
    def call(name, *a):
        rc = getattr(cu, name)(*a)
        if rc: raise RuntimeError(f"{name}: {rc}")
    ctx, dev = c.c_void_p(), c.c_int()
    call("cuInit", 0); call("cuDeviceGet", c.byref(dev), 0); call("cuDevicePrimaryCtxRetain", c.byref(ctx), dev); call("cuCtxSetCurrent", ctx)
    memory = c.c_uint64(); call("cuMemAlloc_v2", c.byref(memory), c.c_size_t(64 * COUNT)); functions = {}
    def one(t, code):
        if code not in functions:
            module, function = c.c_void_p(), c.c_void_p(); call("cuModuleLoadData", c.byref(module), program(code).encode()); call("cuModuleGetFunction", c.byref(function), module, b"k"); functions[code] = function
        d, n = t["dims"], t.get("layers", 0); data = texels(t)
        flags = (1 if n else 0) | (8 if "tld4" in code else 0)
        linear = t.get("memory") == "linear"; array = c.c_void_p(); desc = Array3D(d[0], d[1] if len(d) > 1 else 0, n or (d[2] if len(d) > 2 else 0), FORMAT[t["dtype"]], t["channels"], flags)
        if linear:
            texels_at = c.c_uint64(); call("cuMemAlloc_v2", c.byref(texels_at), c.c_size_t(data.nbytes)); call("cuMemcpyHtoD_v2", texels_at, c.c_void_p(data.ctypes.data), c.c_size_t(data.nbytes))
            rd = Resource(type=2, array=texels_at.value); struct.pack_into("iIQ", rd.rest, 0, FORMAT[t["dtype"]], t["channels"], data.nbytes)
        else: call("cuArray3DCreate_v2", c.byref(array), c.byref(desc)); rd = Resource(type=0, array=array)
        row = d[0] * t["channels"] * data.itemsize; height = d[1] if len(d) > 1 else 1
        cp = Copy3D(srcType=1, srcHost=data.ctypes.data, srcPitch=row, srcHeight=height, dstType=3, dstArray=array, width=row, height=height, depth=n or (d[2] if len(d) > 2 else 1))
        if not linear: call("cuMemcpy3D_v2", c.byref(cp))
        td = Texture(); td.address[:] = ([MODE[a] for a in t["address"]] + [1, 1, 1])[:3]; td.filter = t["filter"] == "linear"
        td.flags = (0 if t["read"] == "normalized" or t["dtype"][0] == "f" else 1) | (2 if t["normalized"] else 0); td.border[:] = t.get("border", [0, 0, 0, 0])
        handle = c.c_uint64(); call("cuTexObjectCreate", c.byref(handle), c.byref(rd), c.byref(td), None)
        e = (d + [1, 1])[:3]; inputs = b"".join([floats(a, e[a], t["normalized"]).tobytes() for a in range(3)] + [ints(a, e[a]).tobytes() for a in range(3)] + [layers(n or 1).tobytes()])
        call("cuMemcpyHtoD_v2", c.c_uint64(memory.value + 16 * COUNT), inputs, c.c_size_t(len(inputs)))
        a = [c.c_uint64(memory.value), c.c_uint64(memory.value + 16 * COUNT), handle]; ptrs = (c.c_void_p * 3)(*[c.addressof(x) for x in a])
        call("cuLaunchKernel", functions[code], COUNT // 256, 1, 1, 256, 1, 1, 0, None, ptrs, None); call("cuCtxSynchronize")
        got = c.create_string_buffer(16 * COUNT); call("cuMemcpyDtoH_v2", got, memory, c.c_size_t(16 * COUNT)); call("cuTexObjectDestroy", handle); call("cuMemFree_v2", texels_at) if linear else call("cuArrayDestroy", array)
        return got.raw
    with open(results, "w") as f, open(raw, "wb") as r:
        for line in forms:
            t, code = line.rsplit(" : ", 1)
            try: got = one(json.loads(t), code); digest = hashlib.sha256(got).hexdigest()[:16]
            except RuntimeError as e: got, digest = b"\0" * 16 * COUNT, "-"; print(e, line)
            f.write(f"{digest}\t{line}\n"); r.write(got)

if __name__ == "__main__":
    forms = [l for l in open(sys.argv[1]).read().splitlines() if l]
    if sys.argv[2] == "--ptx":
        for q, code in enumerate(sorted({l.rsplit(" : ", 1)[1] for l in forms})): open(f"{sys.argv[3]}/{q}.ptx", "w").write(program(code))
    else: run_all(forms, sys.argv[2], sys.argv[3])
