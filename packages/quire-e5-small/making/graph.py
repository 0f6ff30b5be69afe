"""A BERT encoder as an ONNX graph for onnxruntime: any batch, masked mean, unit length, in float32 or in int8.

Inputs are `ids` and `mask`, int32 of [batch, tokens]; the output is `vectors`, float32 of [batch, dimension].

In int8 a matrix has a scale for each column, and what is multiplied by it one for each row, which is one token. So a
text has the same vector whatever else is in its batch; the usual scale for the whole tensor moves it by half a percent.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from exported import Weights
from protobuf import block, number, real

HEADS = 12

_RUNTIME = "com.microsoft"  # operators that onnxruntime adds to the standard: several steps in one
_FLOAT, _INT8, _INT32, _INT64, _UINT8 = 1, 3, 6, 7, 2
_TYPES = {"float32": _FLOAT, "int8": _INT8, "int32": _INT32, "int64": _INT64, "uint8": _UINT8}
_EPSILON = 1e-12  # of BERT's norms
_MIDDLE = np.uint8(128)  # what stands for nothing among unsigned bytes

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Places: TypeAlias = dict[str, tuple[int, str, list[int]]]
Ports: TypeAlias = dict[str, tuple[int, tuple[str | int, ...]]]


class Graph:
    """Nodes and constants, as the bytes of an ONNX file."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: dict[str, tuple[str, list[int], bytes]] = {}

    def constant(self, name: str, values: Array | np.generic) -> str:
        """A name for these values; the same name again is the same values."""
        self._constants[name] = values.dtype.name, list(values.shape), values.tobytes()
        return name

    def add(self, kind: str, *inputs: str, name: str = "", domain: str = "", **attributes: Any) -> str:
        """A node, and the name of what it gives."""
        name = name or f"{kind}{len(self._nodes)}"
        body = b"".join(block(1, given) for given in inputs) + block(2, name) + block(3, name) + block(4, kind)
        body += b"".join(block(5, _attribute(key, value)) for key, value in attributes.items())
        self._nodes.append(body + block(7, domain))
        return name

    def places(self, file: bytes) -> Places:
        """Where the values of each constant lie in the file, for those that read them without onnxruntime."""
        found = {}
        for name, (kind, shape, values) in self._constants.items():
            lead = block(8, name) + block(9, values)[: -len(values)]
            found[name] = (file.index(lead + values[:64]) + len(lead), kind, shape)
        return found

    def file(self, inputs: Ports, outputs: Ports) -> bytes:
        graph = b"".join(block(1, node) for node in self._nodes) + block(2, "encoder")
        graph += b"".join(block(5, _tensor(name, *held)) for name, held in self._constants.items())
        graph += b"".join(block(11, _port(name, *port)) for name, port in inputs.items())
        graph += b"".join(block(12, _port(name, *port)) for name, port in outputs.items())
        operators = block(8, number(2, 17)) + block(8, block(1, _RUNTIME) + number(2, 1))
        return number(1, 9) + block(2, "quire") + block(7, graph) + operators


def _tensor(name: str, kind: str, shape: list[int], values: bytes) -> bytes:
    dims = b"".join(number(1, size) for size in shape)
    return dims + number(2, _TYPES[kind]) + block(8, name) + block(9, values)


def _attribute(name: str, value: Any) -> bytes:
    if isinstance(value, float):
        return block(1, name) + real(2, value) + number(20, 1)
    if isinstance(value, int):
        return block(1, name) + number(3, value) + number(20, 2)
    return block(1, name) + b"".join(number(8, each) for each in value) + number(20, 7)


def _port(name: str, kind: int, shape: tuple[str | int, ...]) -> bytes:
    dims = b"".join(block(1, block(2, size) if isinstance(size, str) else number(1, size)) for size in shape)
    return block(1, name) + block(2, block(1, number(1, kind) + block(2, dims)))


def encoder(weights: Weights, *, small: bool) -> tuple[bytes, Places]:
    """The file of the whole model: `small` in int8, else in float32, by which the small one is judged."""
    made = _Encoder(weights, small)
    file = made.file()
    return file, made.places(file)


class _Encoder:
    """Between the attentions a row is a token, whichever text it is of."""

    def __init__(self, weights: Weights, small: bool) -> None:
        self._weights = weights
        self._small = small
        self._graph = Graph()
        self._width = len(weights["embeddings.LayerNorm.weight"])

    def file(self) -> bytes:
        graph, width = self._graph, self._width
        layers = {name.split(".")[2] for name in self._weights if name.startswith("encoder.layer.")}
        ids = graph.add("Shape", "ids")
        self._texts = graph.add("Concat", ids, graph.constant("width", np.array([width])), axis=0)
        self._tokens = graph.constant("tokens", np.array([-1, width]))
        rows = self._embedded()
        for number_ in range(len(layers)):
            rows = self._layer(rows, f"encoder.layer.{number_}")
        states = graph.add("Reshape", rows, self._texts)
        one = graph.constant("one", np.array([1]))
        mask = graph.add("Unsqueeze", graph.add("Cast", "mask", to=_FLOAT), one)
        graph.add(
            "LpNormalization",
            graph.add("Squeeze", graph.add("MatMul", mask, states), one),
            name="vectors",
            axis=-1,
            p=2,
        )
        return graph.file(
            {"ids": (_INT32, ("batch", "tokens")), "mask": (_INT32, ("batch", "tokens"))},
            {"vectors": (_FLOAT, ("batch", width))},
        )

    def places(self, file: bytes) -> Places:
        return self._graph.places(file)

    def _held(self, name: str) -> str:
        return self._graph.constant(name, self._weights[name])

    def _embedded(self) -> str:
        """What each token is, and where it stands."""
        graph = self._graph
        table = self._weights["embeddings.word_embeddings.weight"]
        if self._small:
            scales = _scales(table, 1)
            words = graph.add("Gather", graph.constant("words", np.rint(table / scales).astype(np.int8)), "ids")
            scale = graph.add("Gather", graph.constant("words.scale", scales), "ids")
            words = graph.add("Mul", graph.add("Cast", words, to=_FLOAT), scale)
        else:
            words = graph.add("Gather", graph.constant("words", table), "ids")
        places = (
            self._weights["embeddings.position_embeddings.weight"]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        zero = graph.constant("zero", np.array([0]))
        place = graph.add(
            "Slice", graph.constant("places", places), zero, graph.add("Shape", "ids", start=1, end=2), zero
        )
        rows = graph.add("Reshape", graph.add("Add", words, place), self._tokens)
        norm = "embeddings.LayerNorm"
        return graph.add(
            "LayerNormalization", rows, self._held(f"{norm}.weight"), self._held(f"{norm}.bias"), epsilon=_EPSILON
        )

    def _layer(self, rows: str, at: str) -> str:
        graph, inner = self._graph, f"{at}.attention.self"
        names = [f"{inner}.{part}" for part in ("query", "key", "value")]
        given = self._quantised(rows)
        parts = [graph.add("Reshape", self._product(given, name), self._texts) for name in names]
        bias = graph.constant(f"{inner}.bias", np.concatenate([self._weights[f"{name}.bias"] for name in names]))
        seen = graph.add("MultiHeadAttention", *parts, bias, "mask", domain=_RUNTIME, num_heads=HEADS)
        seen = graph.add("Reshape", seen, self._tokens)
        rows = self._added(
            self._product(self._quantised(seen), f"{at}.attention.output.dense"), rows, f"{at}.attention.output"
        )
        wide = self._product(self._quantised(rows), f"{at}.intermediate.dense")
        wide = graph.add("BiasGelu", wide, self._held(f"{at}.intermediate.dense.bias"), domain=_RUNTIME)
        return self._added(self._product(self._quantised(wide), f"{at}.output.dense"), rows, f"{at}.output")

    def _added(self, rows: str, before: str, at: str) -> str:
        """The bias and what was before are added, and the sum is normed."""
        held = [self._held(f"{at}.{name}") for name in ("LayerNorm.weight", "LayerNorm.bias", "dense.bias")]
        return self._graph.add("SkipLayerNormalization", rows, before, *held, domain=_RUNTIME, epsilon=_EPSILON)

    def _quantised(self, rows: str) -> tuple[str, str]:
        """The rows as unsigned bytes, and the scale of each."""
        if not self._small:
            return rows, ""
        graph = self._graph
        most = graph.add("ReduceMax", graph.add("Abs", rows), axes=[-1], keepdims=0)
        scales = graph.add("Mul", most, graph.constant("1/127", np.float32(1 / 127)))
        scales = graph.add("Max", scales, graph.constant("tiny", np.float32(1e-20)))
        middles = graph.add("Expand", graph.constant("middle", _MIDDLE), graph.add("Shape", scales))
        small = graph.add("QuantizeLinear", rows, scales, middles, axis=0)
        return small, graph.add("Unsqueeze", scales, graph.constant("last", np.array([-1])))

    def _product(self, rows: tuple[str, str], name: str) -> str:
        """Rows times the matrix of this name."""
        graph, (given, row_scales) = self._graph, rows
        matrix = self._weights[f"{name}.weight"]
        if not self._small:
            return graph.add("MatMul", given, self._held(f"{name}.weight"))
        scales = _scales(matrix, 0)
        small = graph.constant(f"{name}.weight", np.rint(matrix / scales).astype(np.int8))
        product = graph.add(
            "MatMulIntegerToFloat", given, small, graph.constant("unit", np.float32(1)),
            graph.constant(f"{name}.scale", scales[0]), graph.constant("middle", _MIDDLE), domain=_RUNTIME,
        )  # fmt: skip
        return graph.add("Mul", product, row_scales)


def _scales(values: Array, axis: int) -> Array:
    """What one step of a byte is worth, for each column (0) or row (1)."""
    most: Array = np.abs(values).max(axis, keepdims=True) / np.float32(127)
    return np.maximum(most, np.float32(1e-20))
