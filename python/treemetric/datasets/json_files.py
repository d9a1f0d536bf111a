"""Trees from JSON Lines, and from folders with one JSON file per tree."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path as FilePath
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from sklearn.utils import Bunch

from treemetric._base.typing import Path
from treemetric._base.validation import count_of, refuse, shown
from treemetric.datasets._common import loaded
from treemetric.datasets._text import check_path, fail, read_text
from treemetric.tree import Tree
from treemetric.treeset import TreeSet

ClassFrom: TypeAlias = str | re.Pattern[str] | Callable[[PurePosixPath], Any] | None


def load_jsonl(path: Path, *, target: str = "label", fields: Sequence[str] = ()) -> Bunch:
    """Load trees and their classes from a JSON Lines file.

    Each line is an object with ``nodes`` and ``adj`` (and ``roots`` for a forest), or
    with ``bracket``, as in `TreeSet.from_jsonl` and `TreeSet.to_jsonl`.

    Parameters
    ----------
    path : str or path
        The file.
    target : str, default="label"
        Name of the field with the class.
    fields : sequence of str, default=()
        Names of further fields to load, such as a split into training and test data.

    Returns
    -------
    sklearn.utils.Bunch
        Dictionary-like object with the attributes

        data : TreeSet
            The trees in the order of the file. `data.ids` are the values of the field
            ``id``, if present; `data.classes` are those of the field `target`.
        target : ndarray of shape (n_samples,), dtype int64, or None
            Index of each tree's class in `target_names`; None if no tree has a class.
        target_names : list
            The sorted classes, as they are in the file.
        names : list of str
            The ids as text, or the line numbers without ids.
        fields : dict of str to list
            The values of the further `fields`, None where a line has no value.
        DESCR : str
            Source of the data.

    Raises
    ------
    ValueError
        If a line is malformed, or if only some trees have a class; the message states
        the file and the line.

    See Also
    --------
    load_json_folder : One file per tree.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from treemetric.datasets import load_jsonl
    >>> lines = '''{"id": "t1", "label": "good", "bracket": "{a{b}}"}
    ... {"id": "t2", "label": "bad", "nodes": ["a"], "adj": [[]]}'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "trees.jsonl"
    ...     _ = path.write_text(lines)
    ...     trees = load_jsonl(path)
    >>> trees.target_names, trees.target.tolist(), trees.names
    (['bad', 'good'], [1, 0], ['t1', 't2'])
    """
    file = check_path(path, "load_jsonl")
    if not isinstance(target, str):
        refuse("target", "load_jsonl", "an instance of 'str'", shown(target))
    if isinstance(fields, str) or not all(isinstance(field, str) for field in fields):
        refuse("fields", "load_jsonl", "a sequence of str", shown(fields))
    # Line breaks as the reader counts them; str.splitlines splits at more characters.
    lines = read_text(file).split("\n")
    numbers = [number for number, line in enumerate(lines, 1) if line.strip(" \t\r\f")]
    try:
        data = TreeSet._of_jsonl(file.read_bytes().decode())
    except ValueError as error:
        # The messages of the reader start with the line.
        message = f"{file}, {error}"
        raise ValueError(message) from None

    values: dict[str, list[Any]] = {field: [] for field in fields}
    classes: Sequence[Any] | None = data.classes
    if target != "label" or values:
        for number in numbers:
            item = _parse(lines[number - 1], file, number - 1)
            for field in {target, *fields}:
                values.setdefault(field, []).append(_hashable(item.get(field)))
        if target != "label":
            classes = values[target]
    if classes is not None and all(name is None for name in classes):
        classes = None
    if classes is not None:
        _check_classes(classes, numbers, file, target)
    data = TreeSet.from_arrays(
        data.alphabet, data.codes, data.parents, data.offsets, ids=data.ids, classes=classes
    )
    names = [str(name) for name in (numbers if data.ids is None else data.ids)]
    bunch = loaded(data, names, f"{file.name}: {count_of(len(data), 'tree')} from JSON Lines.\n")
    bunch.fields = {field: values[field] for field in fields}
    return bunch


def _check_classes(classes: Sequence[Any], numbers: list[int], file: FilePath, target: str) -> None:
    """Check that all trees have a class, and that classes are hashable."""
    for name, number in zip(classes, numbers, strict=True):
        if name is None:
            fail(file, f"line {number}", f'"{target}" is missing, but other lines have one')
        try:
            hash(name)
        except TypeError:
            fail(file, f"line {number}", f'"{target}" must be hashable. Got {shown(name)}')


def load_json_folder(path: Path, *, class_from: ClassFrom = "auto") -> Bunch:
    """Load trees from a folder with one JSON file per tree.

    Each file contains an object with the labels ``nodes`` and the children ``adj`` of
    each node, as in `Tree.from_adjacency` (and ``roots`` for a forest). Several published
    data sets have this form, with the class in the file names.

    Parameters
    ----------
    path : str or path
        The folder. All files that end in ``.json`` are loaded, including those in
        subfolders; hidden files and folders are ignored.
    class_from : {"auto", "folder", "name"}, pattern, callable or None, default="auto"
        Where to find the class of a tree.

        - "folder": the subfolder of `path` that contains the file;
        - "name": the name of the file up to the first underscore;
        - "auto": "folder" if all files are in subfolders of `path`, else "name";
        - a compiled regular expression: its first match in the name of the file without
          ``.json``, or the first group of this match if it has groups;
        - a callable: it takes the path of the file relative to the folder, a
          `pathlib.PurePosixPath`, and returns the class;
        - None: no classes.

    Returns
    -------
    sklearn.utils.Bunch
        Dictionary-like object with the attributes

        data : TreeSet
            The trees, ordered by name. `data.ids` are the names, `data.classes` the
            classes.
        target : ndarray of shape (n_samples,), dtype int64, or None
            Index of each tree's class in `target_names`; None without classes.
        target_names : list
            The sorted classes.
        names : list of str
            Paths of the files relative to the folder, without ``.json``.
        DESCR : str
            Source of the data.

    Raises
    ------
    ValueError
        If the folder has no such file, or a file is malformed or has no class; the
        message states the file.
    NotADirectoryError
        If `path` is not a folder.

    See Also
    --------
    load_jsonl : All trees in one file.

    Examples
    --------
    >>> import pathlib, re, tempfile
    >>> from treemetric.datasets import load_json_folder
    >>> with tempfile.TemporaryDirectory() as name:
    ...     folder = pathlib.Path(name)
    ...     for stem in ("BubbleFirst", "BubbleSecond", "InsertionFirst"):
    ...         tree = '{"nodes": ["a", "b"], "adj": [[1], []]}'
    ...         _ = (folder / f"{stem}.json").write_text(tree)
    ...     trees = load_json_folder(folder, class_from=re.compile("Bubble|Insertion"))
    >>> trees.target_names, trees.target.tolist(), trees.names[0]
    (['Bubble', 'Insertion'], [0, 0, 1], 'BubbleFirst')
    """
    folder = check_path(path, "load_json_folder")
    known = class_from is None or class_from in ("auto", "folder", "name")
    if not known and not isinstance(class_from, re.Pattern) and not callable(class_from):
        must = "'auto', 'folder', 'name', a compiled pattern, a callable or None"
        refuse("class_from", "load_json_folder", must, shown(class_from))
    if not folder.is_dir():
        message = f"{folder} is not a folder"
        raise NotADirectoryError(message)
    places = sorted(
        PurePosixPath(file.relative_to(folder).as_posix()) for file in folder.rglob("*.json")
    )
    places = [place for place in places if not any(part[0] == "." for part in place.parts)]
    if not places:
        fail(folder, "", "the folder contains no file whose name ends in .json")

    classes = _classes(places, class_from, folder)
    trees = [_read_tree(folder / place) for place in places]
    names = [str(place.with_suffix("")) for place in places]
    data = TreeSet(trees, ids=names, classes=classes)
    return loaded(
        data, names, f"{folder.name}: {count_of(len(data), 'tree')} from a folder of JSON files.\n"
    )


def _classes(
    places: list[PurePosixPath], class_from: ClassFrom, folder: FilePath
) -> list[Any] | None:
    if class_from is None:
        return None
    if class_from == "auto":
        class_from = "folder" if all(len(place.parts) > 1 for place in places) else "name"
    classes = []
    for place in places:
        name: Any = None
        if callable(class_from):
            name, missed = class_from(place), "class_from returned None"
        elif isinstance(class_from, re.Pattern):
            found = class_from.search(place.stem)
            name = found[1 if class_from.groups else 0] if found else None
            missed = f"the pattern {class_from.pattern!r} finds no class in its name"
        elif class_from == "folder":
            name = str(place.parent) if len(place.parts) > 1 else None
            missed = "it is not in a subfolder that could be its class"
        else:
            name = place.stem.partition("_")[0] if "_" in place.stem else None
            missed = "its name has no underscore that could end a class"
        if name is None:
            fail(folder / place, "", f"{missed}; pass another class_from, or None for no classes")
        try:
            hash(name)
        except TypeError:
            fail(folder / place, "", f"class_from must return a hashable class. Got {shown(name)}")
        classes.append(name)
    return classes


def _read_tree(file: FilePath) -> Tree:
    item = _parse(read_text(file), file)
    for key in ("nodes", "adj"):
        if not isinstance(item.get(key), list):
            what = "must be an array" if key in item else "is missing"
            fail(file, "", f'"{key}" {what}')
    if not all(isinstance(children, list) for children in item["adj"]):
        fail(file, "", '"adj" must be an array of arrays')
    try:
        nodes = [_hashable(label) for label in item["nodes"]]
        return Tree.from_adjacency(nodes, item["adj"], roots=item.get("roots"))
    except (TypeError, ValueError, OverflowError) as error:
        fail(file, "", str(error))


def _parse(text: str, file: FilePath, lines_before: int = 0) -> dict[str, Any]:
    """Read an object; errors count lines from 1 and positions from 0, as all readers here."""
    try:
        item = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {lines_before + error.lineno}, position {error.colno - 1}"
        fail(file, where, error.msg)
    except RecursionError:
        fail(file, f"line {lines_before + 1}" if lines_before else "", "nested too deeply")
    if not isinstance(item, dict):
        fail(file, f"line {lines_before + 1}, position 0", "expected a JSON object")
    return item


def _hashable(value: Any) -> Any:
    """Return tuples for arrays, so that values can be labels and classes."""
    return tuple(map(_hashable, value)) if isinstance(value, list) else value
