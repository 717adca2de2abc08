#!/usr/bin/env python3
"""build_triton.py LESSON_FOLDER: compiles what triton_variants.json lists to PTX for sm_80. Needs triton 3.6 and no GPU.

The line table keeps the kernel's file name without its folder; the DWARF sections, which would name the folder, are left out.
"""
import importlib.util
import json
import os
import re
import sys

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

folder = sys.argv[1]
for v in json.load(open(os.path.join(folder, "triton_variants.json"))):
    path = os.path.join(folder, v["source"])
    spec = importlib.util.spec_from_file_location(os.path.splitext(v["source"])[0], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    names = list(v["signature"])
    # What Triton's own launcher tells the compiler about arguments that are multiples of 16 (pointers, sizes).
    multiples = {(names.index(n),): [["tt.divisibility", 16]] for n in v["multiples_of_16"]}
    source = ASTSource(fn=getattr(module, v["kernel"]), signature=v["signature"] | {k: "constexpr" for k in v["constants"]},
                       constexprs=v["constants"], attrs=multiples)
    ptx = triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": v["num_warps"]}).asm["ptx"]
    ptx = re.sub(r'(\t\.file\t\d+ )"[^"]*"', rf'\1"{v["source"]}"', ptx[: ptx.index("\t.section\t.debug_abbrev")])
    with open(os.path.join(folder, v["ptx"] + ".ptx.new"), "w") as f:
        f.write(ptx)
    os.replace(os.path.join(folder, v["ptx"] + ".ptx.new"), os.path.join(folder, v["ptx"] + ".ptx"))
    print(f"{os.path.basename(os.path.abspath(folder))}/{v['ptx']}.ptx (triton {triton.__version__})")
