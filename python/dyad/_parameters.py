# SPDX-License-Identifier: BSD-3-Clause
"""The parameters of the estimators, in one table that follows the options of the core."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import indent, wrap
from typing import Any, TypeVar

from dyad import _core

_Estimator = TypeVar("_Estimator")

_OPTIONS: dict[str, dict[str, Any]] = _core.describe_options()
_PRESETS = {preset: _core.default_options({"preset": preset}) for preset in _OPTIONS["preset"]["values"]}
_OF_CORE: Any = object()

_ALL = ("SLBClassifier", "LUClassifier", "NaiveBayesKDE", "TANClassifier", "LogDensityTransformer")
_CLASSIFIERS = _ALL[:4]
_SVM = _ALL[:2]
_BAYES = _ALL[2:4]
_PAIRS = ("SLBClassifier", "LogDensityTransformer")

_PAIR_RULES = {
    "cv": "the share of pairs that is best in inner cross-validation",
    "fdr": "pairs with a q-value of at most `fdr`",
    "count": "the `n_pairs` pairs of largest HSIC",
    "threshold": "pairs with an HSIC of at least `min_hsic`",
    "path": "the few pairs that add something: of means of growing sets the one with the fewest pairs that "
    "predicts held-out rows about as well as the best",
    "all": "every pair, the method SLB-",
    "none": "no pair",
}


@dataclass(frozen=True)
class Parameter:
    """One parameter: type, default and help are those of the core's option unless given here."""

    name: str
    estimators: tuple[str, ...]
    more: str = ""  # sentences after the option's help
    values: Mapping[str, str] = field(default_factory=dict)  # meaning of choices
    option: str = ""  # the core's name, if another
    help: str = ""  # replaces the option's help
    kind: str = ""  # replaces the option's type in the help, or follows it if it begins with "or"
    annotation: str = ""  # replaces the option's type in the stub, or follows it if it begins with "|"
    given: Any = _OF_CORE  # replaces the option's default
    none: str = ""  # replaces the presets' values as the meaning of None
    added: tuple[str, ...] = ()  # choices that the core lacks
    left_out: tuple[str, ...] = ()  # choices of the core that the estimator lacks
    aliases: Mapping[str, str] = field(default_factory=dict)  # accepted choices that are not listed

    @property
    def core_name(self) -> str:
        """Name of the core's option, if there is one."""
        return self.option or self.name

    @property
    def choices(self) -> tuple[str, ...]:
        """Names that an enumeration lists; empty for other kinds."""
        known = _OPTIONS.get(self.core_name, {}).get("values", ())
        unknown = (*self.aliases, *self.left_out)
        return (*(value for value in known if value not in unknown), *self.added)

    @property
    def default(self) -> Any:
        """Value in the signature: None where presets differ."""
        if self.given is not _OF_CORE:
            return self.given
        first, *others = (options[self.core_name] for options in _PRESETS.values())
        return first if all(first == other for other in others) else None

    @property
    def type_hint(self) -> str:
        """Type in the stub."""
        hint = self.annotation
        if not hint or hint.startswith("|"):
            names = ", ".join(map(_quoted, (*self.choices, *self.aliases)))
            own = f"Literal[{names}]" if names else _OPTIONS[self.core_name]["kind"]
            hint = f"{own} {hint}".strip()
        return f"{hint} | None" if self.default is None and hint != "Any" else hint

    @property
    def entry(self) -> str:
        """Entry of the section Parameters of a numpydoc docstring, without indentation."""
        default = _quoted(self.default) if isinstance(self.default, str) else repr(self.default)
        return f"{self.name} : {self._kind()}, default={default}\n" + "\n".join(
            wrap(
                self._help(),
                width=106,
                initial_indent="    ",
                subsequent_indent="    ",
                break_on_hyphens=False,
            )
        )

    def _kind(self) -> str:
        if self.kind and not self.kind.startswith("or "):
            return self.kind
        option = _OPTIONS[self.core_name]
        names = ", ".join(map(_quoted, self.choices))
        own = "{" + names + "}" if names else f"{option['kind']} {option.get('range', '')}"
        return f"{own} {self.kind}".strip()

    def _help(self) -> str:
        sentences = [self.help or _sentence(_OPTIONS[self.core_name]["help"])]
        meanings = [f"{_code(value)}: {self.values[value]}" for value in self.choices if value in self.values]
        if meanings:
            sentences.append("; ".join(meanings) + ".")
        if self.more:
            sentences.append(self.more)
        if self.none:
            sentences.append(f"None: {self.none}.")
        elif self.default is None and self.core_name in _OPTIONS:
            named = [
                f"{_code(options[self.core_name])} for ``preset={_quoted(preset)}``"
                for preset, options in _PRESETS.items()
            ]
            sentences.append(f"None: {', '.join(named)}.")
        return " ".join(sentences)


_TABLE = (
    Parameter(
        "preset",
        _ALL,
        values={"auto": "the best predictions without tuning", "paper": "as in the paper's experiments"},
        help="Preset, which sets the parameters that are None.",
        given=_core.default_options()["preset"],
    ),
    Parameter(
        "optimise",
        _CLASSIFIERS,
        '``"error"`` is another name of ``"logloss"``, and `optimize` of `optimise`.',
        {
            "logloss": "the mean of -log P(class)",
            "balanced": (
                "the same as if all classes had equally many rows, which also minimises the mean of their "
                'error rates; the same as ``class_weight="balanced"``'
            ),
            "auc": (
                "the share of wrongly ranked pairs of rows in the choice of settings, otherwise as "
                '``"logloss"``; requires ``settings="average"``'
            ),
        },
        help=(
            "Metric to minimise. Probabilities are P(class | row) at the class frequencies of the training "
            'rows; with ``"balanced"`` they are those of equally frequent classes.'
        ),
        given=None,
        none='``"balanced"`` with ``class_weight="balanced"``, else ``"logloss"``',
        aliases={"error": "logloss"},
    ),
    Parameter("engine", _ALL),
    Parameter("grid", _ALL),
    Parameter(
        "coordinate",
        _ALL,
        values={
            "none": "the values unchanged",
            "standard": "standardised",
            "robust": "the logarithm of positive values that span decades, else asinh, then standardised",
        },
        option="transform",  # which is the name of a method of transformers
    ),
    Parameter(
        "bandwidth",
        _ALL,
        values={
            "plug_in": "two-stage plug-in, a full matrix for pairs",
            "plug_in_diagonal": "two-stage plug-in, a diagonal matrix for pairs",
            "normal_scale": "optimal for normal samples",
        },
    ),
    Parameter("prior_rows", _ALL),
    Parameter("floor", _ALL),
    Parameter(
        "categorical_features",
        _ALL,
        help=(
            "Columns to treat as categories, by name, number or mask. Columns of text, booleans and pandas "
            "categories always are."
        ),
        kind="list of str or int, or mask",
        annotation="ArrayLike",
        given=None,
    ),
    Parameter("max_levels", _ALL),
    Parameter("level_rows", _ALL),
    Parameter(
        "priors",
        _BAYES,
        values={"estimated": "shares of the training rows", "equal": "equal priors"},
        given=None,
        none='``"equal"`` with ``class_weight="balanced"``, else ``"estimated"``',
    ),
    Parameter(
        "pairs",
        ("SLBClassifier",),
        "A list holds the pairs to use in every class, of columns by number or name: no others are.",
        _PAIR_RULES,
        kind="or list of (i, j)",
        annotation="| Sequence[tuple[Any, Any]]",
        added=("all",),
        given=None,
        none='the rule that another parameter was given for, ``"cv"`` for those of the settings to average; '
        'else ``"path"`` of averages and ``"cv"`` of a single setting',
    ),
    Parameter(
        "pairs",
        ("LogDensityTransformer",),
        "A list holds columns, by number or name, for every class.",
        _PAIR_RULES,
        kind="or list of (i, j)",
        annotation="| Sequence[tuple[Any, Any]]",
        added=("all", "none"),
        left_out=("path",),
        none='``"cv"``',
    ),
    Parameter(
        "exclude",
        _CLASSIFIERS,
        help=(
            "Columns and pairs of columns, by number or name, that no term has: linear, of one feature, of a "
            "pair, of a tree or free table. Excluded columns stay columns of X, whose values are ignored."
        ),
        kind="list of str, int or (i, j)",
        annotation="Sequence[Any]",
        given=None,
        none="no column or pair is excluded",
    ),
    Parameter("fdr", _PAIRS, help='False discovery rate of ``pairs="fdr"``.'),
    Parameter("n_pairs", _PAIRS, help='Number of pairs, over all classes, of ``pairs="count"``.'),
    Parameter("min_hsic", _PAIRS, help='Smallest HSIC of ``pairs="threshold"``.'),
    Parameter("max_pairs", ("SLBClassifier",)),
    Parameter("free_tables", ("SLBClassifier",)),
    Parameter("max_effects", _SVM),
    Parameter(
        "monotone",
        _CLASSIFIERS,
        help=(
            "Features of numbers along which the score of the second of two classes never falls or never "
            'rises: ``{"age": "increasing"}``, by name or number.'
        ),
        kind="dict",
        annotation='dict[Any, Literal["increasing", "decreasing"]]',
        given=None,
        none="no directions",
    ),
    Parameter(
        "feature_mode",
        _SVM,
        values={
            "resubstitution": "all rows of the class",
            "leave_one_out": "all but the row itself",
            "cross_fit": "rows of the other folds",
            "split": "one half of the rows, the SVM being fitted to the other half",
            "auto": (
                '``"cross_fit"`` for three classes or more of at most 10000 rows, else ``"leave_one_out"``'
            ),
        },
    ),
    Parameter("cross_fit_folds", _SVM),
    Parameter("linear_terms", _SVM),
    Parameter(
        "term_scale",
        _SVM,
        values={
            "unit": "each by its own standard deviation",
            "common": "all by the same number",
            "none": "no scaling",
        },
    ),
    Parameter(
        "settings",
        _SVM,
        values={
            "best": "the setting with the smallest balanced error in inner cross-validation",
            "average": "the mean of the `n_average` settings with the smallest held-out loss",
        },
    ),
    Parameter("n_average", _SVM),
    Parameter("blend", _SVM, values={"if_better": "if the held-out loss falls by a fifth"}),
    Parameter(
        "cost",
        _SVM,
        'A given `C` implies ``"given"``.',
    ),
    Parameter("C", _SVM, given=None, none='1, used with ``cost="given"``'),
    Parameter(
        "loss",
        _SVM,
        values={
            "hinge": "max(0, 1 - m) at the margin m",
            "squared_hinge": "max(0, 1 - m)^2",
            "logistic": "log(1 + exp(-m))",
        },
    ),
    Parameter(
        "penalty",
        _SVM,
        '``"l1"`` and ``"elastic_net"`` require the loss ``"squared_hinge"`` or ``"logistic"``.',
        {
            "l2": "half the sum of squares",
            "l1": "the sum of absolute values",
            "elastic_net": "a mixture of both",
        },
    ),
    Parameter("l1_ratio", _SVM),
    Parameter("norm_bound", _SVM, 'Requires ``settings="best"``.'),
    Parameter(
        "multiclass",
        _SVM,
        values={
            "auto": '``"direct"`` for averages with the hinge loss, else ``"one_vs_rest"``',
            "one_vs_rest": "one SVM for each class against the others",
            "direct": 'one multinomial logistic regression; requires ``settings="average"``',
        },
    ),
    Parameter("tol", _SVM, option="tolerance"),
    Parameter("max_iter", _SVM, "A ConvergenceWarning reports it.", option="max_iterations"),
    Parameter(
        "class_weight",
        _CLASSIFIERS,
        help=(
            'Weights of the classes. ``"balanced"``: classes count alike, and probabilities are those of '
            'equally frequent classes; the same as ``optimise="balanced"``, and an error with another '
            "`optimise`. A dict has weights by label, 1 for labels left out, which multiply the frequencies "
            "of the classes, also in probabilities. For true probabilities and another decision use `costs`."
        ),
        kind='dict or "balanced"',
        annotation='dict[Any, Any] | Literal["balanced"]',
        given=None,
        none="classes count by their rows",
    ),
    Parameter(
        "calibration",
        _CLASSIFIERS,
        "Functions are fitted to scores of held-out training rows.",
        {
            "none": "scores are taken as log odds",
            "platt": "by a logistic function",
            "isotonic": "by a non-decreasing function",
        },
    ),
    Parameter(
        "costs",
        _CLASSIFIERS,
        help=(
            "Cost of predicting a class for a row of another: by ``(true, predicted)``, 1 for pairs left out "
            "and 0 for the right class, or a row for each of ``classes_``. Predictions have the least "
            "expected cost; probabilities are those of classes as frequent as in the training rows."
        ),
        kind="dict or array-like of shape (n_classes, n_classes)",
        annotation="dict[Any, Any] | ArrayLike",
        given=None,
    ),
    Parameter(
        "forest",
        ("TANClassifier",),
        help="Drop the weak edges of the trees.",
        kind="bool",
        annotation="bool",
        given=False,
    ),
    Parameter("forest_beta", ("TANClassifier",)),
    Parameter(
        "cv",
        _SVM,
        help="Folds of the inner cross-validation: a number of stratified folds, a list of row numbers or "
        "masks, or an object with ``split(X, y)``.",
        none='3 for ``preset="paper"`` and for more than 2000 rows with ``pairs="path"``, else 5',
        option="inner_folds",
        kind="int, list of (train, test) or splitter",
        annotation="Any",
    ),
    Parameter(
        "cv",
        ("LogDensityTransformer",),
        help="Folds of the inner cross-validation that chooses pairs: a number of stratified folds, a list "
        "of row numbers or masks, or an object with ``split(X, y)``. A number is also that of the folds of "
        "`fit_transform`, which are 5 otherwise.",
        none='3 for ``preset="paper"``, else 5; 5 in `fit_transform`',
        option="inner_folds",
        kind="int, list of (train, test) or splitter",
        annotation="Any",
    ),
    Parameter(
        "random_state",
        (*_SVM, "LogDensityTransformer"),
        help="Seed of the folds. None draws one from NumPy's global generator.",
        option="seed",
        kind="int, RandomState instance or None",
        annotation="int | np.random.RandomState | None",
    ),
    Parameter(
        "n_jobs",
        _ALL,
        help=(
            "Number of threads; results do not depend on it. None: 1, unless in a "
            "``joblib.parallel_config`` context; -1: all cores."
        ),
        kind="int",
        annotation="int",
        given=None,
    ),
    Parameter(
        "max_seconds",
        _SVM,
        help=(
            "Limit of the seconds of a fit. Searches for better settings, which take 90 percent of them at "
            "most, of more than 10000 rows 50 percent, end with the best found until then: `describe` says "
            "so. The first setting and the weights of the model are fitted in any case."
        ),
        kind="float",
        annotation="float",
        given=None,
        none="no limit",
    ),
    Parameter(
        "callback",
        _ALL,
        help=(
            "Function that a fit calls from its own thread as ``callback(step, done, total)``, about twenty "
            "times a second; `total` is None where it is not known. If it raises StopIteration, searches for "
            "better settings end as with `max_seconds`; what else it raises ends the fit, which then leaves "
            "the estimator as it was."
        ),
        kind="callable",
        annotation="Callable[[str, int, int | None], Any]",
        given=None,
        none="no calls",
    ),
    Parameter(
        "verbose",
        _ALL,
        help="Show progress on standard error, if not 0.",
        kind="int",
        annotation="int",
        given=0,
    ),
)

# Names of the core's options by those of parameters, and choices that are other names of one.
CORE_NAMES = {row.name: row.core_name for row in _TABLE}
ALIASES = {row.name: row.aliases for row in _TABLE if row.aliases}


def parameters_of(estimator: str) -> dict[str, Parameter]:
    """The parameters of an estimator, by name, in the order of its signature."""
    return {row.name: row for row in _TABLE if estimator in row.estimators}


def with_parameters(estimator: type[_Estimator]) -> type[_Estimator]:
    """Give a class its ``__init__``, and the line ``{parameters}`` of its docstring the parameters' help."""
    parameters = parameters_of(estimator.__name__)
    estimator.__init__ = _init(estimator.__qualname__, parameters)
    if estimator.__doc__ is not None:  # which python -OO leaves out
        entries = "\n".join(parameter.entry for parameter in parameters.values())
        estimator.__doc__ = re.sub(
            r"^( *)\{parameters\}$",
            lambda line: indent(entries, line[1]),
            estimator.__doc__,
            flags=re.MULTILINE,
        )
    return estimator


def renamed(given: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments with `optimize` as `optimise`."""
    if "optimize" not in given:
        return dict(given)
    if "optimise" in given:
        raise TypeError("optimise and optimize are the same parameter; give one of them")
    return {"optimise" if name == "optimize" else name: value for name, value in given.items()}


def _init(owner: str, parameters: Mapping[str, Parameter]) -> Any:
    """An ``__init__`` that sets attributes, with a signature for scikit-learn and `help`."""
    defaults = {name: parameter.default for name, parameter in parameters.items()}

    def __init__(self, **given):  # noqa: N807
        given = renamed(given)
        unknown = [name for name in given if name not in defaults]
        if unknown:
            raise TypeError(f"{type(self).__name__}() got an unexpected keyword argument {unknown[0]!r}")
        for name, default in defaults.items():
            setattr(self, name, given.get(name, default))

    named = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in defaults.items()
    ]
    me = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([me, *named])
    __init__.__qualname__ = f"{owner}.__init__"
    return __init__


def _quoted(text: str) -> str:
    return f'"{text}"'


def _code(value: Any) -> str:
    """A value in a help text."""
    if isinstance(value, str):
        return f'``"{value}"``'
    return "no limit" if value >= 1e9 else f"{value:g}" if isinstance(value, float) else str(value)


def _sentence(text: str) -> str:
    """The core's help in the words of Python: flags of the program become parameters."""
    of_python = {core: name for name, core in CORE_NAMES.items()}

    def parameter(flag: re.Match[str]) -> str:
        core_name = flag["name"].replace("-", "_")
        name = of_python.get(core_name, core_name)
        if flag["value"] in _OPTIONS.get(core_name, {}).get("values", ()):
            return f'``{name}="{flag["value"]}"``'
        return f"`{name}`" + (f" {flag['value']}" if flag["value"] else "")

    text = re.sub(r"--(?P<name>[A-Za-z][\w-]*)(?: (?P<value>\w+))?", parameter, text)
    return text[:1].upper() + text[1:] + "."
