#!/usr/bin/env python3
"""Writes the launch files of the lessons: scale.json (small, to step through) and full.json (as large as the real GPU's work)."""
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))


def buffer(name, count, init):
    return {"type": "buffer", "name": name, "dtype": "f32", "count": count, "init": init}


def vec_add_launch(name, ptx, kernel, grid, block, n, extra=()):
    args = [buffer("a", n, "random:1"), buffer("b", n, "random:2"), buffer("c", n, "zeros"), {"type": "i32", "name": "n", "value": n}]
    return {"name": name, "ptx": ptx, "kernel": kernel, "grid": [grid, 1, 1], "block": [block, 1, 1], "dynamic_shared_bytes": 0,
            "args": args + list(extra), "work": {"bytes": 12 * n, "flops": n}}


def write(lesson, file, launches):
    def row(launch):
        head = {k: v for k, v in launch.items() if k not in ("args", "work")}
        args = ",\n   ".join(json.dumps(a) for a in launch["args"])
        return " {" + json.dumps(head)[1:-1] + ',\n  "args": [\n   ' + args + '],\n  "work": ' + json.dumps(launch["work"]) + "}"
    with open(os.path.join(HERE, lesson, file), "w") as f:
        f.write("[\n" + ",\n".join(row(x) for x in launches) + "\n]\n")


def blocks(n, per_block):
    return -(-n // per_block)


# Lesson 1
L, T = "01-vector-add", 256
n = 1000
write(L, "scale.json", [
    vec_add_launch(f"{L}/scale/before", "vec_add_one_block", "vec_add_one_block", 1, T, n),
    vec_add_launch(f"{L}/scale/after", "vec_add", "vec_add", blocks(n, T), T, n),
    vec_add_launch(f"{L}/scale/grid-stride", "vec_add_grid_stride", "vec_add_grid_stride", 2, T, n),
])
full = [vec_add_launch(f"{L}/after/n2^{e}", "vec_add", "vec_add", blocks(1 << e, T), T, 1 << e) for e in range(10, 27, 2)]
full += [vec_add_launch(f"{L}/before/n2^{e}", "vec_add_one_block", "vec_add_one_block", 1, T, 1 << e) for e in range(10, 25, 2)]
full += [vec_add_launch(f"{L}/grid-stride/n2^{e}", "vec_add_grid_stride", "vec_add_grid_stride", min(blocks(1 << e, T), 132 * 8), T, 1 << e)
         for e in range(10, 27, 2)]
write(L, "full.json", full)

# Lesson 2: Triton passes two more pointers (scratch memory of the runtime), which these kernels do not use.
L = "02-vector-add-triton"
scratch = [{"type": "u64", "name": "scratch", "value": 0}, {"type": "u64", "name": "profile_scratch", "value": 0}]


def triton_launch(name, ptx, per_block, count):
    return vec_add_launch(name, ptx, "vec_add", blocks(count, per_block), 128, count, scratch)


n, odd = 2000, 2003
write(L, "scale.json", [
    triton_launch(f"{L}/scale/before", "vec_add_block32", 32, n),
    triton_launch(f"{L}/scale/after", "vec_add_block1024", 1024, n),
    triton_launch(f"{L}/scale/any-n", "vec_add_block1024_any_n", 1024, odd),
])
full = [triton_launch(f"{L}/after/n2^{e}", "vec_add_block1024", 1024, 1 << e) for e in range(10, 27, 2)]
full += [triton_launch(f"{L}/before/n2^{e}", "vec_add_block32", 32, 1 << e) for e in range(10, 25, 2)]
full += [triton_launch(f"{L}/any-n/n2^{e}+3", "vec_add_block1024_any_n", 1024, (1 << e) + 3) for e in range(10, 27, 2)]
write(L, "full.json", full)
