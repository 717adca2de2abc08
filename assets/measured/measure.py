#!/usr/bin/env python3
"""Runs launch files on the real GPU with CuPy and writes what was measured, for record.py.

usage: measure.py LAUNCHES.json OUT.json            times, registers, output hashes
       measure.py LAUNCHES.json OUT.json --once     one launch each, for Nsight Compute to count

Times: CUDA events round one launch; 5 launches to warm up; then REPEATS launches with a flushed L2 (256 MiB are written before each)
and REPEATS without. Quartiles of both are kept. Compile time is not in them.
"""
import hashlib
import json
import os
import subprocess
import sys

import cupy as cp
import numpy as np

REPEATS = 40
DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i32": np.int32, "u32": np.uint32, "u8": np.uint8, "u64": np.uint64,
          "i64": np.int64}


def mix(i, seed):
    x = (i + cp.uint32((seed * 0x9E3779B9) & 0xFFFFFFFF)).astype(cp.uint32)
    x ^= x >> cp.uint32(16)
    x *= cp.uint32(0x85EBCA6B)
    x ^= x >> cp.uint32(13)
    x *= cp.uint32(0xC2B2AE35)
    x ^= x >> cp.uint32(16)
    return x


def make_buffer(a):
    dtype, n = DTYPES[a["dtype"]], a["count"]
    kind, *p = a["init"].split(":")
    p = [int(v) for v in p]
    i = cp.arange(n, dtype=cp.uint32)
    if kind == "zeros":
        return cp.zeros(n, dtype)
    if kind == "ones":
        return cp.ones(n, dtype)
    if kind == "iota":
        return i.astype(dtype)
    if kind == "random":
        return ((mix(i, p[0]) >> cp.uint32(8)).astype(cp.float32) * cp.float32(2.0 ** -24)).astype(dtype)
    if kind == "randint":
        return (mix(i, p[0]) % cp.uint32(p[1])).astype(dtype)
    if kind == "step":
        return (i.astype(cp.uint64) * cp.uint64(p[0])).astype(dtype)
    raise ValueError(kind)


def smi():
    query = "clocks.sm,clocks.mem,temperature.gpu,power.draw,driver_version"
    try:
        out = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader,nounits"], capture_output=True, text=True)
        values = [v.strip() for v in out.stdout.strip().split(",")]
        return dict(zip(("sm_mhz", "mem_mhz", "temperature_c", "power_w", "driver"), values))
    except OSError:
        return {}


def quartiles(us):
    q = np.percentile(us, [25, 50, 75])
    return {"median": float(q[1]), "q1": float(q[0]), "q3": float(q[2]), "min": float(min(us)), "n": len(us)}


launch_file, out_file = sys.argv[1:3]
once = "--once" in sys.argv
folder = os.path.dirname(os.path.abspath(launch_file))
flush = cp.zeros(1 << 28, cp.uint8)
modules, ptx_hashes, results = {}, {}, []
before = smi()
for launch in json.load(open(launch_file)):
    ptx = launch["ptx"] + ".ptx"
    if ptx not in modules:
        text = open(os.path.join(folder, ptx), "rb").read()
        ptx_hashes[ptx] = hashlib.sha256(text).hexdigest()[:16]
        modules[ptx] = cp.RawModule(path=os.path.join(folder, ptx))
    kernel = modules[ptx].get_function(launch["kernel"])
    buffers = []
    args = []
    for a in launch["args"]:
        if a["type"] == "buffer":
            buffers.append(make_buffer(a))
            args.append(buffers[-1])
        else:
            args.append(DTYPES[a["type"]](a["value"]))

    def go():
        kernel(tuple(launch["grid"]), tuple(launch["block"]), tuple(args), shared_mem=launch.get("dynamic_shared_bytes", 0))

    cp.cuda.Device().synchronize()
    go()
    cp.cuda.Device().synchronize()
    result = {"name": launch["name"], "registers": kernel.num_regs}
    if not once:
        result["sha256"] = [hashlib.sha256(cp.asnumpy(b).tobytes()).hexdigest()[:16] for b in buffers]
        e0, e1 = cp.cuda.Event(), cp.cuda.Event()

        def time_us(cold):
            if cold:
                flush[...] += 1
            e0.record()
            go()
            e1.record()
            e1.synchronize()
            return cp.cuda.get_elapsed_time(e0, e1) * 1e3

        for _ in range(5):
            go()
        cold = quartiles([time_us(True) for _ in range(REPEATS)])
        warm = quartiles([time_us(False) for _ in range(REPEATS)])
        result |= {"cold_us": cold["median"], "cold": cold, "warm_us": warm["median"], "warm": warm}
        print(f"{launch['name']:42s} cold {cold['median']:9.2f} us  warm {warm['median']:9.2f} us", flush=True)
    results.append(result)
    del args, buffers
    cp.get_default_memory_pool().free_all_blocks()
after = smi()
p = cp.cuda.runtime.getDeviceProperties(0)
json.dump({"device": p["name"].decode(), "sms": p["multiProcessorCount"], "l2_bytes": p["l2CacheSize"],
           "driver": before.get("driver", ""), "cuda_driver": cp.cuda.runtime.driverGetVersion(),
           "cuda_runtime": cp.cuda.runtime.runtimeGetVersion(), "cupy": cp.__version__,
           "smi_before": before, "smi_after": after, "ptx_sha256": ptx_hashes, "results": results}, open(out_file, "w"), indent=1)
