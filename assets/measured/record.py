#!/usr/bin/env python3
"""Makes a record (assets/measured/DEVICE/NAME.json) out of what measure.py and Nsight Compute wrote. No figure is typed.

usage: record.py OUT.json --date YYYY-MM-DD --ncu-version V  TIMES.json NCU.csv [TIMES.json NCU.csv ...]

NCU.csv: `ncu --clock-control none --csv --print-units base --metrics ... -k regex:KERNEL measure.py LAUNCHES.json - --once`.
"""
import argparse
import csv
import json
import os

ap = argparse.ArgumentParser()
ap.add_argument("out")
ap.add_argument("--date", required=True)
ap.add_argument("--ncu-version", required=True)
ap.add_argument("pairs", nargs="+")
a = ap.parse_args()


def number(text):
    try:
        v = float(text.replace(",", ""))
    except ValueError:
        return None   # "n/a": a metric that this GPU does not have
    return int(v) if v == int(v) else v


def counters_by_launch(path):
    rows = {}
    for r in csv.DictReader(line for line in open(path) if line.startswith('"')):
        row = rows.setdefault(int(r["ID"]), {})
        if (value := number(r["Metric Value"])) is not None:
            row[r["Metric Name"]] = value
    return [rows[i] for i in sorted(rows)]


def rounded(v):
    return {k: rounded(x) for k, x in v.items()} if isinstance(v, dict) else round(v, 3) if isinstance(v, float) else v


results, head, ptx = [], None, {}
for times_path, ncu_path in zip(a.pairs[::2], a.pairs[1::2]):
    times = json.load(open(times_path))
    counted = counters_by_launch(ncu_path)
    assert len(counted) == len(times["results"]), (times_path, len(counted), len(times["results"]))
    ptx |= times["ptx_sha256"]
    head = head or times
    assert times["device"] == head["device"] and times["driver"] == head["driver"]
    for r, c in zip(times["results"], counted):
        assert r["registers"] <= c["launch__registers_per_thread"], r["name"]
        results.append({**{k: rounded(r[k]) for k in ("name", "registers", "cold_us", "warm_us", "cold", "warm", "sha256")}, "counters": c})
record = {
    "device": head["device"], "sms": head["sms"], "l2_bytes": head["l2_bytes"], "driver": head["driver"],
    "date": a.date,
    "clocks": {"before": head["smi_before"], "after": head["smi_after"]},
    "origin": "measured with assets/measured/measure.py on the PTX of this tree (CuPy " + head["cupy"] + ", CUDA driver "
              + str(head["cuda_driver"]) + "); counters: Nsight Compute " + a.ncu_version + ", caches flushed, clocks left alone",
    "times": "cold: L2 flushed before each launch; warm: not. Median, quartiles and least of so many launches, by CUDA events, after "
             "5 to warm up; gpu__time_duration.sum (ns) is the same launch by the hardware's counter, cold",
    "ptx_sha256": ptx,
    "results": results,
}
# One result a line: a diff of two records is then readable.
body = ",\n ".join(json.dumps(r) for r in record.pop("results"))
with open(a.out + ".new", "w") as f:
    f.write(json.dumps(record, indent=1)[:-2] + ',\n "results": [\n ' + body + "\n]}\n")
os.replace(a.out + ".new", a.out)
print(a.out, len(results), "launches")
