#!/usr/bin/env python3
"""Runs the programs beside it (asynchronous copies, mbarriers, clusters) on a real GPU.

usage: record.py results.txt [raw-folder]     needs CuPy; each program has 20 seconds
A program's first line says its grid and block; its two parameters are 65,536 words mix(i, 77) and as many words of zero to write to.
results.txt: a line per program in the order of their names: 16 hex digits of SHA-256 over what it wrote, a space, the name."""
import glob, hashlib, os, subprocess, sys

WORDS = 65536
def one(path, raw):
    import numpy as np, cupy as cp
    i = np.arange(WORDS, dtype=np.uint32); x = i + np.uint32(77 * 0x9E3779B9 & 0xFFFFFFFF)
    x ^= x >> np.uint32(16); x = x * np.uint32(0x85ebca6b); x ^= x >> np.uint32(13); x = x * np.uint32(0xc2b2ae35); x ^= x >> np.uint32(16)
    text = open(path).read(); shape = text.split("\n", 1)[0].split()
    module = cp.cuda.function.Module(); module.load(text.encode())
    a, b = cp.asarray(x), cp.zeros(WORDS, cp.uint32)
    module.get_function("k")(tuple(int(v) for v in shape[2:5]), (int(shape[6]),), (a, b)); got = cp.asnumpy(b).tobytes()
    open(raw, "wb").write(got)

def main():
    if sys.argv[1] == "one": return one(sys.argv[2], sys.argv[3])
    folder = os.path.dirname(os.path.abspath(__file__)); raws = sys.argv[2] if len(sys.argv) > 2 else "/tmp"
    with open(sys.argv[1], "w") as results:
        for path in sorted(glob.glob(folder + "/*.ptx")):
            name = os.path.basename(path)[:-4]; raw = f"{raws}/{name}.bin"
            try: r = subprocess.run([sys.executable, __file__, "one", path, raw], timeout=20, capture_output=True, text=True); bad = r.stderr[-300:] if r.returncode else ""
            except subprocess.TimeoutExpired: bad = "timed out"
            if bad: print(name, bad)
            results.write(("-" * 16 if bad else hashlib.sha256(open(raw, "rb").read()).hexdigest()[:16]) + " " + name + "\n")

if __name__ == "__main__": main()
