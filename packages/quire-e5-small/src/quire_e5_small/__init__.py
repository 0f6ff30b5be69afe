"""The weights of e5-small, an embedding model for English text, in int8 for onnxruntime. Data only.

`FOLDER` has `model.onnx` (inputs `ids` and `mask`, output `vectors` of unit length), `constants.json` (where in that
file each matrix lies, for who reads it without onnxruntime), `vocab.txt` (WordPiece, lower case) and the licences.
"""

from __future__ import annotations

import os

FOLDER = os.path.dirname(os.path.abspath(__file__))

# `version` is that of the vectors: it changes when the same text gets others.
DESCRIPTION = {
    "name": "e5-small",
    "version": "1-int8",
    "dimension": 384,
    "max_tokens": 512,
    "heads": 12,
    "licence": "MIT (weights), Apache-2.0 (vocabulary)",
}

# What `scripts/weights` must make, and does on every machine: the sha256 of each file.
FILES = {
    "model.onnx": "9e0b0fc5b7da107f0a7113fdd46070ed90177da69e0dc8d0da8dec80df1cf175",
    "constants.json": "aa12a06372420cb03f4e53fdd05afc7671a05aced7f44104215c96fd455161bc",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
