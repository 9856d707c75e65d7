# SPDX-License-Identifier: BSD-3-Clause
"""Converters of skl2onnx: pipelines that end with a classifier of dyad become ONNX graphs.

Needs skl2onnx and onnx (``pip install skl2onnx``). To import this module registers the converters.
"""

from __future__ import annotations

from typing import Any

import onnx
from skl2onnx import update_registered_converter
from skl2onnx.common.data_types import guess_proto_type
from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes

from dyad import LUClassifier, NaiveBayesKDE, SLBClassifier, TANClassifier


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Adds the nodes of the classifier's own graph, under names of their own, to the pipeline's graph."""
    classifier = operator.raw_operator
    if classifier.levels_:
        raise ValueError(
            "skl2onnx: expected features that are numbers, got categories "
            f"{list(classifier.levels_)}; use to_onnx() of the classifier, or encode them in the pipeline"
        )
    model = onnx.load_from_string(classifier.to_onnx())
    names = {"": ""}

    def add(op: str, inputs: list[str], output: str, **attributes: Any) -> None:
        container.add_node(op, inputs, output, name=scope.get_unique_operator_name(op), **attributes)

    for constant in model.graph.initializer:
        names[constant.name] = constant.name = scope.get_unique_variable_name(constant.name)
        container.initializers.append(constant)
    given = [variable.full_name for variable in operator.inputs]
    rows = given[0]
    if len(given) > 1:
        rows = scope.get_unique_variable_name("rows")
        add("Concat", given, rows, axis=1)
    names["numbers"] = scope.get_unique_variable_name("numbers")
    add("Cast", [rows], names["numbers"], to=onnx.TensorProto.DOUBLE)
    for node in model.graph.node:
        node.name = scope.get_unique_operator_name(node.op_type)
        node.input[:] = [names[name] for name in node.input]
        for k, name in enumerate(node.output):
            names[name] = node.output[k] = scope.get_unique_variable_name(name)
        container.nodes.append(node)
    for opset in model.opset_import:
        container.node_domain_version_pair_sets.add((opset.domain, opset.version))
    label, probabilities = (variable.full_name for variable in operator.outputs[:2])
    # Labels are text in the graph; skl2onnx expects whole numbers for classes that are numbers.
    if classifier.classes_.dtype.kind in "biu":
        add("Cast", [names["label"]], label, to=onnx.TensorProto.INT64)
    else:
        add("Identity", [names["label"]], label)
    add("Cast", [names["probabilities"]], probabilities, to=guess_proto_type(operator.outputs[1].type))


for _classifier in (SLBClassifier, LUClassifier, NaiveBayesKDE, TANClassifier):
    update_registered_converter(
        _classifier,
        f"Dyad{_classifier.__name__}",
        calculate_linear_classifier_output_shapes,
        _convert,
        options={"nocl": [True, False], "zipmap": [True, False, "columns"]},
    )
