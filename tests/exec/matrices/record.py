#!/usr/bin/env python3
"""Matrix instructions of whole warps and warpgroups on a real GPU.

usage: record.py forms > forms.txt       the list of forms, written by the loops below
       record.py check forms.txt         assembles every form (needs ptxas)
       record.py run forms.txt results.txt raw.bin     runs them (needs CuPy): 16 hex digits of SHA-256 over the output of each
A form: threads; registers loaded as inputs (letter:kind*count), bytes of shared memory (S:kind*bytes) -> output registers (D:bits*count) and
whether shared memory is put out too (S); code. matrices.cpp writes the same programs and inputs. Each form runs in 16 blocks (4 where
it has 128 threads), whose inputs differ in kind: near one, of every size, with infinities, NaNs and zeros, and spread over 2^12."""
import hashlib, subprocess, sys

BLOCKS = lambda threads: 16 if threads == 32 else 4
WIDE = ("d",)

def mix(np, i, s):
    x = (i + np.uint64(s * 0x9E3779B9 & 0xFFFFFFFF)).astype(np.uint32)
    x ^= x >> np.uint32(16); x = x * np.uint32(0x85ebca6b); x ^= x >> np.uint32(13); x = x * np.uint32(0xc2b2ae35); x ^= x >> np.uint32(16)
    return x.astype(np.uint64)

FLOAT = {"h": (5, 10), "b": (8, 7), "f": (8, 23), "t": (8, 23), "e": (4, 3), "g": (5, 2), "d": (11, 52)}  # exponent, fraction bits

def element(np, kind, mode, x, y, z, accumulator):
    e, f = FLOAT[kind]; u = np.uint64; bias = (1 << (e - 1)) - 1; top = (1 << e) - 1
    fraction = (z << u(32) | x) & u((1 << f) - 1); sign = (y >> u(31)) << u(e + f)
    of = lambda exponent: sign | exponent << u(f) | fraction
    near = of(y % u(6) + u(bias - 3))
    if mode == 0: return near
    if mode == 1:
        field = (z >> u(8)) & u(top); field = np.where(field == u(top), u(top - 1), field)
        return np.where((y >> u(16)) & u(1) != 0, of(y % u(48) + u(bias - 24)), of(field)) if accumulator and e >= 8 else of(field)
    if mode == 2:
        what = y & u(127)
        odd = sign | u(top) << u(f) | np.where((y >> u(8)) & u(1) != 0, u(0), fraction)
        return np.where(what == u(0), odd, np.where(what < u(9), sign, of((y >> u(12)) % u(6) + u(bias - 3))))
    return of(y % u(25) + u(bias - 12)) if accumulator and e >= 8 else of(y % u(13) + u(bias - 6))

def words(np, kind, block, slot, index):
    """32-bit words (64-bit for d) of one register of all threads, or of shared memory."""
    u = np.uint64; mode = block & 3; base = (u(block << 16) + index) * u(8)
    r = lambda sub, k: mix(np, base + u(sub), slot * 16 + k)
    lower = kind.lower()
    if kind == "i": return r(0, 1)
    if kind == "s":
        x, y = r(0, 1), r(0, 2)
        return x if mode < 2 else np.where(y & u(1) != 0, u(0x7FFFFFFF) - (x & u(0xFFFF)), u(0x80000000) + (x & u(0xFFFF)))
    if kind in "mn":  # two of four, one of two
        table = np.array([0x4, 0x8, 0x9, 0xC, 0xD, 0xE] if kind == "m" else [0x4, 0xE], u); out = u(0)
        for k in range(8): out = out | table[(r(k, 1) % u(len(table))).astype(int)] << u(4 * k)
        return out
    per = {"h": 2, "b": 2, "e": 4, "g": 4}.get(lower, 1); bits = 32 // per; out = u(0)
    for k in range(per): out = out | element(np, lower, mode, r(k, 1), r(k, 2), r(k, 3), kind.isupper() or kind == "f") << u(bits * k)
    return out

def parse(line):
    head, code = line.split(" : ", 1); threads, rest = head.split(" ", 1); ins, outs = rest.split("->")
    inputs, shared, outputs, dump = [], ("i", 0), (32, 0), False
    for w in ins.split():
        letter, group = w.split(":"); kind, count = group.split("*")
        if letter == "S": shared = (kind, int(count))
        else: inputs.append((letter, kind, int(count)))
    for w in outs.split():
        if w == "S": dump = True
        else: outputs = tuple(int(v) for v in w.split(":")[1].split("*"))
    return int(threads), inputs, shared, outputs, dump, code.strip()

def sizes(form):
    threads, inputs, shared, outputs, dump, _ = form
    into = threads * sum(n * (2 if k in WIDE else 1) for _, k, n in inputs) + shared[1] // 4
    return into, threads * outputs[1] * outputs[0] // 32 + (shared[1] // 4 if dump else 0)

def program(form):
    threads, inputs, shared, (bits, count), dump, code = form; into, out = sizes(form)
    t = [".version 8.7\n.target sm_90a\n.address_size 64\n"]
    if shared[1]: t.append(f".shared .align 1024 .b8 sm[{shared[1]}];\n")
    t.append(".visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n.reg .b64 %in, %out, %at, %x<8>; .reg .b32 %t, %n, %sm, %w, %r<8>; .reg .pred %p, %q;\n")
    for letter, kind, n in inputs: t.append(f".reg .b{64 if kind in WIDE else 32} %{letter.lower()}<{n}>;\n")
    if count: t.append(f".reg .b{bits} %d<{count}>;\n")
    t.append("ld.param.u64 %in, [p0]; ld.param.u64 %out, [p1]; mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mov.u32 %sm, 0;\n")
    t.append(f"mad.wide.u32 %in, %n, {4 * into}, %in; mad.wide.u32 %out, %n, {4 * out}, %out;\n")
    at = 0
    for letter, kind, n in inputs:
        size = 8 if kind in WIDE else 4
        t.append(f"mad.wide.u32 %at, %t, {size}, %in;\n")
        for j in range(n): t.append(f"ld.global.b{8 * size} %{letter.lower()}{j}, [%at+{at}];\n"); at += size * threads
    if shared[1]:
        t.append(f"mov.u32 %sm, sm;\nmov.u32 %w, %t;\nFILL: mad.wide.u32 %at, %w, 4, %in; ld.global.b32 %r0, [%at+{at}]; shl.b32 %r1, %w, 2; add.u32 %r1, %r1, %sm; st.shared.b32 [%r1], %r0;\n")
        t.append(f"add.u32 %w, %w, {threads}; setp.lt.u32 %p, %w, {shared[1] // 4}; @%p bra FILL;\nfence.proxy.async;\nbar.sync 0;\n")
    for letter, _, n in inputs + [("D", "", count)]: code = code.replace("{" + letter + "}", "{" + ",".join(f"%{letter.lower()}{j}" for j in range(n)) + "}")
    t.append(code.replace("; ", ";\n") + "\n")
    t.append(f"mad.wide.u32 %at, %t, {bits // 8}, %out;\n")
    for j in range(count): t.append(f"st.global.b{bits} [%at+{bits // 8 * threads * j}], %d{j};\n")
    if dump:
        t.append(f"bar.sync 0;\nmov.u32 %w, %t;\nDUMP: mad.wide.u32 %at, %w, 4, %out; shl.b32 %r1, %w, 2; add.u32 %r1, %r1, %sm; ld.shared.b32 %r0, [%r1]; st.global.b32 [%at+{bits // 8 * threads * count}], %r0;\n")
        t.append(f"add.u32 %w, %w, {threads}; setp.lt.u32 %p, %w, {shared[1] // 4}; @%p bra DUMP;\n")
    return "".join(t) + "ret;\n}\n"

def inputs_of(np, form):
    threads, inputs, shared, *_ = form; all = []
    for block in range(BLOCKS(threads)):
        slot = 0; index = np.arange(threads, dtype=np.uint64)
        for letter, kind, n in inputs:
            for j in range(n):
                w = words(np, kind, block, slot, index); slot += 1
                all.append(w.view(np.uint32) if kind in WIDE else w.astype(np.uint32))
        if shared[1]: all.append(words(np, shared[0], block, 999, np.arange(shared[1] // 4, dtype=np.uint64)).astype(np.uint32))
    return np.concatenate(all)

# ---- The list ----

def forms():
    F = []
    def mma(shape, layout, d, a, b, c, kinds, counts, extra="", sp="", opts=""):
        """kinds: of A, B, C; counts: registers of A, B, C, D"""
        na, nb, nc, nd = counts; meta = ""; tail = ""
        if sp: meta, tail = f" E:{sp[0]}*1", f", %e0, {sp[1]}"
        bits = 64 if d == "f64" else 32
        name = f"mma{'.sp::ordered_metadata' if sp else ''}.sync.aligned.{shape}.{layout}{opts}.{d}.{a}.{b}.{c}{extra}"
        F.append(f"32 A:{kinds[0]}*{na} B:{kinds[1]}*{nb} C:{kinds[2]}*{nc}{meta} -> D:{bits}*{nd} : {name} {{D}}, {{A}}, {{B}}, {{C}}{tail};")
    acc = {"f32": ("f", 4), "f16": ("H", 2)}
    for la in ("row", "col"):
        for lb in ("row", "col"):
            for d in ("f32", "f16"):
                for c in ("f32", "f16"):
                    if d == "f16" and c == "f32": continue
                    mma("m8n8k4", f"{la}.{lb}", d, "f16", "f16", c, ("h", "h", acc[c][0]), (2, 2, 8 if c == "f32" else 4, 8 if d == "f32" else 4))
    for k, na, nb in ((8, 2, 1), (16, 4, 2)):
        for d in ("f32", "f16"):
            for c in ("f32", "f16"):
                if c != d: continue
                mma(f"m16n8k{k}", "row.col", d, "f16", "f16", c, ("h", "h", acc[c][0]), (na, nb, acc[c][1], acc[d][1]))
        mma(f"m16n8k{k}", "row.col", "f32", "bf16", "bf16", "f32", "bbf", (na, nb, 4, 4))
    for k, na, nb in ((4, 2, 1), (8, 4, 2)): mma(f"m16n8k{k}", "row.col", "f32", "tf32", "tf32", "f32", "ttf", (na, nb, 4, 4))
    f8 = {"e4m3": "e", "e5m2": "g"}
    for k, na, nb in ((16, 2, 1), (32, 4, 2)):
        for a in f8:
            for b in f8:
                for d in ("f32", "f16"): mma(f"m16n8k{k}", "row.col", d, a, b, d, (f8[a], f8[b], acc[d][0]), (na, nb, acc[d][1], acc[d][1]))
    for shape, na, nb, nc in (("m8n8k4", 1, 1, 2), ("m16n8k4", 2, 1, 4), ("m16n8k8", 4, 2, 4), ("m16n8k16", 8, 4, 4)):
        mma(shape, "row.col", "f64", "f64", "f64", "f64", "ddd", (na, nb, nc, nc))
    for sat in ("", ".satfinite"):
        for w, shapes in (("8", (("m8n8k16", 1, 1, 2), ("m16n8k16", 2, 1, 4), ("m16n8k32", 4, 2, 4))), ("4", (("m8n8k32", 1, 1, 2), ("m16n8k32", 2, 1, 4), ("m16n8k64", 4, 2, 4)))):
            for shape, na, nb, nc in shapes:
                for a in "su":
                    for b in "su": mma(shape, "row.col", "s32", a + w, b + w, "s32", "iis", (na, nb, nc, nc), opts=sat)
    for shape, na, nb, nc in (("m8n8k128", 1, 1, 2), ("m16n8k128", 2, 1, 4), ("m16n8k256", 4, 2, 4)):
        for o in ("xor", "and"): mma(shape, "row.col", "s32", "b1", "b1", "s32", "iis", (na, nb, nc, nc), extra=f".{o}.popc")
    # Sparse: A has half the elements.
    for a, kind in (("f16", "h"), ("bf16", "b")):
        for k, na, nb, sel in ((16, 2, 2, (0, 1, 2, 3)), (32, 4, 4, (0, 1))):
            for d in ("f32", "f16") if a == "f16" else ("f32",):
                for f in sel: mma(f"m16n8k{k}", "row.col", d, a, a, d, (kind, kind, acc[d][0]), (na, nb, acc[d][1], acc[d][1]), sp=("m", f))
    for k, na, nb, sel in ((8, 2, 2, (0, 1, 2, 3)), (16, 4, 4, (0, 1))):
        for f in sel: mma(f"m16n8k{k}", "row.col", "f32", "tf32", "tf32", "f32", "ttf", (na, nb, 4, 4), sp=("n", f))
    for k, na, nb, sel in ((32, 2, 2, (0, 1)), (64, 4, 4, (0,))):
        for f in sel:
            for a, b, o in (("s8", "s8", ""), ("u8", "s8", ".satfinite"), ("u8", "u8", "")): mma(f"m16n8k{k}", "row.col", "s32", a, b, "s32", "iis", (na, nb, 4, 4), sp=("m", f), opts=o)
    for k, na, nb, sel in ((64, 2, 2, (0, 1)), (128, 4, 4, (0,))):
        for f in sel:
            for a, b, o in (("s4", "s4", ""), ("u4", "s4", ".satfinite")): mma(f"m16n8k{k}", "row.col", "s32", a, b, "s32", "iis", (na, nb, 4, 4), sp=("m", f), opts=o)
    for k, na, nb in ((64, 4, 4),):
        for a, b in (("e4m3", "e4m3"), ("e5m2", "e4m3"), ("e5m2", "e5m2")):
            mma(f"m16n8k{k}", "row.col", "f32", a, b, "f32", (f8[a], f8[b], "f"), (na, nb, 4, 4), sp=("m", 0))
    # wmma: operands from shared memory, the result into it. A at 0, B at 2048, C at 4096.
    def wmma(shape, la, lb, lc, d, a, c, kind, n, opts="", opcode="mma"):
        na, nb, nc, nd = n; size = {"f16": 2, "bf16": 2, "tf32": 4, "f32": 4, "f64": 8, "s8": 1, "u8": 1, "s4": 0.5, "u4": 0.5, "b1": 0.125, "s32": 4}
        m, nn, k = (int(v) for v in shape.replace("n", " ").replace("k", " ")[1:].split()); wide = 64 if d == "f64" else 32
        lda, ldb, ldc = k if la == "row" else m, nn if lb == "row" else k, nn if lc == "row" else m
        pad = 16 if size[a] < 8 else 2
        if a in ("s8", "u8"): pad = 16
        if a in ("s4", "u4"): pad = 32
        if a == "b1": pad = 128
        lda, ldb, ldc = lda + pad, ldb + pad, ldc + (8 if size[c] == 2 else 4)
        regs = f".reg .b{wide if a == 'f64' else 32} %a<{na}>, %b<{nb}>; .reg .b{wide} %c<{nc}>, %e<{nd}>; "
        g = lambda x, n: "{" + ",".join(f"%{x}{j}" for j in range(n)) + "}"
        types = f".{d}.{c}" if a == "f16" else f".{d}.{a}.{a}.{c}"
        code = regs + f"wmma.load.a.sync.aligned.{la}.{shape}.shared.{a} {g('a', na)}, [%sm], {lda}; wmma.load.b.sync.aligned.{lb}.{shape}.shared.{a} {g('b', nb)}, [%sm+2560], {ldb}; "
        code += f"wmma.load.c.sync.aligned.{lc}.{shape}.shared.{c} {g('c', nc)}, [%sm+5120], {ldc}; wmma.{opcode}.sync.aligned.{la}.{lb}.{shape}{types}{opts} {g('e', nd)}, {g('a', na)}, {g('b', nb)}, {g('c', nc)}; "
        code += f"bar.sync 0; wmma.store.d.sync.aligned.{lc}.{shape}.shared.{d} [%sm+5120], {g('e', nd)}, {ldc};"
        F.append(f"32 S:{kind}*10240 -> S : {code}")
    for shape in ("m16n16k16", "m32n8k16", "m8n32k16"):
        for la, lb, lc in (("row", "col", "row"), ("col", "row", "col"), ("row", "row", "row"), ("col", "col", "col")):
            for d in ("f32", "f16"):
                for c in ("f32", "f16"): wmma(shape, la, lb, lc, d, "f16", c, "h", (8, 8, 8 if c == "f32" else 4, 8 if d == "f32" else 4))
            n = {"m16n16k16": (4, 4), "m32n8k16": (8, 2), "m8n32k16": (2, 8)}[shape]
            wmma(shape, la, lb, lc, "f32", "bf16", "f32", "b", n + (8, 8))
            n = {"m16n16k16": (2, 2), "m32n8k16": (4, 1), "m8n32k16": (1, 4)}[shape]
            for a in ("s8", "u8"): wmma(shape, la, lb, lc, "s32", a, "s32", "i", n + (8, 8), opts=".satfinite" if la == lb else "")
    for la, lb, lc in (("row", "col", "row"), ("col", "row", "col"), ("row", "row", "row")):
        wmma("m16n16k8", la, lb, lc, "f32", "tf32", "f32", "t", (4, 4, 8, 8))
        wmma("m8n8k4", la, lb, lc, "f64", "f64", "f64", "f", (1, 1, 2, 2))
    for lc in ("row", "col"):
        for a in ("s4", "u4"): wmma("m8n8k32", "row", "col", lc, "s32", a, "s32", "i", (1, 1, 2, 2), opts=".satfinite" if lc == "col" else "")
        for o in ("xor", "and"): wmma("m8n8k128", "row", "col", lc, "s32", "b1", "s32", "i", (1, 1, 2, 2), opcode=f"mma.{o}.popc")
    # Rows from and to shared memory.
    address = "shl.b32 %r2, %t, 4; xor.b32 %r2, %r2, 208; add.u32 %r2, %r2, %sm; "
    for n in (1, 2, 4):
        for t in ("", ".trans"):
            F.append(f"32 S:i*512 -> D:32*{n} : {address}ldmatrix.sync.aligned.m8n8.x{n}{t}.shared.b16 {{D}}, [%r2];")
            F.append(f"32 A:i*{n} S:i*512 -> S : {address}stmatrix.sync.aligned.m8n8.x{n}{t}.shared.b16 [%r2], {{A}};")
    F.append("32 A:i*1 -> D:32*1 : movmatrix.sync.aligned.m8n8.trans.b16 %d0, %a0;")
    # Warpgroups. Descriptors: A at byte 0 of shared memory, B at 16384.
    def wgmma(n, d, a, b, kind, k, fromRegisters=False, modes=(0, 0), trans=(0, 0), scale=(1, 1, 1), la=128, sa=256, lb=128, sb=256, offset=(0, 0), opts="", sp="", tail=True):
        nd = n // 2 if d != "f16" else n // 4; ck = {"f32": "f", "f16": "H", "s32": "s"}[d]
        def desc(reg, at, lbo, sbo, mode): return f"add.u32 %r2, %sm, {at}; and.b32 %r2, %r2, 262143; shr.u32 %r2, %r2, 4; cvt.u64.u32 {reg}, %r2; or.b64 {reg}, {reg}, {hex(lbo // 16 << 16 | sbo // 16 << 32 | mode << 62)}; "
        code = desc("%x0", offset[0], la, sa, modes[0]) if not fromRegisters else ""
        code += desc("%x1", 16384 + offset[1], lb, sb, modes[1]) + " ".join(f"mov.b32 %d{j}, %c{j};" for j in range(nd)) + f" setp.ne.u32 %p, {scale[0]}, 0; "
        types = f"{d}.{a}.{b}"; meta = ", %e0, " + str(sp[1]) if sp else ""
        if a in ("f16", "bf16"): imm = f", %p, {scale[1]}, {scale[2]}" + (f", {trans[1]}" if fromRegisters else f", {trans[0]}, {trans[1]}")
        elif d == "s32": imm = ", %p"
        else: imm = f", %p, {scale[1]}, {scale[2]}"
        op = f"wgmma.mma_async{'.sp' if sp else ''}.sync.aligned.m64n{n}k{k}{'.' + types}{opts}"
        code += f"wgmma.fence.sync.aligned; {op} {{D}}, {'{A}' if fromRegisters else '%x0'}, %x1{meta}{imm}; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
        A = f"A:{kind[0]}*4 " if fromRegisters else ""
        E = f"E:{sp[0]}*1 " if sp else ""
        F.append(f"128 {A}{E}C:{ck}*{nd} S:{kind[-1]}*32768 -> D:32*{nd} : {code}")
    NONE, B128, B64, B32 = 0, 1, 2, 3
    for d in ("f32", "f16"):
        for n in (8, 24, 64, 136, 256) if d == "f32" else (16, 96): wgmma(n, d, "f16", "f16", "h", 16)
        wgmma(32, d, "f16", "f16", "hh", 16, fromRegisters=True)
    for n in (8, 64, 128): wgmma(n, "f32", "bf16", "bf16", "b", 16)
    wgmma(16, "f32", "bf16", "bf16", "bb", 16, fromRegisters=True)
    for n in (8, 64, 128): wgmma(n, "f32", "tf32", "tf32", "t", 8)
    wgmma(16, "f32", "tf32", "tf32", "tt", 8, fromRegisters=True)
    for a in f8:
        for b in f8:
            if a == b: wgmma(32, "f32", a, b, f8[a], 32); wgmma(16, "f16", a, b, f8[a], 32)
            wgmma(8, "f32", a, b, f8[a] + f8[b], 32, fromRegisters=True); wgmma(8, "f16", a, b, f8[a] + f8[b], 32, fromRegisters=True)
    for a in "su":
        for b in "su":
            wgmma(16, "s32", a + "8", b + "8", "i", 32, opts=".satfinite" if a == b else ""); wgmma(8, "s32", a + "8", b + "8", "ii", 32, fromRegisters=True)
    wgmma(8, "s32", "b1", "b1", "i", 256, opts=".and.popc"); wgmma(16, "s32", "b1", "b1", "ii", 256, fromRegisters=True, opts=".and.popc")
    for scale in ((0, 1, 1), (1, -1, 1), (1, 1, -1), (0, -1, -1), (1, -1, -1)): wgmma(8, "f32", "f16", "f16", "h", 16, scale=scale)
    wgmma(8, "f16", "f16", "f16", "h", 16, scale=(1, -1, 1)); wgmma(8, "f32", "e4m3", "e4m3", "e", 32, scale=(1, -1, 1)); wgmma(8, "s32", "s8", "s8", "i", 32, scale=(0, 1, 1))
    wgmma(8, "f32", "tf32", "tf32", "t", 8, scale=(1, 1, -1))
    # Layouts: every swizzle, K-major and transposed, with odd strides.
    for mode, row in ((NONE, 16), (B128, 128), (B64, 64), (B32, 32)):
        for lb, sb in ((1024, 128), (128, 2048)) if mode == NONE else ((16, 8 * row), (256, 8 * row + 1024), (16, 16 * row)):
            wgmma(32, "f32", "f16", "f16", "h", 16, modes=(mode, mode), la=lb, sa=sb, lb=lb, sb=sb)
            wgmma(32, "f32", "e4m3", "e4m3", "e", 32, modes=(mode, mode), la=lb, sa=sb, lb=lb, sb=sb)
            wgmma(32, "f32", "tf32", "tf32", "t", 8, modes=(mode, mode), la=lb, sa=sb, lb=lb, sb=sb)
        if mode != NONE:
            for at in (32, 64, 96)[:row // 32 - 1]: wgmma(16, "f32", "f16", "f16", "h", 16, modes=(mode, mode), la=16, sa=8 * row, lb=16, sb=8 * row, offset=(at, at))
            wgmma(16, "f32", "f16", "f16", "h", 16, modes=(mode, mode), la=16, sa=8 * row, lb=16, sb=8 * row, offset=(128, 256))
        for trans in ((1, 1), (0, 1), (1, 0)):
            for big, small in ((2048, 1024), (1024, 2048)) if mode != NONE else ((128, 1024), (2048, 128)):
                kb, ks = (16, 8 * row) if mode != NONE else (128, 256)
                for n in (16, 72, 128) if trans == (1, 1) and mode != NONE else (40,):
                    wgmma(n, "f32", "f16", "f16", "h", 16, modes=(mode, mode), trans=trans, la=big if trans[0] else kb, sa=small if trans[0] else ks, lb=big if trans[1] else kb, sb=small if trans[1] else ks)
    wgmma(32, "f32", "bf16", "bf16", "bb", 16, fromRegisters=True, modes=(B128, B128), trans=(0, 1), lb=2048, sb=1024)
    # Sparse warpgroup products.
    for d, a, b, kind, k, m in (("f32", "f16", "f16", "h", 32, "m"), ("f16", "f16", "f16", "h", 32, "m"), ("f32", "bf16", "bf16", "b", 32, "m"), ("f32", "tf32", "tf32", "t", 16, "n"), ("f32", "e4m3", "e4m3", "e", 64, "m"), ("f32", "e5m2", "e5m2", "g", 64, "m"), ("s32", "s8", "s8", "i", 64, "m"), ("s32", "u8", "u8", "i", 64, "m")):
        for sel in (0, 1) if a in ("f16", "bf16", "tf32") else (0,):
            wgmma(16, d, a, b, kind, k, sp=(m, sel)); wgmma(16, d, a, b, kind * 2, k, sp=(m, sel), fromRegisters=True)
    return F

def assembles(text):
    open("/tmp/matrix-form.ptx", "w").write(text)
    r = subprocess.run(["ptxas", "-arch=sm_90a", "/tmp/matrix-form.ptx", "-o", "/tmp/matrix-form.cubin"], capture_output=True, text=True)
    return r.returncode == 0, r.stdout + r.stderr

def main():
    if sys.argv[1] == "forms":
        print("# Matrix instructions whose results are compared bit by bit with a GPU; see record.py, which wrote this list.")
        for f in forms(): print(f)
        return
    lines = [l.rstrip("\n") for l in open(sys.argv[2]) if l.strip() and not l.startswith("#")]
    if sys.argv[1] == "check":
        bad = 0
        for l in lines:
            good, why = assembles(program(parse(l)))
            if not good: bad += 1; print(l[:300], "\n  ", why[:400])
        print(len(lines), "forms", bad, "refused"); return
    import numpy as np, cupy as cp
    raw = open(sys.argv[4], "wb"); refused = 0
    with open(sys.argv[3], "w") as results:
        for l in lines:
            form = parse(l); blocks = BLOCKS(form[0]); out = sizes(form)[1] * blocks
            try:
                module = cp.cuda.function.Module(); module.load(program(form).encode())
                y = cp.zeros(out, cp.uint32); x = cp.asarray(inputs_of(np, form))
                module.get_function("k")((blocks,), (form[0],), (x, y)); got = cp.asnumpy(y).tobytes()
            except Exception as error:
                refused += 1; print("refused:", l[:200], "|", str(error)[:200]); results.write("-\n"); raw.write(bytes(4 * out)); continue
            raw.write(got); results.write(hashlib.sha256(got).hexdigest()[:16] + "\n")
    print(len(lines), "forms,", refused, "refused")

if __name__ == "__main__": main()
