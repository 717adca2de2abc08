#!/usr/bin/env python3
"""Runs every form of a list on a real GPU and writes what it gave.

usage: record.py build forms.txt FOLDER                            with ptxas, on any machine
       record.py run forms.txt FOLDER results.txt raw.bin          with CuPy, on the machine with the GPU
results.txt: a line per form, 16 hex digits of SHA-256 over the results, 64 bits each; "-": ptxas refuses the form; "!": it failed.
raw.bin: the results themselves, as wide as the form says, in the order of the lines. The inputs are those of forms.cpp."""
import hashlib, os, re, subprocess, sys
import numpy as np

COUNT = 1024
def mix(i, s):
    x = (np.asarray(i, np.uint64) + np.uint64(s * 0x9E3779B9 & 0xFFFFFFFF)).astype(np.uint32)
    x ^= x >> np.uint32(16); x = x * np.uint32(0x85ebca6b); x ^= x >> np.uint32(13); x = x * np.uint32(0xc2b2ae35); x ^= x >> np.uint32(16)
    return x.astype(np.uint64)

EDGES = {
    "f32": [0x0, 0x80000000, 0x3F800000, 0xBF800000, 0x40000000, 0x3F000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FFFFFFF, 0xFFC12345, 0x7F812345, 0x1, 0x80000001, 0x7FFFFF, 0x807FFFFF, 0x800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F7FFFFF, 0x3F800001, 0x4B000000, 0x4B800001, 0x4EFFFFFF, 0x4F000000, 0xCF000000, 0x4F7FFFFF, 0x4F800000, 0x5F000000, 0x5F7FFFFF, 0x5F800000, 0xDF000000, 0x437F0000, 0x42FE0000, 0xC3000000, 0x477FE000, 0x477FF000, 0x38800000, 0x33000000, 0x33000001, 0x40490FDB, 0x3FC00000, 0x40200000, 0xBFC00000, 0xBF000000, 0x3EFFFFFF, 0x7E800001, 0x00400000, 0x42B17218, 0xC2AEAC50, 0x43000000, 0xC3150000],
    "f64": [0x0, 0x8000000000000000, 0x3FF0000000000000, 0xBFF0000000000000, 0x4000000000000000, 0x3FE0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FFFFFFFFFFFFFFF, 0xFFF8000012345678, 0x7FF0000000000001, 0x7FF4567800000000, 0x1, 0x8000000000000001, 0xFFFFFFFFFFFFF, 0x10000000000000, 0x8010000000000000, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x3FEFFFFFFFFFFFFF, 0x3FF0000000000001, 0x41DFFFFFFFC00000, 0x41E0000000000000, 0xC1E0000000000000, 0xC1E0000000200000, 0x41EFFFFFFFE00000, 0x41F0000000000000, 0x43E0000000000000, 0xC3E0000000000000, 0x43F0000000000000, 0x406FE00000000000, 0x40EFFC0000000000, 0x40EFFE0000000000, 0x47EFFFFFE0000000, 0x47EFFFFFF0000000, 0x3810000000000000, 0x36A0000000000000, 0x3690000000000000, 0x3690000000000001, 0x380FFFFFE0000000, 0x3FF8000000000000, 0x4004000000000000, 0xBFE0000000000000, 0x4330000000000000, 0x4340000000000001],
    "f16": [0x0, 0x8000, 0x3C00, 0xBC00, 0x4000, 0x3800, 0x7C00, 0xFC00, 0x7E00, 0x7FFF, 0xFE12, 0x7C12, 0x1, 0x8001, 0x3FF, 0x400, 0x8400, 0x7BFF, 0xFBFF, 0x3BFF, 0x3C01, 0x5BF8, 0x5C00, 0x57F0, 0xD800, 0x3E00, 0x4100, 0xB800],
    "bf16": [0x0, 0x8000, 0x3F80, 0xBF80, 0x4000, 0x3F00, 0x7F80, 0xFF80, 0x7FC0, 0x7FFF, 0xFFC1, 0x7F81, 0x1, 0x8001, 0x7F, 0x80, 0x8080, 0x7F7F, 0xFF7F, 0x3F7F, 0x3F81, 0x3FC0, 0x4020, 0xBF00],
    "i64": [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFE, 0xFFFFFFFF80000000, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0xFFFFFFFFFFFFFF80, 0x20000000000001, 0x7FFFFFBFFFFFFFFF, 0x1000001],
    "n": [0, 1, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 0xFFFFFFFF, 15, 16, 17],
}
WIDTH = {"i16": 16, "i32": 32, "i64": 64, "n": 32, "f16": 16, "bf16": 16, "f32": 32, "f64": 64, "h2": 32, "b2": 32, "H2": 32, "B2": 32, "F": 32}
FLOAT = {"f16": (10, 15), "bf16": (7, 127), "f32": (23, 127), "f64": (52, 1023)}  # fraction bits, exponent bias

def moderate(kind, lo, hi):
    """Sign, an exponent within 8 of zero, a fraction whose low half is often zero."""
    fraction, bias = FLOAT[kind]; w = WIDTH[kind]; one = np.uint64(1)
    bits = (hi << np.uint64(32) | lo) & np.uint64((1 << fraction) - 1)
    bits = np.where(hi & np.uint64(0x8000) != 0, bits, bits & np.uint64(((1 << fraction) - 1) & ~((1 << fraction // 2) - 1)))
    e = (lo >> np.uint64(20)) % np.uint64(17) + np.uint64(bias - 8)
    return bits | e << np.uint64(fraction) | (hi >> np.uint64(31) & one) << np.uint64(w - 1)

def values(kind, e, k):
    if kind in ("h2", "b2", "H2", "B2"):
        half = {"h2": "f16", "b2": "bf16", "H2": "m:f16", "B2": "m:bf16"}[kind]
        return values(half, e, k) | values(half, e + np.uint64(7777), k) << np.uint64(16)
    r, s, t = mix(e, 101 + k), mix(e, 201 + k), mix(e, 301 + k)
    if kind == "F": kind = "m:f32"
    if kind.startswith("m:"): return moderate(kind[2:], s, t)
    w = WIDTH[kind]; mask = np.uint64((1 << w) - 1); table = np.array(EDGES["i64" if kind[0] == "i" else kind], np.uint64)
    edge = table[(s % np.uint64(len(table))).astype(int)] & mask
    if kind == "n": near = s % np.uint64(70)
    elif kind in FLOAT: near = moderate(kind, s, t)
    else: near = s % np.uint64(257) - np.uint64(128)
    flipped = edge ^ np.uint64(1) << t % np.uint64(w)
    choice = r & np.uint64(3)
    return np.select([choice == 0, choice == 1, choice == 2], [edge, t << np.uint64(32) | s, near], flipped) & mask

def parse(line):
    head, code = line.split(" : ", 1); ins, out = head.split("->")
    group = lambda x: (x.split("*")[0], int(x.split("*")[1]) if "*" in x else 0)
    return [group(x) for x in ins.split()], group(out.strip()), code.strip()

HEADER = ".version 9.0\n.target sm_90a\n.address_size 64\n"
def entry(ins, out, code, entryName="k"):
    """One kernel; forms.cpp writes the same text."""
    regs, loads, n = [], [], 0
    for name, (kind, count) in zip("abc", ins):
        w = WIDTH[kind]
        for j in range(max(1, count)):
            r = f"%{name}{j}" if count else f"%{name}"; regs.append(f".reg .b{w} {r};")
            loads.append(f"ld.global.b{w} {r}, [%in+{8 * COUNT * n}];"); n += 1
    w, count = int(out[0]), out[1]; stores = []
    for j in range(max(1, count)):
        r = f"%d{j}" if count else "%d"; regs.append(f".reg .b{w} {r};")
        stores.append((f"mov.b64 %x, {r};" if w == 64 else f"cvt.u64.u{w} %x, {r};") + f" st.global.b64 [%out+{8 * COUNT * j}], %x;")
    text = f".visible .entry {entryName}(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{{\n"
    text += ".reg .b64 %in, %out, %x, %step; .reg .b32 %t, %n; .reg .pred %p, %q;\n" + " ".join(regs) + "\n"
    text += "ld.param.u64 %in, [p0]; ld.param.u64 %out, [p1]; mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %t, %n, 256, %t;\n"
    text += "mul.wide.u32 %step, %t, 8; add.u64 %in, %in, %step; add.u64 %out, %out, %step;\n"
    if "%scr" in code: text += ".reg .b64 %scr; ld.param.u64 %scr, [p2]; mul.wide.u32 %step, %t, 64; add.u64 %scr, %scr, %step;\n"
    return text + "\n".join(loads) + "\n" + code + "\n" + "\n".join(stores) + "\nret;\n}\n"

_values = {}
def inputs(ins):
    e = np.arange(COUNT, dtype=np.uint64)
    def one(kind, k):
        if (kind, k) not in _values: _values[kind, k] = values(kind, e, k)
        return _values[kind, k]
    return np.concatenate([one(kind, 8 * k + j) for k, (kind, count) in enumerate(ins) for j in range(max(1, count))])

def lines_of(path): return [l.rstrip("\n") for l in open(path) if l.strip() and not l.startswith("#")]

def build(forms, folder, arch="sm_90a", chunk=500):
    """Modules of many forms each; a form that ptxas refuses is left out, and its name goes to refused.txt."""
    os.makedirs(folder, exist_ok=True)
    lines = lines_of(forms); refused = set()
    for first in range(0, len(lines), chunk):
        while True:
            text, owner = HEADER, [None] * HEADER.count("\n")
            for k in range(first, min(first + chunk, len(lines))):
                if k in refused: continue
                t = entry(*parse(lines[k]), entryName=f"k{k}"); text += t; owner += [k] * t.count("\n")
            path = f"{folder}/{first}.ptx"; open(path, "w").write(text)
            got = subprocess.run(["ptxas", "-arch=" + arch, path, "-o", f"{folder}/{first}.cubin"], capture_output=True, text=True); os.remove(path)
            if got.returncode == 0: break
            bad = {owner[int(m[1]) - 1] for m in re.finditer(r"line (\d+); (?:error|fatal)", got.stderr)} - {None}
            if not bad: sys.exit(got.stderr[:2000])
            refused |= bad
    with open(f"{folder}/refused.txt", "w") as f: f.writelines(f"{lines[k]}\n" for k in sorted(refused))

def work(forms, folder, results, raw, start):
    """Appends to results and raw from form `start` on; exit status 3: the context broke, and the form at which it did is marked "!"."""
    import cupy as cp
    lines = lines_of(forms); chunk = 500; module = None; refused = set(lines_of(f"{folder}/refused.txt"))
    scratch = cp.zeros(COUNT * 64, cp.uint8)
    with open(results, "a") as out, open(raw, "ab") as data:
        for k in range(start, len(lines)):
            ins, (w, count), code = parse(lines[k]); words = COUNT * max(1, count); form = np.uint16 if int(w) == 16 else np.uint32 if int(w) == 32 else np.uint64
            try:
                if module is None or k % chunk == 0: module = cp.RawModule(path=f"{folder}/{k // chunk * chunk}.cubin")
                if lines[k] in refused: out.write(f"-\n"); data.write(bytes(words * form().itemsize)); continue
                y = cp.zeros(words, cp.uint64); x = cp.asarray(inputs(ins))
                module.get_function(f"k{k}")((COUNT // 256,), (256,), (x, y, scratch)); got = cp.asnumpy(y)
            except Exception as error:
                print("failed:", lines[k], "|", str(error)[:200], flush=True)
                out.write("!\n"); data.write(bytes(words * form().itemsize)); out.flush(); data.flush()
                os._exit(3)
            data.write(got.astype(form).tobytes()); out.write(hashlib.sha256(got.tobytes()).hexdigest()[:16] + "\n")

def main():
    if sys.argv[1] == "build": return build(*sys.argv[2:4])
    if sys.argv[1] == "work": return work(*sys.argv[2:6], int(sys.argv[6]))
    forms, folder, results, raw = sys.argv[2:6]
    for path in (results, raw): open(path, "w").close()
    while (done := len(open(results).readlines())) < len(lines_of(forms)):
        subprocess.run([sys.executable, __file__, "work", forms, folder, results, raw, str(done)])
        if len(open(results).readlines()) == done: sys.exit("no progress")
    got = open(results).read().split("\n"); print(len(got) - 1, "forms,", got.count("-"), "refused,", got.count("!"), "failed")

if __name__ == "__main__": main()
