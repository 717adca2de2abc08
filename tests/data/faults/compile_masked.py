# Makes the PTX of masked.py, one file a kernel.
import os
import re

import masked
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

here = os.path.dirname(os.path.abspath(__file__))
texts = []
for name in ("masked_sum", "masked_store", "masked_where"):
    for kind in ("bad", "ok"):
        source = ASTSource(fn=getattr(masked, f"{name}_{kind}"), signature={"out": "*fp32", "x": "*fp32", "n": "i32", "BLOCK": "constexpr"},
                           constexprs={"BLOCK": 256})
        ptx = triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": 4}).asm["ptx"]
        ptx = re.sub(r'(\.file\s+\d+ ")[^"]*/', r"\1", ptx).split("\t.section")[0]
        texts.append((f"{name}_{kind}", ptx))
for name, ptx in texts:
    with open(os.path.join(here, name + ".ptx"), "w") as f:
        f.write(ptx.rstrip() + "\n")
