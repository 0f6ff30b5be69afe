"""The weights of a BERT encoder out of an ONNX file as torch exports it, by the names torch gave them.

The exporter keeps the names of embeddings, norms and biases. A matrix it turns and renames, so each is called after the
bias that is added to its product.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from protobuf import read

# The numbers of fields in onnx.proto.
_MODEL_GRAPH = 7
_GRAPH_NODE, _GRAPH_TENSOR = 1, 5
_NODE_INPUT, _NODE_OUTPUT, _NODE_KIND = 1, 2, 4
_TENSOR_DIMS, _TENSOR_TYPE, _TENSOR_NAME, _TENSOR_EXTERNAL = 1, 2, 8, 13
_FLOAT = 1

Weights = dict[str, "np.ndarray[Any, np.dtype[np.float32]]"]


def weights(path: str) -> Weights:
    """Each weight as float32, a matrix as [in, out]. Raises ValueError where a layer is not as expected."""
    with open(path, "rb") as file:
        model = memoryview(file.read())
    [graph] = [part for field, part in read(model) if field == _MODEL_GRAPH]
    assert isinstance(graph, memoryview)
    tensors: Weights = {}
    nodes = []
    for field, part in read(graph):
        if field == _GRAPH_TENSOR and (found := _tensor(part, os.path.dirname(path))):
            tensors[found[0]] = found[1]
        elif field == _GRAPH_NODE:
            nodes.append(_node(part))
    adding = {name: node for node in nodes if node["kind"] == "Add" for name in node["inputs"]}
    for node in nodes:
        if node["kind"] != "MatMul" or node["inputs"][1] not in tensors:
            continue
        biases = [name for name in adding[node["outputs"][0]]["inputs"] if name.endswith(".bias")]
        if len(biases) != 1:
            raise ValueError(f"{path}: no bias is added to the product of {node['inputs'][1]}")
        tensors[biases[0].removesuffix("bias") + "weight"] = tensors.pop(node["inputs"][1])
    return tensors


def _tensor(part: Any, folder: str) -> tuple[str, Any] | None:
    """Name and values of a float tensor that lies in a file beside; None for any other, none of which is a weight."""
    fields = list(read(part))
    [name] = [bytes(value).decode() for field, value in fields if field == _TENSOR_NAME]
    external = dict(_entry(value) for field, value in fields if field == _TENSOR_EXTERNAL)
    if not external or [value for field, value in fields if field == _TENSOR_TYPE] != [_FLOAT]:
        return None
    shape = [value for field, value in fields if field == _TENSOR_DIMS]
    beside = os.path.join(folder, os.path.basename(external["location"]))
    count, offset = int(external["length"]) // 4, int(external["offset"])
    return name, np.fromfile(beside, "<f4", count, offset=offset).reshape(shape)


def _entry(part: Any) -> tuple[str, str]:
    key, value = (bytes(text).decode() for _, text in read(part))
    return key, value


def _node(part: Any) -> dict[str, Any]:
    fields = list(read(part))

    def texts(number: int) -> list[str]:
        return [bytes(value).decode() for field, value in fields if field == number]

    return {"inputs": texts(_NODE_INPUT), "outputs": texts(_NODE_OUTPUT), "kind": texts(_NODE_KIND)[0]}
