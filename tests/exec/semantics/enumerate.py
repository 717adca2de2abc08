#!/usr/bin/env python3
"""Writes the scalar instruction forms of PTX ISA 9.0 that ptxas accepts for sm_90a, in the notation of forms.txt.

usage: enumerate.py [--all] > forms
Goes through chapter 9.7 and combines opcodes, types, roundings and modifiers; ptxas judges which are legal. --all: the refused ones too,
marked "#refused". Forms of the same inputs and code are listed once."""
import itertools, os, re, subprocess, sys, tempfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import record

KIND = {"u8": "i16", "s8": "i16", "b8": "i16", "u16": "i16", "s16": "i16", "b16": "i16", "u32": "i32", "s32": "i32", "b32": "i32", "u64": "i64", "s64": "i64", "b64": "i64",
        "f16": "f16", "bf16": "bf16", "f32": "f32", "f64": "f64", "f16x2": "h2", "bf16x2": "b2", "u16x2": "i32", "s16x2": "i32", "tf32": "f32",
        "e4m3x2": "i16", "e5m2x2": "i16", "e4m3x4": "i32", "e5m2x4": "i32", "e2m1x2": "i16", "e2m3x2": "i16", "e3m2x2": "i16", "ue8m0x2": "i16"}
def bits(t): return max(16, record.WIDTH[KIND[t]])
INT = ["u16", "s16", "u32", "s32", "u64", "s64"]
B = ["b16", "b32", "b64"]
HALF = ["f16", "f16x2", "bf16", "bf16x2"]
RND = ["rn", "rz", "rm", "rp"]
CMP_INT, CMP_U, CMP_BIT = ["eq", "ne", "lt", "le", "gt", "ge"], ["lo", "ls", "hi", "hs"], ["eq", "ne"]
CMP_FLOAT = CMP_INT + ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
WIDE = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
forms = []
def emit(ins, out, code, section=None):
    forms.append(f"{' '.join(ins)} -> {out} : {code}")
def head(title): forms.append("# " + title)
def op(name, ins, out, extra=""):
    """name %d, %a, %b, ... of the given types."""
    emit([KIND[t] for t in ins], bits(out), f"{name} %d, {', '.join('%' + r for r, _ in zip('abc', ins))}{extra};")
def some(*choices): return itertools.product(*choices)
def dotted(*words): return "".join("." + w for w in words if w)
PRED = "selp.b32 %d, 1, 0, %p;"
PAIR = "selp.b32 %d, 1, 2, %p; @%q add.s32 %d, %d, 8;"

def integers():
    head("integer arithmetic")
    for t in INT:
        for o in ["add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"]: op(f"{o}.{t}", [t, t], t)
        for o in ["mad.lo", "mad.hi", "sad"]: op(f"{o}.{t}", [t] * 3, t)
        for o in ["abs", "neg"]: op(f"{o}.{t}", [t], t)
        for o in ["add.sat", "sub.sat", "min.relu", "max.relu"]: op(f"{o}.{t}", [t, t], t)
        for o in ["mad.hi.sat", "mad.lo.sat"]: op(f"{o}.{t}", [t] * 3, t)
        if t in WIDE:
            op(f"mul.wide.{t}", [t, t], WIDE[t]); op(f"mad.wide.{t}", [t, t, WIDE[t]], WIDE[t])
    for t in ["u16x2", "s16x2"]:
        for o in ["add", "sub", "min", "max", "min.relu", "max.relu", "add.sat"]: op(f"{o}.{t}", [t, t], t)
    for t, part in some(["u32", "s32"], ["lo", "hi"]):
        op(f"mul24.{part}.{t}", [t, t], t)
        for sat in ["", ".sat"]: op(f"mad24.{part}{sat}.{t}", [t] * 3, t)
    for s, t in some(["u32", "s32"], ["u32", "s32"]):
        for o in ["dp4a", "dp2a.lo", "dp2a.hi"]: op(f"{o}.{s}.{t}", ["u32"] * 3, "u32")

def carries():
    head("carry chains")
    for t in ["u32", "s32", "u64", "s64"]:
        k = KIND[t]; n = bits(t)
        for code in [f"add.cc.{t} %d, %a, %b; addc.{t} %d, %c, %a;", f"add.cc.{t} %d, %a, %b; addc.cc.{t} %d, %c, %a; addc.{t} %d, %b, %c;",
                     f"sub.cc.{t} %d, %a, %b; subc.{t} %d, %c, %a;", f"sub.cc.{t} %d, %a, %b; subc.cc.{t} %d, %c, %a; subc.{t} %d, %b, %c;",
                     f"add.cc.{t} %d, %a, %b; subc.cc.{t} %d, %c, %a; addc.{t} %d, 0, 0;", f"sub.cc.{t} %d, %a, %b; addc.{t} %d, 0, 0;"]:
            emit([k] * 3, n, code)
        for part in ["lo", "hi"]:
            emit([k] * 3, n, f"mad.{part}.cc.{t} %d, %a, %b, %c; addc.{t} %d, 0, 0;")
            emit([k] * 3, n, f"mad.{part}.cc.{t} %d, %a, %b, %c; madc.{part}.{t} %d, %c, %b, %a;")
            emit([k] * 3, n, f"add.cc.{t} %d, %a, %b; madc.{part}.cc.{t} %d, %c, %b, %a; addc.{t} %d, 0, 0;")

def bitwise():
    head("bits")
    for t in B:
        k, n = KIND[t], bits(t)
        for o in ["and", "or", "xor"]: op(f"{o}.{t}", [t, t], t)
        for o in ["not", "cnot"]: op(f"{o}.{t}", [t], t)
        emit([k, "n"], n, f"shl.{t} %d, %a, %b;")
        for s in "bus": emit([k, "n"], n, f"shr.{s}{t[1:]} %d, %a, %b;")
    for o in ["and", "or", "xor"]:
        emit(["i32", "i32"], 32, f"setp.lt.s32 %p, %a, %b; setp.gt.s32 %q, %a, 5; {o}.pred %p, %p, %q; {PRED}")
    emit(["i32", "i32"], 32, f"setp.lt.s32 %q, %a, %b; not.pred %p, %q; {PRED}")
    emit(["i32", "i32"], 32, f"setp.lt.s32 %q, %a, %b; mov.pred %p, %q; {PRED}")
    emit(["i32"], 32, f"mov.pred %p, 1; {PRED}")
    for d, m in some("lr", ["wrap", "clamp"]): emit(["i32", "i32", "n"], 32, f"shf.{d}.{m}.b32 %d, %a, %b, %c;")
    for table in ["0x1a", "0x96", "0xe8", "0xc0", "0x7b", "0x01", "0x80", "0xfe"]: op("lop3.b32", ["b32"] * 3, "b32", f", {table}")
    for b in ["or", "and", "xor"]:
        emit(["i32"] * 3, 32, f"setp.lt.s32 %q, %a, %b; lop3.{b}.b32 %d|%p, %a, %b, %c, 0x1a, %q; @%p add.s32 %d, %d, 3;")
        emit(["i32"] * 3, 32, f"setp.lt.s32 %q, %a, %b; lop3.{b}.b32 _|%p, %a, %b, %c, 0xc0, !%q; {PRED}")
    for m in ["", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"]: op("prmt.b32" + m, ["b32"] * 3, "b32")
    for t in ["u32", "s32", "u64", "s64"]:
        k, n = KIND[t], bits(t)
        emit([k, "n", "n"], n, f"bfe.{t} %d, %a, %b, %c;")
        for m in ["", ".shiftamt"]: emit([k], 32, f"bfind{m}.{t} %d, %a;")
    for t in ["b32", "b64"]:
        k, n = KIND[t], bits(t)
        for pos in ["%c, 7", "3, %c", "%c, %c"]: emit([k, k, "n"], n, f"bfi.{t} %d, %a, %b, {pos};")
        op(f"brev.{t}", [t], t)
        for o in ["clz", "popc"]: op(f"{o}.{t}", [t], "u32")
    emit(["i32", "n", "n"], 32, "fns.b32 %d, %a, %b, %c;")
    emit(["i32"], 32, "fns.b32 %d, %a, 3, 2;"); emit(["i32"], 32, "fns.b32 %d, %a, 29, -3;")
    for m in ["clamp", "wrap"]:
        emit(["n", "n"], 32, f"bmsk.{m}.b32 %d, %a, %b;")
        for t in ["u32", "s32"]: emit(["i32", "n"], 32, f"szext.{m}.{t} %d, %a, %b;")

def floats():
    head("f32 and f64 arithmetic")
    for r, ftz, sat in some([""] + RND, ["", "ftz"], ["", "sat"]):
        m = dotted(r, ftz, sat)
        for o in ["add", "sub", "mul"]: op(f"{o}{m}.f32", ["f32"] * 2, "f32")
        if r:
            for o in ["fma", "mad"]: op(f"{o}{m}.f32", ["f32"] * 3, "f32")
            if not sat:
                op(f"div{m}.f32", ["f32"] * 2, "f32")
                for o in ["rcp", "sqrt"]: op(f"{o}{m}.f32", ["f32"], "f32")
    for r in [""] + RND:
        m = dotted(r)
        for o in ["add", "sub", "mul"]: op(f"{o}{m}.f64", ["f64"] * 2, "f64")
        if r:
            op(f"div{m}.f64", ["f64"] * 2, "f64")
            for o in ["fma", "mad"]: op(f"{o}{m}.f64", ["f64"] * 3, "f64")
            for o in ["rcp", "sqrt"]: op(f"{o}{m}.f64", ["f64"], "f64")
    for o, ftz, nan, xor in some(["min", "max"], ["", "ftz"], ["", "NaN"], ["", "xorsign.abs"]): op(f"{o}{dotted(ftz, nan, xor)}.f32", ["f32"] * 2, "f32")
    for o, ftz in some(["abs", "neg"], ["", "ftz"]): op(f"{o}{dotted(ftz)}.f32", ["f32"], "f32")
    for o in ["min", "max"]: op(f"{o}.f64", ["f64"] * 2, "f64")
    for o in ["abs", "neg"]: op(f"{o}.f64", ["f64"], "f64")
    for t in ["f32", "f64"]:
        op(f"copysign.{t}", [t] * 2, t)
        for c in ["finite", "infinite", "number", "notanumber", "normal", "subnormal"]: emit([t], 32, f"testp.{c}.{t} %p, %a; {PRED}")
    head("approximate functions")
    for ftz in ["", "ftz"]:
        m = dotted(ftz)
        for o in ["div.full", "div.approx"]: op(f"{o}{m}.f32", ["f32"] * 2, "f32")
        for o in ["rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh"]: op(f"{o}.approx{m}.f32", ["f32"], "f32")
        for o in ["rcp", "rsqrt"]: op(f"{o}.approx{m}.f64", ["f64"], "f64")
        for o, t in some(["tanh", "ex2"], HALF): op(f"{o}.approx{m}.{t}", [t], t)

def halves():
    head("half precision")
    for t in HALF:
        for r, ftz, sat in some(["", "rn"], ["", "ftz"], ["", "sat"]):
            for o in ["add", "sub", "mul"]: op(f"{o}{dotted(r, ftz, sat)}.{t}", [t] * 2, t)
        for ftz, m in some(["", "ftz"], ["", "sat", "relu"]): op(f"fma.rn{dotted(ftz, m)}.{t}", [t] * 3, t)
        for m in ["oob", "oob.relu"]: op(f"fma.rn.{m}.{t}", [t] * 3, t)
        for o, ftz, nan, xor in some(["min", "max"], ["", "ftz"], ["", "NaN"], ["", "xorsign.abs"]): op(f"{o}{dotted(ftz, nan, xor)}.{t}", [t] * 2, t)
        for o, ftz in some(["neg", "abs"], ["", "ftz"]): op(f"{o}{dotted(ftz)}.{t}", [t], t)

def comparisons():
    head("comparison and selection")
    ordered = lambda t: CMP_INT + (CMP_U if t[0] == "u" else [])
    types = [(t, c, "") for t in INT for c in ordered(t)] + [(t, c, "") for t in B for c in CMP_BIT]
    types += [(t, c, f) for t in ["f32", "f16", "bf16"] for f in ["", "ftz"] for c in CMP_FLOAT] + [("f64", c, "") for c in CMP_FLOAT]
    for t, c, f in types: emit([KIND[t]] * 2, 32, f"setp{dotted(c, f)}.{t} %p, %a, %b; {PRED}")
    for t, f in some(["f16x2", "bf16x2"], ["", "ftz"]):
        for c in CMP_FLOAT: emit([KIND[t]] * 2, 32, f"setp{dotted(c, f)}.{t} %p|%q, %a, %b; {PAIR}")
    for t in INT + B + ["f32", "f64", "f16", "bf16", "f16x2", "bf16x2"]:
        for b, no in some(["and", "or", "xor"], ["", "!"]):
            c = "ne" if t[0] == "b" and t[1] != "f" else "lt"
            emit([KIND[t]] * 2 + ["i32"], 32, f"setp.gt.s32 %q, %c, 0; setp.{c}.{b}.{t} %p|%q, %a, %b, {no}%q; {PAIR}")
    results = ["u32", "s32", "f32"]
    for d in results + ["u16", "s16", "f16", "bf16", "f16x2", "bf16x2"]:
        for t, c, f in types:
            if d in results or t in ("f16", "bf16", "f32") or d in ("f16", "bf16") and c in ("lt", "eq"): emit([KIND[t]] * 2, bits(d), f"set{dotted(c, f)}.{d}.{t} %d, %a, %b;")
        for t, f in some(["f16x2", "bf16x2"], ["", "ftz"]):
            if d.endswith("x2"):
                for c in CMP_FLOAT: emit([KIND[t]] * 2, 32, f"set{dotted(c, f)}.{d}.{t} %d, %a, %b;")
        for t, b in some(["s32", "u64", "f32", "f64", "f16", "bf16", "f16x2", "bf16x2"], ["and", "or", "xor"]):
            emit([KIND[t]] * 2 + ["i32"], bits(d), f"setp.gt.s32 %q, %c, 0; set.lt.{b}.{d}.{t} %d, %a, %b, %q;")
    for t in B + INT + ["f32", "f64", "f16", "bf16", "f16x2", "bf16x2"]:
        emit([KIND[t]] * 2 + ["i32"], bits(t), f"setp.gt.s32 %q, %c, 0; selp.{t} %d, %a, %b, %q;")
        emit([KIND[t]] * 2 + ["i32"], bits(t), f"slct.{t}.s32 %d, %a, %b, %c;")
        for f in ["", ".ftz"]: emit([KIND[t]] * 2 + ["f32"], bits(t), f"slct{f}.{t}.f32 %d, %a, %b, %c;")

def conversions():
    head("conversions")
    ints = ["u8", "s8"] + INT; fl = ["f16", "bf16", "f32", "f64"]
    def cvt(mods, d, s): emit([KIND[s]], bits(d), f"cvt{dotted(*mods)}.{d}.{s} %d, %a;")
    for d, s in some(ints, ints):
        for sat in ["", "sat"]: cvt([sat], d, s)
    for d, s in some(["u8", "s8", "u16", "s16", "s32", "u32"], ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]):  # into a wider register
        n = 32 if bits(d) == 16 else 64
        emit([KIND[s]], n, f"cvt.{d}.{s} %d, %a;")
    for d, s in some(["u32", "s32", "u64", "s64"], ["u8", "s8", "u16", "s16", "u32", "s32"]):  # from a wider register
        emit(["i64" if s[1:] == "32" else "i32"], bits(d), f"cvt.{d}.{s} %d, %a;"); emit(["i64"], bits(d), f"cvt.sat.{d}.{s} %d, %a;")
    for d, s in some(["f16", "f32", "f64"], ["u8", "s8", "u16", "s16", "u32", "s32"]):
        emit(["i64" if s[1:] == "32" else "i32"], bits(d), f"cvt.rn.{d}.{s} %d, %a;")
    for d, s in some(ints, fl):
        for r, ftz, sat in some(["rni", "rzi", "rmi", "rpi"], ["", "ftz"], ["", "sat"]): cvt([r, ftz, sat], d, s)
    for d, s in some(fl, ints):
        for r, ftz, sat in some(RND, ["", "ftz"], ["", "sat"]): cvt([r, ftz, sat], d, s)
    for d, s in some(fl, fl):
        for r, ftz, sat in some([""] + RND + ["rni", "rzi", "rmi", "rpi"], ["", "ftz"], ["", "sat"]): cvt([r, ftz, sat], d, s)
    for d in ["f16", "bf16", "tf32"]:
        for r, relu, sat, ftz in some(["rn", "rz", "rna", "rs"], ["", "relu"], ["", "satfinite"], [""]): cvt([r, relu, sat], d, "f32"); cvt([r, sat, relu], d, "f32")
    for d, s in some(["bf16", "f16"], ["f16", "bf16", "f64"]):
        for r, relu in some(["rn", "rz"], ["relu", "satfinite", "relu.satfinite"]): cvt([r, relu], d, s)
    for d in ["f16x2", "bf16x2"]:
        for r, relu, sat in some(["rn", "rz"], ["", "relu"], ["", "satfinite"]): op(f"cvt{dotted(r, relu, sat)}.{d}.f32", ["f32"] * 2, d)
        op(f"cvt.rs.{d}.f32", ["f32", "f32", "u32"], d)
    for d in ["e4m3x2", "e5m2x2", "e2m1x2", "e2m3x2", "e3m2x2", "ue8m0x2"]:
        for relu in ["", "relu"]:
            m = dotted("rn", "satfinite", relu)
            op(f"cvt{m}.{d}.f32", ["f32"] * 2, d)
            for s in ["f16x2", "bf16x2"]: op(f"cvt{m}.{d}.{s}", [s], d)
            for s in ["f16x2", "bf16x2"]: op(f"cvt{dotted('rn', relu)}.{s}.{d}", [d], s)
    for d, s in some(["u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"], ["u32", "s32"]):
        emit(["i32"] * 2, 32, f"cvt.pack.sat.{d}.{s} %d, %a, %b;")
        emit(["i32"] * 3, 32, f"cvt.pack.sat.{d}.{s}.b32 %d, %a, %b, %c;")

def moves():
    head("moves")
    for t in B + INT + ["f32", "f64"]: emit([KIND[t]], bits(t), f"mov.{t} %d, %a;")
    emit(["i32"] * 2, 64, "mov.b64 %d, {%a, %b};"); emit(["i16"] * 2, 32, "mov.b32 %d, {%a, %b};"); emit(["i16"] * 3, 64, "mov.b64 %d, {%a, %b, %c, %a};")
    emit(["i64"], 32, "{ .reg .b32 %lo, %hi; mov.b64 {%lo, %hi}, %a; sub.s32 %d, %hi, %lo; }")
    emit(["i64"], 32, "mov.b64 {_, %d}, %a;"); emit(["i64"], 32, "mov.b64 {%d, _}, %a;")
    emit(["i32"], 16, "{ .reg .b16 %lo, %hi; mov.b32 {%lo, %hi}, %a; sub.s16 %d, %hi, %lo; }")
    emit(["i64"], 16, "{ .reg .b16 %w<4>; mov.b64 {%w0, %w1, %w2, %w3}, %a; sub.s16 %d, %w3, %w1; xor.b16 %d, %d, %w0; add.s16 %d, %d, %w2; }")
    emit(["i32"], 16, "{ .reg .b8 %y<4>; mov.b32 {%y0, %y1, %y2, %y3}, %a; mov.b16 %d, {%y3, %y1}; }")
    emit(["i32"], 32, "{ .reg .b8 %y<4>; mov.b32 {%y0, %y1, %y2, %y3}, %a; mov.b32 %d, {%y3, %y1, %y0, %y2}; }")
    emit(["i16"], 16, "{ .reg .b8 %y<2>; mov.b16 {%y0, %y1}, %a; mov.b16 %d, {%y1, %y0}; }")
    emit(["i64"] * 2, 64, "{ .reg .b64 %l, %h; .reg .b128 %w; mov.b128 %w, {%a, %b}; mov.b128 {%l, %h}, %w; sub.s64 %d, %h, %l; }")
    emit(["i64"] * 2, 64, "{ .reg .b64 %l, %h; .reg .b128 %w, %v; mov.b128 %w, {%a, %b}; mov.b128 %v, %w; mov.b128 {%l, %h}, %v; sub.s64 %d, %h, %l; }")

SEL = ["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"]
def video():
    head("video instructions")
    n = 0
    def pick(i): return SEL[(n * 5 + i * 3) % 7]
    for o in ["vadd", "vsub", "vabsdiff", "vmin", "vmax"]:
        for d, a, b, sat in some(["u32", "s32"], ["u32", "s32"], ["u32", "s32"], ["", ".sat"]):
            name = f"{o}.{d}.{a}.{b}{sat}"
            emit(["i32"] * 2, 32, f"{name} %d, %a, %b;")
            emit(["i32"] * 2, 32, f"{name} %d, %a{pick(0)}, %b{pick(1)};")
            for op2 in ["add", "min", "max"]: n += 1; emit(["i32"] * 3, 32, f"{name}.{op2} %d, %a{pick(0)}, %b{pick(1)}, %c;")
            n += 1; emit(["i32"] * 3, 32, f"{name} %d{SEL[1 + n * 7 // 4 % 6]}, %a{pick(2)}, %b{pick(0)}, %c;")
            emit(["i32"] * 3, 32, f"{name} %d{SEL[1 + n * 5 // 4 % 6]}, %a, %b, %c;")
    for o in ["vshl", "vshr"]:
        for d, a, sat, mode in some(["u32", "s32"], ["u32", "s32"], ["", ".sat"], [".clamp", ".wrap"]):
            name = f"{o}.{d}.{a}.u32{sat}{mode}"
            emit(["i32", "n"], 32, f"{name} %d, %a, %b;")
            emit(["i32", "n"], 32, f"{name} %d, %a{pick(0)}, %b{SEL[1 + n * 7 // 4 % 6]};")
            for op2 in ["add", "min", "max"]: n += 1; emit(["i32", "n", "i32"], 32, f"{name}.{op2} %d, %a{pick(0)}, %b.b0, %c;")
            n += 1; emit(["i32", "n", "i32"], 32, f"{name} %d{SEL[1 + n * 7 // 4 % 6]}, %a{pick(2)}, %b, %c;")
    for d, a, b in some(["u32", "s32"], ["u32", "s32"], ["u32", "s32"]):
        for sat, scale in some(["", ".sat"], ["", ".shr7", ".shr15"]):
            name = f"vmad.{d}.{a}.{b}{sat}{scale}"
            emit(["i32"] * 3, 32, f"{name} %d, %a, %b, %c;")
            n += 1; emit(["i32"] * 3, 32, f"{name} %d, %a{pick(0)}, %b{pick(1)}, %c;")
            for sign in ["-%a, %b, %c", "%a, -%b, %c", "%a, %b, -%c"]: emit(["i32"] * 3, 32, f"{name} %d, {sign};")
            n += 1; emit(["i32"] * 3, 32, f"{name} %d, -%a{pick(0)}, %b{pick(1)}, %c;")
        for sat, scale in some(["", ".sat"], ["", ".shr7", ".shr15"]):
            emit(["i32"] * 3, 32, f"vmad.{d}.{a}.{b}.po{sat}{scale} %d, %a, %b, %c;")
    for a, b, c in some(["u32", "s32"], ["u32", "s32"], CMP_INT):
        name = f"vset.{a}.{b}.{c}"
        emit(["i32"] * 2, 32, f"{name} %d, %a, %b;")
        n += 1; emit(["i32"] * 2, 32, f"{name} %d, %a{pick(0)}, %b{pick(1)};")
        for op2 in ["add", "min", "max"]: n += 1; emit(["i32"] * 3, 32, f"{name}.{op2} %d, %a{pick(0)}, %b{pick(1)}, %c;")
        n += 1; emit(["i32"] * 3, 32, f"{name} %d{SEL[1 + n * 7 // 4 % 6]}, %a{pick(2)}, %b{pick(0)}, %c;")
    MASK2 = [".h0", ".h1", ".h10"]; MASK4 = [".b" + "".join(str(k) for k in (3, 2, 1, 0) if m >> k & 1) for m in range(1, 16)]
    def sel(count): return (".h" if count == 2 else ".b") + "".join(str((n * 7 + k * (3 + n % 3)) % (2 * count)) for k in range(count))
    for count, masks in [(2, MASK2), (4, MASK4)]:
        for o in ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"]:
            for d, a, b, m in some(["u32", "s32"], ["u32", "s32"], ["u32", "s32"], ["", ".sat", ".add"]):
                name = f"{o}{count}.{d}.{a}.{b}{m}"
                emit(["i32"] * 3, 32, f"{name} %d, %a, %b, %c;")
                n += 1; emit(["i32"] * 3, 32, f"{name} %d{masks[n % len(masks)]}, %a, %b, %c;")
                n += 1; emit(["i32"] * 3, 32, f"{name} %d{masks[n % len(masks)]}, %a{sel(count)}, %b{sel(count)}, %c;")
        for a, b, c, m in some(["u32", "s32"], ["u32", "s32"], CMP_INT, ["", ".add"]):
            name = f"vset{count}.{a}.{b}.{c}{m}"
            emit(["i32"] * 3, 32, f"{name} %d, %a, %b, %c;")
            n += 1; emit(["i32"] * 3, 32, f"{name} %d{masks[n % len(masks)]}, %a{sel(count)}, %b, %c;")

def warps():
    head("exchange within a warp")
    for m, c in some(["up", "down", "bfly", "idx"], ["0", "31", "0x1c1f", "0x1c00", "0x181f", "0x0f07", "0x1800"]):
        emit(["i32", "n"], 32, f"shfl.sync.{m}.b32 %d|%p, %a, %b, {c}, -1; @%p add.s32 %d, %d, 1;")
    emit(["i32", "n"], 32, "shfl.sync.idx.b32 %d, %a, %b, 31, -1;")
    for c in ["gt", "ne"]:
        emit(["i32"], 32, f"setp.{c}.s32 %p, %a, 0; vote.sync.ballot.b32 %d, %p, -1;")
        emit(["i32"], 32, f"setp.{c}.s32 %p, %a, 0; vote.sync.ballot.b32 %d, !%p, -1;")
        for m in ["all", "any", "uni"]: emit(["i32"], 32, f"setp.{c}.s32 %p, %a, 0; vote.sync.{m}.pred %q, %p, -1; selp.b32 %d, 1, 0, %q;")
    emit(["i32"], 32, "and.b32 %a, %a, 3; match.any.sync.b32 %d, %a, -1;"); emit(["i64"], 32, "and.b64 %a, %a, 1; match.any.sync.b64 %d, %a, -1;")
    for t in ["b32", "b64"]:
        emit([KIND[t]], 32, f"and.{t} %a, %a, 0; match.all.sync.{t} %d|%p, %a, -1; @%p add.s32 %d, %d, 3;")
        emit([KIND[t]], 32, f"match.all.sync.{t} %d|%p, %a, -1; @%p add.s32 %d, %d, 3;")
    for o, t in some(["add", "min", "max", "and", "or", "xor"], ["s32", "u32", "b32"]): emit(["i32"], 32, f"redux.sync.{o}.{t} %d, %a, -1;")
    for o, a, nan in some(["min", "max"], ["", ".abs"], ["", ".NaN"]): emit(["f32"], 32, f"redux.sync.{o}{a}{nan}.f32 %d, %a, -1;")
    emit(["i32"], 32, "activemask.b32 %d;"); emit(["i32"], 32, "elect.sync %d|%p, -1; @%p add.s32 %d, %d, 5;"); emit(["i32"], 32, "elect.sync _|%p, -1; selp.b32 %d, 1, 0, %p;")
    odd = "{ .reg .pred %o; and.b32 %n, %a, 1; setp.ne.u32 %o, %n, 0; vote.sync.ballot.b32 %n, %o, -1; mov.u32 %d, 7; @!%o bra.uni SKIP; CODE SKIP: bar.warp.sync -1; }"
    for code in ["redux.sync.add.u32 %d, %a, %n;", "redux.sync.min.s32 %d, %a, %n;", "redux.sync.xor.b32 %d, %a, %n;", "match.any.sync.b32 %d, %a, %n;", "activemask.b32 %d;",
                 "vote.sync.any.pred %q, 0, %n; selp.b32 %d, 1, 0, %q;"]:
        emit(["i32"], 32, odd.replace("bra.uni", "bra").replace("CODE", code))
    for b, aligned in some(["bar.red", "bar.cta.red", "barrier.red", "barrier.cta.red"], ["", ".aligned"]):
        for count, no in some(["", " 256,"], ["", "!"]):
            emit(["i32"], 32, f"setp.gt.s32 %p, %a, 0; {b}.popc{aligned}.u32 %d, 0,{count} {no}%p;")
            for o, c in some(["and", "or"], ["gt", "ne"]): emit(["i32"], 32, f"setp.{c}.s32 %p, %a, 0; {b}.{o}{aligned}.pred %q, 1,{count} {no}%p; selp.b32 %d, 1, 0, %q;")
    head("special registers")
    for r in ["lanemask_eq", "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt", "laneid", "tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z", "ctaid.x", "ctaid.y", "ctaid.z",
              "nctaid.x", "nctaid.y", "nctaid.z", "total_smem_size", "dynamic_smem_size", "aggr_smem_size", "cluster_ctaid.x", "cluster_ctaid.y", "cluster_ctaid.z", "cluster_nctaid.x",
              "cluster_nctaid.y", "cluster_nctaid.z", "cluster_ctarank", "cluster_nctarank", "clusterid.x", "clusterid.y", "clusterid.z", "nclusterid.x", "nclusterid.y", "nclusterid.z",
              "nwarpid", "reserved_smem_offset_begin", "reserved_smem_offset_end", "reserved_smem_offset_cap", "reserved_smem_offset_0", "reserved_smem_offset_1",
              "envreg1", "envreg2", "envreg3", "envreg31"]:
        emit(["i32"], 32, f"mov.u32 %d, %{r};")
    emit(["i32"], 16, "mov.u16 %d, %tid.x;"); emit(["i32"], 32, "cvt.u32.u16 %d, %ntid.x;"); emit(["i32"], 32, "mov.pred %p, %is_explicit_cluster; selp.b32 %d, 1, 0, %p;")
    emit(["i32"], 64, "mov.u64 %d, %current_graph_exec;")
    emit(["i32"], 64, "{ .reg .v4 .u32 %v; mov.v4.u32 %v, %tid; cvt.u64.u32 %d, %v.x; }")
    for r in ["clock", "clock_hi", "globaltimer_lo", "globaltimer_hi", "smid", "warpid", "nsmid", "envreg0", "pm0", "pm7"]: emit(["i32"], 32, f"mov.u32 %d, %{r}; mov.u32 %d, 0;")
    for r in ["clock64", "globaltimer", "gridid", "pm0_64"]: emit(["i32"], 64, f"mov.u64 %d, %{r}; mov.u64 %d, 0;")

VALUE = {"b8": "i16", **KIND}
def memory():
    head("loads and stores")
    shared = ".shared .align 16 .b8 s[8192]; .reg .b32 %s; mov.u32 %s, %tid.x; shl.b32 %s, %s, 5; mov.u32 %n, s; add.u32 %s, %s, %n; "
    local = ".local .align 16 .b8 l[32]; .reg .b64 %s; mov.u64 %s, l; "
    generic = shared + ".reg .b64 %g; cvt.u64.u32 %g, %s; cvta.shared.u64 %g, %g; "
    spaces = {"global": ("", "%scr"), "shared": (shared, "%s"), "local": (local, "%s"), "": (generic, "%g")}
    names = ["b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"]
    def size(t): return int(t.lstrip("busf"))
    for space in spaces:
        setup, at = spaces[space]; dot = "." + space if space else ""
        for t in names:
            k = KIND[t]; n = bits(t)
            emit([k], n, f"{setup}st{dot}.b64 [{at}+8], -1; st{dot}.{t} [{at}+8], %a; ld{dot}.{t} %d, [{at}+8];")
            if t[0] != "f" and size(t) < 64 and space in ("global", "shared"):
                wide = 64 if n == 32 else 32
                emit([k], wide, f"{setup}st{dot}.{t} [{at}], %a; ld{dot}.{t} %d, [{at}];")
        for t, v in some(["b8", "u8", "s16", "u32", "f32", "b64", "f64"], [2, 4]):
            if size(t) * v > 128: continue
            k = KIND[t]; regs = ", ".join(f"%d{j}" for j in range(v)); ins = ", ".join(f"%a{j}" for j in range(v))
            emit([f"{k}*{v}"], f"{bits(t)}*{v}", f"{setup}st{dot}.v{v}.{t} [{at}], {{{ins}}}; ld{dot}.v{v}.{t} {{{regs}}}, [{at}];")
        emit(["i64", "i64"], 64, f"{setup}.reg .b64 %l, %h; .reg .b128 %w; mov.b128 %w, {{%a, %b}}; st{dot}.b128 [{at}], %w; mov.b128 %w, {{%b, %a}}; ld{dot}.b128 %w, [{at}]; mov.b128 {{%l, %h}}, %w; sub.s64 %d, %h, %l;")
    plain = "st.global.b32 [%scr], %a; "
    for m in [".ca", ".cg", ".cs", ".lu", ".cv", ".volatile", ".relaxed.cta", ".relaxed.gpu", ".relaxed.sys", ".relaxed.cluster", ".acquire.cta", ".acquire.gpu", ".acquire.sys", ".weak", ".mmio.relaxed.sys"]:
        first, second = (m, "") if m.startswith((".v", ".r", ".a", ".w", ".m")) else ("", m)
        emit(["i32"], 32, f"{plain}ld{first}.global{second}.b32 %d, [%scr];")
    for m in [".nc", ".nc.L1::no_allocate", ".L1::evict_last", ".L1::evict_first", ".L1::evict_normal", ".L1::evict_unchanged", ".L2::64B", ".L2::128B", ".L2::256B", ".nc.L1::evict_last.L2::128B", ".L2::evict_last.L2::128B"]:
        emit(["i32"], 32, f"{plain}ld.global{m}.b32 %d, [%scr];")
    emit(["i32"], 32, f"{plain}ldu.global.b32 %d, [%scr];"); emit(["i32"], 32, f"{plain}ldu.b32 %d, [%scr];")
    emit(["i32*2"], "32*2", "st.global.v2.b32 [%scr], {%a0, %a1}; ldu.global.v2.b32 {%d0, %d1}, [%scr];")
    emit(["i32*2"], "32*2", "st.global.v2.b32 [%scr], {%a0, %a1}; ld.global.nc.v2.b32 {%d0, %d1}, [%scr];")
    emit(["i32*2"], "32*2", "st.global.v2.b32 [%scr], {%a0, %a1}; ld.global.v2.b32 {%d1, _}, [%scr]; ld.global.v2.b32 {_, %d0}, [%scr];")
    for m in [".wb", ".cg", ".cs", ".wt", ".L1::evict_last", ".L1::no_allocate", ".L1::evict_first"]: emit(["i32"], 32, f"st.global{m}.b32 [%scr], %a; ld.global.b32 %d, [%scr];")
    for m in [".volatile", ".relaxed.cta", ".relaxed.gpu", ".release.cta", ".release.gpu", ".release.sys", ".release.cluster", ".weak", ".mmio.relaxed.sys"]:
        emit(["i32"], 32, f"st{m}.global.b32 [%scr], %a; ld.global.b32 %d, [%scr];")
    policy = ".reg .b64 %k; createpolicy.fractional.L2::evict_last.b64 %k, 1.0; "
    emit(["i32"], 32, policy + "st.global.L2::cache_hint.b32 [%scr], %a, %k; ld.global.L2::cache_hint.b32 %d, [%scr], %k;")
    emit(["i32"], 32, policy + "st.global.b32 [%scr], %a; atom.global.add.L2::cache_hint.u32 %d, [%scr], 5, %k;")
    emit(["i32"], 32, policy + "st.global.b32 [%scr], %a; red.global.add.L2::cache_hint.u32 [%scr], 5, %k; ld.global.b32 %d, [%scr];")
    for c in ["createpolicy.fractional.L2::evict_first.b64 %k;", "createpolicy.fractional.L2::evict_normal.b64 %k, 0.5;", "createpolicy.fractional.L2::evict_unchanged.b64 %k;",
              "createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %k, 0.25;", "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %k, [%scr], 0x1000, 0x2000;",
              "createpolicy.range.L2::evict_first.b64 %k, [%scr], 4096, 8192;", "createpolicy.cvt.L2.b64 %k, 0x0123456789abcdef;"]:
        emit(["i32"], 32, f".reg .b64 %k; st.global.b32 [%scr], %a; {c} ld.global.L2::cache_hint.b32 %d, [%scr], %k;")
    for c in ["prefetch.global.L1 [%scr];", "prefetch.global.L2 [%scr];", "prefetch.L1 [%scr];", "prefetch.L2 [%scr];", "prefetch.global.L2::evict_last [%scr];", "prefetch.global.L2::evict_normal [%scr];",
              "prefetchu.L1 [%scr];", "membar.cta;", "membar.gl;", "membar.sys;", "fence.acq_rel.cta;", "fence.acq_rel.gpu;", "fence.acq_rel.sys;",
              "fence.acq_rel.cluster;", "fence.sc.cta;", "fence.sc.gpu;", "fence.sc.sys;", "fence.sc.cluster;", "fence.acquire.gpu;", "fence.release.gpu;", "fence.proxy.alias;", "fence.proxy.async;",
              "fence.proxy.async.global;", "fence.proxy.async.shared::cta;", "fence.proxy.tensormap::generic.release.gpu;",
              "fence.mbarrier_init.release.cluster;", "fence.acquire.sync_restrict::shared::cluster.cluster;", "nanosleep.u32 20;", "nanosleep.u32 %n;", "pmevent 3;", "pmevent.mask 5;",
              "griddepcontrol.wait;", "griddepcontrol.launch_dependents;", "barrier.cta.sync 1;", "barrier.sync 2, 256;", "barrier.sync.aligned 3;", "bar.sync 4, 256;", "bar.warp.sync -1;"]:
        emit(["i32"], 32, f"st.global.b32 [%scr], %a; mov.u32 %n, 10; {c} ld.global.b32 %d, [%scr];")
    head("addresses")
    setup = ".shared .align 16 .b8 s[8192]; .local .align 16 .b8 l[32]; .reg .b64 %g, %h; .reg .b32 %s; "
    for space, var in [("shared", "s"), ("local", "l")]:
        for test in ["shared", "local", "global", "const", "shared::cta", "shared::cluster", "param", "param::entry"]:
            emit(["i32"], 32, setup + f"cvta.{space}.u64 %g, {var}; isspacep.{test} %p, %g; {PRED}")
        emit(["i64"], 64, setup + f"mov.u64 %h, {var}; cvta.{space}.u64 %g, {var}; cvta.to.{space}.u64 %g, %g; sub.u64 %d, %g, %h;")
        emit(["i64"], 64, setup + f"mov.u64 %h, {var}; cvta.{space}.u64 %g, %h; cvta.to.{space}.u64 %g, %g; sub.u64 %d, %g, %h;")
        emit(["i64"], 64, setup + f"mov.u64 %h, {var}; cvta.{space}.u64 %g, {var}+8; cvta.to.{space}.u64 %g, %g; sub.u64 %d, %g, %h;")
    for test in ["shared", "local", "global", "const", "shared::cta", "param"]: emit(["i32"], 32, f"isspacep.{test} %p, %scr; {PRED}")
    emit(["i64"], 64, setup + "cvta.global.u64 %g, %scr; cvta.to.global.u64 %g, %g; sub.u64 %d, %g, %scr;")
    emit(["i64"], 64, "cvta.to.const.u64 %d, %a;"); emit(["i64"], 64, "cvta.const.u64 %d, %a; cvta.to.const.u64 %d, %d;")
    emit(["i64"], 64, "cvta.param.u64 %d, %a; cvta.to.param.u64 %d, %d;")

def atomics():
    head("atomics: each thread on its own word")
    shared = ".shared .align 16 .b8 s[8192]; .reg .b32 %s; mov.u32 %s, %tid.x; shl.b32 %s, %s, 5; mov.u32 %n, s; add.u32 %s, %s, %n; "
    generic = shared + ".reg .b64 %g; cvt.u64.u32 %g, %s; cvta.shared.u64 %g, %g; "
    spaces = {"global": ("", "%scr"), "shared": (shared, "%s"), "": (generic, "%g")}
    plan = [(o, t) for o in ["and", "or", "xor", "exch"] for t in ["b32", "b64"]]
    plan += [("add", t) for t in ["u32", "s32", "u64", "s64", "f32", "f64"]] + [("add.noftz", t) for t in HALF]
    plan += [(o, "u32") for o in ["inc", "dec"]] + [(o, t) for o in ["min", "max"] for t in ["u32", "s32", "u64", "s64", "f32", "f64"]]
    plan += [(o + ".noftz", t) for o in ["min", "max"] for t in HALF] + [("exch", "b16"), ("exch", "b128"), ("add", "u16")]
    for space, (setup, at) in spaces.items():
        dot = "." + space if space else ""
        for o, t in plan:
            if t == "b128": continue
            k = KIND[t]; n = bits(t)
            st = f"st{dot}.b{n} [{at}], %a; "
            emit([k] * 2, f"{n}*2", f"{setup}{st}atom{dot}.{o}.{t} %d0, [{at}], %b; ld{dot}.b{n} %d1, [{at}];")
            if o not in ("exch",): emit([k] * 2, n, f"{setup}{st}red{dot}.{o}.{t} [{at}], %b; ld{dot}.b{n} %d, [{at}];")
        for t in ["b16", "b32", "b64"]:
            k = KIND[t]; n = bits(t)
            emit([k] * 3, f"{n}*2", f"{setup}st{dot}.b{n} [{at}], %a; and.{t} %b, %b, 3; and.{t} %a, %a, 3; st{dot}.b{n} [{at}], %a; atom{dot}.cas.{t} %d0, [{at}], %b, %c; ld{dot}.b{n} %d1, [{at}];")
        emit(["i64*2", "i64*2"], "64*2", f"{setup}.reg .b128 %w, %v; mov.b128 %w, {{%a0, %a1}}; st{dot}.b128 [{at}], %w; mov.b128 %w, {{%b0, %b1}}; atom{dot}.exch.b128 %v, [{at}], %w; ld{dot}.b128 %w, [{at}]; {{ .reg .b64 %l<4>; mov.b128 {{%l0, %l1}}, %w; mov.b128 {{%l2, %l3}}, %v; xor.b64 %d0, %l0, %l3; add.s64 %d1, %l1, %l2; }}")
        emit(["i64*2", "i64*2", "i64*2"], "64*2", f"{setup}.reg .b128 %w, %v, %u; and.b64 %a0, %a0, 0; and.b64 %b0, %b0, 0; and.b64 %a1, %a1, 1; and.b64 %b1, %b1, 1; mov.b128 %w, {{%a0, %a1}}; st{dot}.b128 [{at}], %w; mov.b128 %w, {{%b0, %b1}}; mov.b128 %u, {{%c0, %c1}}; atom{dot}.cas.b128 %v, [{at}], %w, %u; ld{dot}.b128 %w, [{at}]; {{ .reg .b64 %l<4>; mov.b128 {{%l0, %l1}}, %w; mov.b128 {{%l2, %l3}}, %v; xor.b64 %d0, %l0, %l3; add.s64 %d1, %l1, %l2; }}")
    for order, scope in some(["", ".relaxed", ".acquire", ".release", ".acq_rel"], ["", ".cta", ".cluster", ".gpu", ".sys"]):
        emit(["i32"] * 2, "32*2", f"st.global.b32 [%scr], %a; atom{order}{scope}.global.add.u32 %d0, [%scr], %b; ld.global.b32 %d1, [%scr];")
        emit(["i32"] * 2, 32, f"st.global.b32 [%scr], %a; red{order}{scope}.global.add.u32 [%scr], %b; ld.global.b32 %d, [%scr];")
    for s in ["shared::cta", "shared::cluster"]:
        emit(["i32"] * 2, "32*2", f"{shared}st.shared.b32 [%s], %a; atom.{s}.add.u32 %d0, [%s], %b; ld.shared.b32 %d1, [%s];")
    head("atomics of vectors")
    for t, v in [("f32", 2), ("f32", 4), ("f16", 2), ("f16", 4), ("f16", 8), ("bf16", 2), ("bf16", 4), ("bf16", 8), ("f16x2", 2), ("f16x2", 4), ("bf16x2", 2), ("bf16x2", 4)]:
        k, n = KIND[t], bits(t)
        for o in ["add", "min", "max"]:
            z = ".noftz" if t != "f32" else ""
            ins = ", ".join(f"%a{j}" for j in range(v)); ops = ", ".join(f"%b{j}" for j in range(v)); outs = ", ".join(f"%d{j}" for j in range(v))
            st = " ".join(f"st.global.b{n} [%scr+{j * n // 8}], %a{j};" for j in range(v)); ld = " ".join(f"ld.global.b{n} %d{j}, [%scr+{j * n // 8}];" for j in range(v))
            emit([f"{k}*{v}"] * 2, f"{n}*{v}", f"{st} atom.global.v{v}.{t}.{o}{z} {{{outs}}}, [%scr], {{{ops}}};")
            emit([f"{k}*{v}"] * 2, f"{n}*{v}", f"{st} red.global.v{v}.{t}.{o}{z} [%scr], {{{ops}}}; {ld}")
            emit([f"{k}*{v}"] * 2, f"{n}*{v}", f"{st} atom.global.{o}{z}.v{v}.{t} {{{outs}}}, [%scr], {{{ops}}};")
            emit([f"{k}*{v}"] * 2, f"{n}*{v}", f"{st} red.global.{o}{z}.v{v}.{t} [%scr], {{{ops}}}; {ld}")

def judge(lines, arch="sm_90a"):
    """Which forms ptxas accepts: all as kernels of one module, those with errors taken out until none is left."""
    alive, refused = list(range(len(lines))), {}
    while alive:
        text, owner = ".version 9.0\n.target %s\n.address_size 64\n" % arch, []
        owner = [None] * text.count("\n")
        for k in alive:
            t = record.entry(*record.parse(lines[k]), entryName=f"k{k}")
            text += t; owner += [k] * t.count("\n")
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/m.ptx"; open(path, "w").write(text)
            got = subprocess.run(["ptxas", "-arch=" + arch, "-c", "-O0", path, "-o", folder + "/m.cubin"], capture_output=True, text=True)
        if got.returncode == 0: return alive, refused
        bad = {}
        for m in re.finditer(r"line (\d+); (?:error|fatal)\s*: (.*)", got.stderr):
            k = owner[int(m[1]) - 1]
            if k is not None: bad.setdefault(k, m[2])
        if not bad: sys.exit(got.stderr[:2000])
        refused.update(bad); alive = [k for k in alive if k not in bad]
    return alive, refused

def main():
    for part in [integers, carries, bitwise, floats, halves, comparisons, conversions, moves, video, warps, memory, atomics]: part()
    unique = list(dict.fromkeys(forms)); only = [f for f in unique if not f.startswith("#")]
    alive, refused = judge(only); accepted = {only[k] for k in alive}; why = {only[k]: w for k, w in refused.items()}
    for f in unique:
        if f.startswith("#") or f in accepted: print(f)
        elif "--all" in sys.argv: print("#refused", f, "|", why[f])
    print(len(only), "forms,", len(accepted), "accepted", file=sys.stderr)

if __name__ == "__main__": main()
