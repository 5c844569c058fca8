"""Writes the binary files of corpus/, from which inputs are made. usage: make_corpus.py"""

import hashlib
import json
import os
import struct
import zipfile

import numpy as np

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def write(name, content):
    with open(os.path.join(CORPUS, name), "wb") as file:
        file.write(content)


def module(manifest):
    """An ELF shared object of the sections that a module's reader looks at, and no code. Its digest is made right by the
    reader."""
    names = b"\0.shstrtab\0.nova.manifest\0.nova.digest\0"
    parts = [names, manifest, bytes(32)]
    offsets, body = [], b""
    for part in parts:
        offsets.append(64 + len(body))
        body += part
    table = 64 + len(body)
    kinds = [(names.index(b".shstrtab"), 3), (names.index(b".nova.manifest"), 1), (names.index(b".nova.digest"), 1)]
    sections = bytes(64)
    for (name, kind), part, offset in zip(kinds, parts, offsets):
        sections += struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, offset, len(part), 0, 0, 1, 0)
    header = b"\x7fELF\x02\x01\x01" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, table, 0, 64, 0, 0, 64, 4, 1)
    return header + body + sections


def store_entry(label, payload):
    key = hashlib.sha256(b"key").digest()
    header = b"novastor" + struct.pack("<Q", 1) + key + struct.pack("<QQ", len(label), len(payload))
    header += hashlib.sha256(payload).digest()
    return header + hashlib.sha256(header + label).digest() + label + payload


def npy(name, array):
    np.save(os.path.join(CORPUS, "npy", name), array)


def safetensors(name, tensors):
    header, data = {"__metadata__": {"by": "make_corpus.py"}}, b""
    for key, (dtype, shape, raw) in tensors.items():
        header[key] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    write(f"safetensors/{name}", struct.pack("<Q", len(text)) + text + data)


def npz(name, arrays, method):
    with zipfile.ZipFile(os.path.join(CORPUS, "npz", name), "w", method) as archive:
        for key, array in arrays.items():
            with archive.open(zipfile.ZipInfo(key + ".npy"), "w") as file:
                np.save(file, array)


def main():
    with open(os.path.join(CORPUS, "manifest", "scale.json"), "rb") as file:
        write("module/scale.so", module(file.read()))
    write("store/entry", store_entry(b"a label", b"content of an entry"))
    write("store/empty", store_entry(b"", b""))
    whole = np.arange(6).reshape(2, 3)
    npy("f64.npy", whole.astype("<f8"))
    npy("columns.npy", np.asfortranarray(whole.astype(">f4")))
    npy("bools.npy", np.array([True, False]))
    npy("scalar.npy", np.array(7, ">i8"))
    npy("empty.npy", np.zeros((0, 5), "<i4"))
    arrays = {"Q": whole.astype("<f8"), "mask": np.array([True, False])}
    npz("stored.npz", arrays, zipfile.ZIP_STORED)
    npz("deflated.npz", arrays, zipfile.ZIP_DEFLATED)
    f32 = whole.astype("<f4").tobytes()
    safetensors("two.safetensors", {"a": ("F32", [2, 3], f32), "b": ("BOOL", [2], b"\0\1")})
    safetensors("halves.safetensors", {"half": ("BF16", [2], b"1234"), "i": ("I64", [], bytes(8)), "none": ("F64", [0], b"")})


if __name__ == "__main__":
    main()
