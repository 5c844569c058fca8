"""Relative links in Markdown files lead to files that exist."""

import os
import re
import sys

from sources import files, report, text

LINK = re.compile(r"\]\(([^)#\s]+)")


def main(root):
    faults, checked = [], 0
    for path in files(root):
        if not path.endswith(".md"):
            continue
        for target in LINK.findall(text(root, path) or ""):
            if "://" in target:
                continue
            checked += 1
            if not os.path.exists(os.path.join(root, os.path.dirname(path), target)):
                faults.append(f"{path}: the link to {target} leads nowhere")
    return report(faults, f"{checked} links lead somewhere")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
