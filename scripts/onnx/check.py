"""Looks at models of ONNX as the standard's own checker does, with the shapes of all values."""

import sys

import onnx

for path in sys.argv[1:]:
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    print(path.rsplit("/", 1)[-1], "checked by onnx", onnx.__version__)
