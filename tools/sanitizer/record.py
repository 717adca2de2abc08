#!/usr/bin/env python3
"""Runs the kernels of tests/data/faults under compute-sanitizer's four tools on a GPU and writes what each reports.

record.py LIST OUT: LIST has a line a kernel, "file kernel blocks threads raw_is_undefined kind". Each run is a process of its own and is
killed after a few seconds (a hang). OUT gets "file kernel kind alone memcheck racecheck initcheck synccheck", a word each: what it found,
"-" for nothing, "hang" for a run that had to be killed. `alone` is the run without a tool: "done", the driver's error, or "hang".
"""
import concurrent.futures as futures
import os
import re
import signal
import subprocess
import sys
import time

TOOLS = ["alone", "memcheck", "racecheck", "initcheck", "synccheck"]
here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
work = os.environ.get("WORK", "/tmp/sanitizer")
patience = float(os.environ.get("PATIENCE", "12"))   # seconds for one run
deadline = time.monotonic() + float(os.environ.get("DEADLINE", "100000"))  # runs not begun by then are left out

# What the tools write, and a word for it. The first that fits counts.
WORDS = [
    ("race", re.compile(r"Race reported|[1-9]\d* hazards? displayed|hazard\(s\)? at|hazard detected")),
    ("uninitialized", re.compile(r"Uninitialized")),
    ("misaligned", re.compile(r"misaligned", re.I)),
    ("out_of_bounds", re.compile(r"Invalid __\w+__ (read|write|atomic)|out of bounds|Address 0x\w+ is out")),
    ("heap", re.compile(r"Malloc/Free|malloc/free|Invalid free|Double free|device heap", re.I)),
    ("barrier", re.compile(r"Barrier error|Divergent thread|Invalid (mask|arguments|barrier)|Missing wait", re.I)),
    ("error", re.compile(r"[1-9]\d* errors?")),
]


def word(text):
    for name, pattern in WORDS:
        if pattern.search(text):
            return name
    return "-"


def run(job):
    line, tool = job
    if time.monotonic() > deadline:
        return "not_run"
    file, kernel, blocks, threads, undefined, kind = line
    command = [f"{work}/driver", f"{work}/{file}.cubin", kernel, blocks, threads, undefined]
    if tool != "alone":
        extra = ["--racecheck-report", "all"] if tool == "racecheck" else []
        command = ["compute-sanitizer", "--tool", tool, *extra, "--print-limit", "3"] + command
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    killed = False
    try:
        text, _ = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        killed = True
        os.killpg(process.pid, signal.SIGKILL)
        text, _ = process.communicate()
    with open(f"{work}/log/{kernel}.{tool}.txt", "w") as log:
        log.write(text)
    ours = "\n".join(l for l in text.splitlines() if "DRIVER" not in l and "No attribute" not in l and "ERROR SUMMARY: 0" not in l and "RACECHECK SUMMARY: 0" not in l)
    if tool == "alone":
        if killed:
            return "hang"
        return "done" if "DRIVER done" in text else re.sub(r"\W+", "_", text.strip().split(":")[-1].strip())[:40] or "crash"
    found = word(ours)
    return found if found != "-" or not killed else "hang"


def main():
    lines = [l.split() for l in open(sys.argv[1]) if l.strip() and not l.startswith("#")]
    os.makedirs(f"{work}/log", exist_ok=True)
    subprocess.run(["c++", "-O1", "-I/usr/local/cuda/include", f"{here}/driver.cpp", "-o", f"{work}/driver", "-L/usr/local/cuda/lib64/stubs", "-lcuda"], check=True)
    files = sorted({l[0] for l in lines})

    def compile_one(f):
        subprocess.run(["ptxas", "-arch=sm_90", "-lineinfo", f"{root}/tests/data/faults/{f}.ptx", "-o", f"{work}/{f}.cubin"], check=True)
    with futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(compile_one, files))
    results = {}
    jobs = [(l, t) for l in lines for t in TOOLS]
    with futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "12"))) as pool:
        for (l, t), found in zip(jobs, pool.map(run, jobs)):
            results[l[1], t] = found
    version = subprocess.run(["compute-sanitizer", "--version"], capture_output=True, text=True).stdout.strip().splitlines()[-1]
    with open(sys.argv[2], "w") as out:
        out.write(f"# {version}\n# file kernel blocks threads raw_is_undefined kind {' '.join(TOOLS)}\n")
        for l in lines:
            out.write(" ".join(l + [results[l[1], t] for t in TOOLS]) + "\n")


main()
