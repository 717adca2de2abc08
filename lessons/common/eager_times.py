"""Times a PyTorch operation as `warpmill measure` times kernels, and prints the record that it reads.

Events round one call, 5 calls to warm up; cold: 256 MiB are written before each call, warm: the GPU is kept busy until the call is
queued. Exit status 3: PyTorch or its GPU is not there.
"""
import argparse
import json
import sys


def quartiles(us):
    us = sorted(us)

    def at(part):
        place = part * (len(us) - 1)
        low = int(place)
        high = min(low + 1, len(us) - 1)
        return us[low] + (us[high] - us[low]) * (place - low)

    return {"median": round(at(0.5), 3), "q1": round(at(0.25), 3), "q3": round(at(0.75), 3), "min": round(us[0], 3), "n": len(us)}


def main(lesson, operation, sizes, make):
    """make(torch, n): the inputs on the GPU; operation(torch, inputs): what is timed."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--gpu", type=int, default=0)
    ap.add_argument("--repeats", type=int, default=30)
    a = ap.parse_args()
    try:
        import torch

        torch.cuda.set_device(a.gpu)
    except Exception as e:  # no PyTorch, one without CUDA, no such GPU: all mean that there is nothing to time
        print(f"PyTorch for CUDA is not there: {e}", file=sys.stderr)
        sys.exit(3)
    flush = torch.zeros(1 << 28, dtype=torch.uint8, device="cuda")
    results = []
    for name, n in sizes:
        inputs = make(torch, n)

        def once(cold):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            if cold:
                flush.zero_()
            else:
                torch.cuda._sleep(60_000)
            begin.record()
            operation(torch, inputs)
            end.record()
            end.synchronize()
            return begin.elapsed_time(end) * 1e3

        for _ in range(5):
            operation(torch, inputs)
        torch.cuda.synchronize()
        cold = quartiles([once(True) for _ in range(a.repeats)])
        warm = quartiles([once(False) for _ in range(a.repeats)])
        results.append({"name": f"{lesson}/eager/{name}", "cold_us": cold["median"], "cold": cold, "warm_us": warm["median"], "warm": warm})
        del inputs
    print(json.dumps({"device": torch.cuda.get_device_name(a.gpu), "driver": "", "origin": "PyTorch " + torch.__version__, "results": results}))
