"""Processor time of a nova command on chains of 10,000 and of 100,000 operations: chain_time.py FOLDER COMMAND...

`GRAPH` in the command stands for the graph file. Fails where the long chain takes more than 15 times as long.
"""

import os
import resource
import subprocess
import sys

AT_MOST = 15


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    folder, command = sys.argv[1], sys.argv[2:]
    chain = os.path.join(os.path.dirname(os.path.abspath(__file__)), "chain.py")
    times = []
    for length in (10000, 100000):
        graph = os.path.join(folder, f"chain{length}.nova")
        with open(graph, "w", encoding="utf-8") as text:
            subprocess.run([sys.executable, chain, str(length)], check=True, stdout=text)
        times.append(seconds([graph if word == "GRAPH" else word for word in command]))
    ratio = times[1] / times[0]
    print(f"{times[0]:.2f} s and {times[1]:.2f} s of processor time: {ratio:.1f} times")
    sys.exit(ratio > AT_MOST)


if __name__ == "__main__":
    main()
