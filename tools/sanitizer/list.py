#!/usr/bin/env python3
"""Writes the list of kernels for record.py from the tests' own lists (tests/faults/*_test.cpp): both of every pair."""
import os
import re

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILES = {"sharedRaces": ("races", "shared_race", 0), "globalRaces": ("races", "global_race", 0), "undefinedValues": ("init", "uninitialized", 1),
         "wideUndefined": ("init_wide", "uninitialized", 1), "overflows": ("overflow", "index_overflow", 0), "accesses": ("memory", "out_of_bounds", 0),
         "barriers": ("order", "divergent_barrier", 0), "collectives": ("order", "invalid_shuffle", 0), "hangs": ("order", "hang", 0)}
seen = set()
for test in ("pairs_test.cpp", "order_test.cpp"):
    path = os.path.join(root, "tests/faults", test)
    if not os.path.exists(path):
        continue
    for name, body in re.findall(r"const std::vector<\w+> (\w+) = \{(.*?)\};\n", open(path).read(), re.S):
        if name not in FILES:
            continue
        file, kind, undefined = FILES[name]
        text = open(os.path.join(root, "tests/data/faults", file + ".ptx")).read()
        kinds = {"OutOfBounds": "out_of_bounds", "Misaligned": "misaligned", "NullAccess": "null_access", "WriteToConstant": "write_to_constant", "Hang": "hang",
                 "DivergentBarrier": "divergent_barrier", "InvalidShuffle": "invalid_shuffle"}
        entries = re.split(r'(?=\{+"\w_)', body)
        for entry in entries:
            m = re.match(r'\{+"(\w+)"', entry)
            if not m:
                continue
            shape = re.search(r"\{(\d+), (\d+)\}", entry)
            blocks, threads = shape.groups() if shape else ("1", "64")
            given = re.search(r"FaultKind::(\w+)", entry)
            what = kinds.get(given.group(1), kind) if given else kind
            for suffix in ("_bad", "_ok"):
                kernel = m.group(1) + suffix
                if kernel in seen or f".entry {kernel}(" not in text:
                    continue
                seen.add(kernel)
                print(file, kernel, blocks, threads, undefined, what if suffix == "_bad" else "ok")
