# SPDX-License-Identifier: BSD-3-Clause
"""README and guide say what is true: their code is run, and its output compared."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("page", "n_blocks"),
    [
        ("README.md", 1),
        ("docs/python.md", 8),
        ("docs/plots.md", 7),
        ("docs/report.md", 1),
        ("docs/export.md", 1),
        ("docs/scale.md", 1),
    ],
)
def test_code_of_a_page_gives_the_output_it_shows(page, n_blocks, monkeypatch):
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) >= n_blocks
    code = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, page, 0)
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(code).failed == 0
