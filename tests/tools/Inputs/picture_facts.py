"""What a picture of `nova check --picture` says, as text: its lines, its tiles by kind, its strips as letters.

Refuses a file that is not well-formed, needs something from outside, runs something, or has texts beyond its edges."""

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter

SVG = "{http://www.w3.org/2000/svg}"
STEP, SIDE, CELLS, HERE = 12, 10, 16, 10


def cells_of(elements, left, top):
    """A strip: `x` read, `o` brought by a carry, `.` more than shown, `-` not read, row i in brackets."""
    letters = ["-"] * CELLS
    for element in elements:
        style, data = element.get("class", ""), element.get("d", "")
        if element.tag == SVG + "use" and element.get("href") == "#more":
            letters[round((float(element.get("x")) - left) / STEP)] = "."
        elif element.tag == SVG + "path" and style.startswith("thread"):
            for x in re.findall(r"M([\d.]+) ", data):
                letters[round((float(x) - left - SIDE / 2) / STEP)] = "o"
        elif element.tag == SVG + "path" and style.startswith("flat"):
            for x, y in re.findall(r"M([\d.]+) ([\d.]+)h", data):
                assert float(y) == top, (y, top)
                letters[round((float(x) - left) / STEP)] = "x"
    letters[HERE] = f"[{letters[HERE]}]"
    return "".join(letters)


def check_alone(root):
    """Nothing outside is named and nothing runs."""
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in {
            "svg", "title", "desc", "style", "defs", "g", "rect", "circle", "path", "text", "use"}, element.tag
        assert not any(name.startswith("on") for name in element.keys())
        assert element.get("href", "#").startswith("#"), element.get("href")
        assert "url(" not in (element.text or "") and "@import" not in (element.text or "")


def main():
    root = ElementTree.parse(sys.argv[1]).getroot()
    check_alone(root)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)), "an id is given twice"
    width, height = float(root.get("width")), float(root.get("height"))
    print("title:", root.find(SVG + "title").text)
    print("description:", root.find(SVG + "desc").text)
    lines, tiles, visible = {}, {}, Counter()
    elements = list(root)
    for i, element in enumerate(elements):
        tooltip = element.findtext(SVG + "title")
        if element.tag == SVG + "text" and element.get("x"):
            content = (element.text or "") + "".join(child.tail or "" for child in element)
            x, y, style = float(element.get("x")), float(element.get("y")), element.get("class", "").split()
            advance = (7.3 if "mono" in style else 6) * (2 if "name" in style else 1)
            assert 0 <= y <= height, content
            assert "end" in style or x + advance * len(content) <= width, content
            lines.setdefault(y, []).append((x, content))
        elif element.tag == SVG + "use":
            href, x, y = element.get("href")[1:], float(element.get("x", 0)), float(element.get("y", 0))
            assert href in ids, href
            if href == "strip":
                last = next(j for j in range(i, len(elements)) if elements[j].get("href") == "#here")
                lines.setdefault(y + 9, []).append((x, cells_of(elements[i:last], x, y)))
            elif tooltip:
                number, kind = int(href[1:]), tooltip.split(": ")[1].split(",")[0]
                rows, columns = ([int(n) for n in re.search(name + r" (\d+)\.\.(\d+)", tooltip).groups()]
                                 for name in ("rows", "columns"))
                entries = (rows[1] - rows[0] + 1) * (columns[1] - columns[0] + 1)
                seen = re.search(r"(\d+) of (\d+) visible", tooltip)
                assert not seen or int(seen[2]) == entries, tooltip
                tiles.setdefault(number, Counter())[kind] += 1
                visible[number] += int(seen[1]) if seen else entries if kind == "full" else 0
    for y in sorted(lines):
        print(" | ".join(content for _, content in sorted(lines[y])))
    for number, kinds in sorted(tiles.items()):
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        print(f"tiles of mask {number}: {counts}; {visible[number]:,} visible")


main()
