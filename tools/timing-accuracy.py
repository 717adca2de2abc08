#!/usr/bin/env python3
"""Writes docs/timing-accuracy.md: how well simulated times agree with an H200's, worst launches first, each with what is known of the cause.

usage: tools/timing-accuracy.py WARPMILL [SUITE.json MEASURED.json]... [--from COMPARED.json ...]

Runs `WARPMILL compare SUITE MEASURED --json -` for each pair, or reads such files. The cause is what the counters of the launch itself
say, by the rules in `cause` below; no launch is known by name.
"""
import json
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(TOP, "docs", "timing-accuracy.md")


def off(row, counter):
    both = row.get("counters", {}).get(counter)
    return None if not both or not both[1] else 100.0 * (both[0] - both[1]) / both[1]


def cause(row):
    """Which of the simulator's own figures is off, in the order in which one error leads to another."""
    instructions = off(row, "smsp__inst_executed.sum")
    if instructions is not None and abs(instructions) > 10:
        return f"machine instructions {instructions:+.0f} %: ptxas makes other code than the lowering expects"
    for what in ("ld", "st"):
        sectors = off(row, f"l1tex__t_sectors_pipe_lsu_mem_global_op_{what}.sum")
        if sectors is not None and abs(sectors) > 2:
            return f"sectors of global {'loads' if what == 'ld' else 'stores'} {sectors:+.0f} %: an access is not modelled as it is made"
        wavefronts = off(row, f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{what}.sum")
        if wavefronts is not None and abs(wavefronts) > 10:
            return f"wavefronts of shared {'loads' if what == 'ld' else 'stores'} {wavefronts:+.0f} %"
    both = row.get("counters", {})
    read, write = both.get("dram__bytes_read.sum"), both.get("dram__bytes_write.sum")
    if read and write and read[1] + write[1] > 16e6:
        bytes_off = 100.0 * (read[0] + write[0] - read[1] - write[1]) / (read[1] + write[1])
        if abs(bytes_off) > 10:
            return f"DRAM bytes {bytes_off:+.0f} %: what stays in L2 differs"
    occupancy = both.get("sm__warps_active.avg.pct_of_peak_sustained_active")
    if occupancy and abs(occupancy[0] - occupancy[1]) > 8:
        return f"achieved occupancy {occupancy[0] - occupancy[1]:+.0f} points: blocks start or end at another pace"
    simulated, measured = row.get("top_stall", ["", ""])
    if simulated and measured and simulated != measured:
        return f"warps wait most for {simulated.replace('_', ' ')}, on the GPU for {measured.replace('_', ' ')}"
    if measured:
        return f"counts agree; the time of {measured.replace('_', ' ')} does not"
    return "not known"


def main(arguments):
    program, rest, compared = arguments[0], [], []
    if "--from" in arguments:
        at = arguments.index("--from")
        rest, compared = arguments[1:at], [json.load(open(f)) for f in arguments[at + 1:]]
    else:
        rest = arguments[1:]
    for suite, measured in zip(rest[::2], rest[1::2]):
        done = subprocess.run([program, "compare", suite, measured, "--json", "-"], stdout=subprocess.PIPE, check=False)
        compared.append(json.loads(done.stdout))
    rows = sorted((r for c in compared for r in c["rows"]), key=lambda r: -abs(r["error_pct"]))
    errors = sorted(abs(r["error_pct"]) for r in rows)
    mean, p90 = sum(errors) / len(errors), errors[min(len(errors) - 1, int(0.9 * len(errors)))]
    device = compared[0]["measured_on"]
    lines = ["# How well simulated times agree", "",
             f"Written by `tools/timing-accuracy.py`. Simulated with the profile `h200`, measured on an {device} (kernel time as Nsight Compute reads it, cold caches).",
             f"{len(rows)} launches: mean error {mean:.1f} %, median {errors[len(errors) // 2]:.1f} %, 90th percentile {p90:.1f} %, worst {errors[-1]:.1f} %.", "",
             "| Launch | Simulated (us) | Measured (us) | Error | What is known of the cause |", "| --- | ---: | ---: | ---: | --- |"]
    for r in rows:
        why = cause(r) if abs(r["error_pct"]) > 5 else ""
        lines.append(f"| `{r['name']}` | {r['simulated_us']:.2f} | {r['measured_us']:.2f} | {r['error_pct']:+.1f} % | {why} |")
    with open(PAGE + ".part", "w", encoding="utf-8") as page:
        page.write("\n".join(lines) + "\n")
    os.replace(PAGE + ".part", PAGE)
    print(lines[3])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
