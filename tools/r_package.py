#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Assemble the source of the R package in build/r/dyad: the folder r with the sources of the library."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "build/r/dyad"
NOTICE = "// Written by tools/r_package.py.\n// SPDX-License-Identifier: BSD-3-Clause\n"

# Folders of nlohmann-json, all headers; where Debian and FetchContent put it.
JSON_FOLDERS = [Path("/usr/include"), ROOT / "build/_deps/nlohmann_json-src/include"]


def tracked(folder: str) -> list[Path]:
    """Files of a folder that git tracks or does not ignore."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", folder]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [Path(name) for name in names.splitlines() if (ROOT / name).is_file()]


def neighbours() -> list[list[str]]:
    """Folders of the library whose sources CMake joins."""
    text = (ROOT / "cmake/compiler.cmake").read_text()
    listed = re.search(r"set\(dyad_neighbours(.*?)\)", text, re.S)
    return [group.split("|") for group in re.findall(r'"([^"]+)"', listed[1])]


def compiled_alone() -> set[str]:
    """Sources of the library that CMake does not join for Clang."""
    text = (ROOT / "CMakeLists.txt").read_text()
    listed = re.search(r"set_source_files_properties\((.*?)PROPERTIES SKIP_UNITY", text, re.S)
    return set(listed[1].split())


def joined(sources: list[str]) -> dict[str, str]:
    """Sources that include those of a folder, or of neighbouring ones."""
    alone = compiled_alone()
    groups: dict[str, list[str]] = {}
    for source in sources:
        folder = source.split("/")[1]
        group = next((folders for folders in neighbours() if folder in folders), [folder])
        name = Path(source).stem if source in alone else "_".join(group)
        groups.setdefault(f"joined_{name}.cpp", []).append(source)
    return {
        name: NOTICE + "".join(f'#include "{source}"\n' for source in sources)
        for name, sources in groups.items()
    }


def literal(text: str) -> str:
    """A C++ string literal, in pieces that every compiler takes."""
    pieces = [text[at : at + 8000] for at in range(0, len(text), 8000)]
    return "\n".join(f'R"~~~({piece})~~~"' for piece in pieces)


def texts() -> str:
    """The source with the fixed parts of exports and of the report page."""
    library = ROOT / "dyad"
    page = library / "report/page"
    parts = {
        "c_template": (library / "exports/predictor.c").read_text(),
        "js_template": (library / "exports/predictor.js").read_text(),
        "sql_template": (library / "exports/query.sql").read_text(),
        "page_frame": (page / "page.html").read_text(),
        "page_style": (page / "page.css").read_text(),
        "page_script": "".join(script.read_text() for script in sorted(page.glob("*.js"))),
    }
    functions = (
        f"std::string_view {name}() {{\n  return {literal(text)};\n}}\n" for name, text in parts.items()
    )
    headers = ("dyad/exports/internal/templates.h", "dyad/report/internal/page_files.h", "plotly_mark.h")
    return (
        NOTICE
        + "".join(f'#include "{header}"\n' for header in headers)
        + "\nnamespace dyad::internal {\n\n"
        + "\n".join(functions)
        + "\nstd::string_view plotting_script() { return r::plotly_mark; }\n"
        + "\n}  // namespace dyad::internal\n"
    )


def package_files() -> dict[Path, bytes]:
    """Every file of the package but those that roxygen2 writes, by its path in it."""
    version = re.search(r"project\(dyad VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    files = {path.relative_to("r"): (ROOT / path).read_bytes() for path in tracked("r")}
    sources = [path for path in tracked("dyad") if path.suffix in (".h", ".cpp")]
    files |= {"src" / path: (ROOT / path).read_bytes() for path in sources}
    names = sorted(str(path) for path in sources if path.suffix == ".cpp")
    files |= {Path("src", name): text.encode() for name, text in joined(names).items()}
    files[Path("src/texts.cpp")] = texts().encode()
    header = (ROOT / "dyad/version.h.in").read_text().replace("@PROJECT_VERSION@", version)
    files[Path("src/dyad/version.h")] = header.encode()
    include = next(folder for folder in JSON_FOLDERS if (folder / "nlohmann/json.hpp").exists())
    for path in sorted((include / "nlohmann").rglob("*.hpp")):
        # CRAN refuses pragmas that silence warnings.
        text = re.sub(r"(?m)^\s*#\s*pragma .*diagnostic.*$|_Pragma\(.*diagnostic.*$", "", path.read_text())
        files["src" / path.relative_to(include)] = text.encode()
    for table in ("stars.csv", "trees.csv"):
        files[Path("inst/extdata", table)] = (ROOT / "examples" / table).read_bytes()
    description = files[Path("DESCRIPTION")].decode()
    files[Path("DESCRIPTION")] = re.sub(r"(?m)^Version: .*", f"Version: {version}", description).encode()
    return files


def write(files: dict[Path, bytes]) -> None:
    """Write what has changed, and remove what is not there any more; objects of changed headers, too."""
    stale = False
    for path, content in files.items():
        target = PACKAGE / path
        if target.is_file() and target.read_bytes() == content:
            continue
        stale = stale or path.suffix in (".h", ".hpp") or path.parts[:2] == ("src", "dyad")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    for path in [path for path in PACKAGE.rglob("*") if path.is_file()]:
        name = path.relative_to(PACKAGE)
        is_object = name.suffix in (".o", ".so")
        if (is_object and stale) or not (is_object or name in files or name.parts[0] in ("man", "NAMESPACE")):
            path.unlink()


def main() -> None:
    """Write the package and say where it is."""
    if "--clean" in sys.argv[1:]:
        shutil.rmtree(PACKAGE, ignore_errors=True)
    write(package_files())
    print(f"assembled {PACKAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
