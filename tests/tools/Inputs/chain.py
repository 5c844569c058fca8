"""Prints a graph of a chain of operations. usage: chain.py LENGTH"""

import sys

length = int(sys.argv[1])
print("graph @chain(%x: f64[n]) -> f64[n] {\n  %v0 = exp %x")
for i in range(1, length):
    print(f"  %v{i} = {('add', 'subtract', 'multiply')[i % 3]} %v{i - 1}, %x")
print(f"  return %v{length - 1}\n}}")
