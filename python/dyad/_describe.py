# SPDX-License-Identifier: BSD-3-Clause
"""What a model is and how it was chosen, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dyad import _core
from dyad._terms import Setting

# Settings that are named in one line, and those that are listed though they are not part of the model.
_MOST_NAMED = 2
_MOST_OTHERS = 3


def _number(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


def _short(setting: Setting) -> str:
    blend = f" blend={_number(setting.blend)}" if setting.blend > 0 else ""
    return f"{setting.terms} C={_number(setting.C)}{blend} (loss {setting.loss:.3f})"


def chosen_settings(settings: Sequence[Setting]) -> str:
    """``mean of 10 of 104 settings: 12 pairs C=1 (loss 0.312), 12 pairs C=3 (loss 0.314), ...``."""
    averaged = [setting for setting in settings if setting.averaged]
    named = [_short(setting) for setting in averaged[:_MOST_NAMED]]
    named += ["..."] if len(averaged) > _MOST_NAMED else []
    return f"mean of {len(averaged)} of {len(settings)} settings: {', '.join(named)}"


def model_text(model: _core.Model) -> str:
    """What ``dyad info`` tells about the file of the model, without its first line."""
    classes = [
        f"{name} ({rows:.0f} rows)" for name, rows in zip(model.classes, model.class_rows, strict=True)
    ]
    n_pairs = sum(i != j for _, i, j in model.terms)
    curves = Counter(model.curves)
    lines = [
        ("features", model.n_features),
        *zip(["classes", *[""] * (len(classes) - 1)], classes, strict=True),
        ("terms", f"{len(model.terms)}, {n_pairs} of them pairs"),
    ]
    if curves:
        found = (f"{curves[curve]} {curve}" for curve in ("linear", "asinh", "log") if curve in curves)
        lines.append(("coordinates", ", ".join(found)))
    lines += model.option_texts.items()
    text = "".join(f"  {name:<16}  {value}\n" for name, value in lines)
    return text + _settings_text([Setting(*values) for values in model.settings], model.options["optimise"])


def _settings_text(settings: list[Setting], optimise: str) -> str:
    if not settings:
        return ""
    n_averaged = sum(setting.averaged for setting in settings)
    others = [setting for setting in settings if not setting.averaged][:_MOST_OTHERS]
    rows = [
        f"    {setting.loss:6.4f}  {setting.terms:<14} {_number(setting.C):>5}  {_number(setting.blend):>5}"
        + ("" if setting.averaged else "  not taken")
        for setting in settings
        if setting.averaged or setting in others
    ]
    loss = "1 - AUC" if optimise == "auc" else "logistic loss"
    tried = f"the mean of {n_averaged} out of {len(settings)} that were tried"
    return (
        f"  settings: {tried}; {loss} of rows held out\n"
        "      loss  terms              C  blend\n" + "\n".join(rows) + "\n"
    )
