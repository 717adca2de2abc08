"""Vector addition by PyTorch, for comparison: torch.add into a tensor that is there already."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import eager_times


def make(torch, n):
    return torch.rand(n, device="cuda"), torch.rand(n, device="cuda"), torch.empty(n, device="cuda")


def add(torch, inputs):
    a, b, c = inputs
    torch.add(a, b, out=c)


eager_times.main("02-vector-add-triton", add, [(f"n2^{e}", 1 << e) for e in range(10, 27, 2)], make)
