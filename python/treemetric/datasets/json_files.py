"""Trees from JSON Lines, and from folders with one JSON file per tree."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path as FilePath
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from sklearn.utils import Bunch

from treemetric._base.typing import Path
from treemetric._base.validation import refuse, shown
from treemetric.datasets._common import loaded
from treemetric.datasets._text import check_path, fail, read_text
from treemetric.tree import Tree
from treemetric.treeset import TreeSet

ClassFrom: TypeAlias = str | re.Pattern[str] | Callable[[PurePosixPath], Any] | None


def load_jsonl(path: Path, *, target: str = "label", fields: Sequence[str] = ()) -> Bunch:
    """Load trees and their classes from a JSON Lines file.

    Each line is an object with ``nodes`` and ``adj`` (and ``roots`` for a forest), or
    with ``bracket``, as `TreeSet.from_jsonl` reads and `TreeSet.to_jsonl` writes them.

    Parameters
    ----------
    path : str or path
        The file.
    target : str, default="label"
        Name of the field that holds the class.
    fields : sequence of str, default=()
        Names of more fields to load, such as a split into training and test data.

    Returns
    -------
    sklearn.utils.Bunch
        Dictionary-like object with the attributes

        data : TreeSet
            The trees in the order of the file. `data.ids` are the values of the field
            ``id`` if there are any, `data.classes` those of the field `target`.
        target : ndarray of shape (n_samples,), dtype int64, or None
            Index of each tree's class in `target_names`; None if no tree has a class.
        target_names : list
            The classes in order, as they are in the file.
        names : list of str
            The ids as text; the numbers of the lines if there are none.
        fields : dict of str to list
            The values of the other `fields`, None where a line has none.
        DESCR : str
            Where the data is from.

    Raises
    ------
    ValueError
        If a line is not of that form, or if some trees have a class and others none;
        the message gives the file and the line.

    See Also
    --------
    load_json_folder : A file for each tree.

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
    # Line breaks as the reader counts them, which are not those of str.splitlines.
    lines = read_text(file).split("\n")
    numbers = [number for number, line in enumerate(lines, 1) if line.strip(" \t\r\f")]
    try:
        data = TreeSet.from_jsonl(file)
    except ValueError as error:
        # The reader begins its messages with the line.
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
    bunch = loaded(data, names, f"{file.name}: {len(data)} trees from JSON Lines.\n")
    bunch.fields = {field: values[field] for field in fields}
    return bunch


def _check_classes(classes: Sequence[Any], numbers: list[int], file: FilePath, target: str) -> None:
    """Refuse trees without a class among trees with one, and classes that are objects."""
    for name, number in zip(classes, numbers, strict=True):
        if name is None:
            fail(file, f"line {number}", f'there is no "{target}", but other lines have one')
        try:
            hash(name)
        except TypeError:
            fail(file, f"line {number}", f'"{target}" is no class: {shown(name)}')


def load_json_folder(path: Path, *, class_from: ClassFrom = "auto") -> Bunch:
    """Load trees from a folder with one JSON file for each.

    A file holds an object with the labels ``nodes`` and the children ``adj`` of each
    node, as `Tree.from_adjacency` takes them (and ``roots`` for a forest). Several
    published data sets come this way, with the class in the names of the files.

    Parameters
    ----------
    path : str or path
        The folder. Files that end in ``.json`` are taken, also from folders inside it,
        hidden ones left out.
    class_from : {"auto", "folder", "name"}, pattern, callable or None, default="auto"
        What gives the class of a tree.

        - "folder": the folder inside `path` that the file is in;
        - "name": the name of the file up to the first underscore;
        - "auto": "folder" if all files are in folders inside `path`, else "name";
        - a pattern made by `re.compile`: what it finds first in the name of the file
          without ``.json``, or what its first group finds if it has groups;
        - a callable: it gets the path of the file inside the folder as a
          `pathlib.PurePosixPath` and returns the class;
        - None: there are no classes.

    Returns
    -------
    sklearn.utils.Bunch
        Dictionary-like object with the attributes

        data : TreeSet
            The trees, ordered by name. `data.ids` are the names, `data.classes` the
            classes.
        target : ndarray of shape (n_samples,), dtype int64, or None
            Index of each tree's class in `target_names`; None if there are no classes.
        target_names : list
            The classes in order.
        names : list of str
            Names of the files inside the folder, without ``.json``.
        DESCR : str
            Where the data is from.

    Raises
    ------
    ValueError
        If there is no such file, or a file is not of that form or has no class; the
        message names it.
    NotADirectoryError
        If `path` is no folder.

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
        must = "'auto', 'folder', 'name', a pattern made by re.compile, a callable or None"
        refuse("class_from", "load_json_folder", must, shown(class_from))
    if not folder.is_dir():
        message = f"{folder} is not a folder"
        raise NotADirectoryError(message)
    places = sorted(
        PurePosixPath(file.relative_to(folder).as_posix()) for file in folder.rglob("*.json")
    )
    places = [place for place in places if not any(part[0] == "." for part in place.parts)]
    if not places:
        fail(folder, "", "there is no file in it whose name ends in .json")

    classes = _classes(places, class_from, folder)
    trees = [_read_tree(folder / place) for place in places]
    names = [str(place.with_suffix("")) for place in places]
    data = TreeSet(trees, ids=names, classes=classes)
    return loaded(data, names, f"{folder.name}: {len(data)} trees from a folder of JSON files.\n")


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
            missed = f"the pattern {class_from.pattern!r} does not find a class in its name"
        elif class_from == "folder":
            name = str(place.parent) if len(place.parts) > 1 else None
            missed = "it is in no folder that could be its class"
        else:
            name = place.stem.partition("_")[0] if "_" in place.stem else None
            missed = "its name has no underscore that could end a class"
        if name is None:
            fail(folder / place, "", f"{missed}; pass another class_from, or None for no classes")
        try:
            hash(name)
        except TypeError:
            fail(folder / place, "", f"class_from returned what is no class: {shown(name)}")
        classes.append(name)
    return classes


def _read_tree(file: FilePath) -> Tree:
    item = _parse(read_text(file), file)
    for key in ("nodes", "adj"):
        if not isinstance(item.get(key), list):
            what = "is no array" if key in item else "is missing"
            fail(file, "", f'"{key}" {what}')
    if not all(isinstance(children, list) for children in item["adj"]):
        fail(file, "", '"adj" has to be an array of arrays')
    try:
        nodes = [_hashable(label) for label in item["nodes"]]
        return Tree.from_adjacency(nodes, item["adj"], roots=item.get("roots"))
    except (TypeError, ValueError, OverflowError) as error:
        fail(file, "", str(error))


def _parse(text: str, file: FilePath, lines_before: int = 0) -> dict[str, Any]:
    """Read an object; errors count lines from 1 and positions from 0, as readers do here."""
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
    """Give tuples for arrays, so that values can be labels and classes."""
    return tuple(map(_hashable, value)) if isinstance(value, list) else value
