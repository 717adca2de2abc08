# Pairs of Triton kernels: *_bad uses elements that a mask left out of a load, at the line that says HERE; *_ok is its near miss.
# Triton 3.9, for sm_80: compile_masked.py.
import triton
import triton.language as tl


@triton.jit
def masked_sum_bad(out, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out, tl.sum(v, axis=0))  # HERE


@triton.jit
def masked_sum_ok(out, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum(v, axis=0))


@triton.jit
def masked_store_bad(out, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, v * 2)  # HERE


@triton.jit
def masked_store_ok(out, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, v * 2, mask=i < n)


@triton.jit
def masked_where_bad(out, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.where(i < n + 1, v, 0.0))  # HERE


@triton.jit
def masked_where_ok(out, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.where(i < n, v, 0.0))
