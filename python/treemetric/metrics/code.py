"""TSED: the similarity of source code as syntax trees."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np

from treemetric._base.extras import find, need
from treemetric._base.typing import FloatArray, Progress
from treemetric._base.validation import refuse, refuse_unordered, shown
from treemetric.convert import from_ast, from_tree_sitter
from treemetric.convert.text import encoded
from treemetric.costs import OperationCosts
from treemetric.paired import normalized_similarity, paired_distances
from treemetric.tree import Tree

__all__ = ["tsed", "tsed_scores"]

Names = Literal["types", "0.1.0"]
# Deleting, inserting and renaming, as in tsed 0.1.0.
WEIGHTS = (1.0, 0.8, 1.0)
# Words and parentheses of the text of a node of tree-sitter.
_TOKENS = re.compile(r"[()]|[^\s()]+")


def tsed(
    x: Any,
    y: Any,
    *,
    language: Any = None,
    weights: tuple[float, float, float] = WEIGHTS,
    names: Names = "types",
) -> float:
    """Compute the Tree Similarity of Edit Distance (TSED) of two pieces of source code.

    It is ``max(0, 1 - d / max(n, m))`` for the edit distance d of syntax trees of n and m nodes.

    Parameters
    ----------
    x, y : str, bytes, tree_sitter.Node, tree_sitter.Tree, ast.AST or Tree
        The code to compare with and the code to score: source text, or syntax trees.
    language : str, tree_sitter.Language or tree_sitter.Parser, optional
        How source text is parsed; required for text. ``"ast"`` is Python by the module ``ast``,
        which needs no other package and raises ValueError if the code is not valid. Any other
        name, such as ``"java"``, stands for the package of its grammar, ``tree_sitter_java``,
        in lower or upper case and with ``-`` or ``_``.
    weights : three floats, default=(1.0, 0.8, 1.0)
        The costs of deleting a node of x, inserting a node of y, and renaming.
    names : {'types', '0.1.0'}, default='types'
        The labels of nodes of tree-sitter. ``"types"`` are the types of the nodes. ``"0.1.0"`` are
        those of the package tsed 0.1.0, which reads the text ``str(node)``: there a node whose
        children have fields has the name of the last field.

    Returns
    -------
    float
        1 for equal trees, 0 for trees that have little in common.

    See Also
    --------
    tsed_scores : The scores of many pairs, in parallel.

    Notes
    -----
    Nodes without a name in the grammar, such as punctuation, do not count. Scores depend on the
    version of a grammar.

    References
    ----------
    Y. Song et al., "Revisiting Code Similarity Evaluation with Abstract Syntax Tree Edit
    Distance", Annual Meeting of the Association for Computational Linguistics, 2024.

    Examples
    --------
    >>> from treemetric.metrics import tsed
    >>> round(tsed("x = 1", "f(x)", language="ast"), 2)
    0.44
    """
    costs, read = _costs(weights, "tsed"), _reader(language, names, "tsed")
    return normalized_similarity(read(x, "x"), read(y, "y"), costs=costs, norm="max", clip=True)


def tsed_scores(
    X: Iterable[Any],
    Y: Iterable[Any],
    *,
    language: Any = None,
    weights: tuple[float, float, float] = WEIGHTS,
    names: Names = "types",
    n_jobs: int | None = None,
    progress: Progress = None,
) -> FloatArray:
    """Compute the TSED of X[i] and Y[i], for all i.

    Parameters
    ----------
    X, Y : iterable
        Source texts or syntax trees, as in `tsed`; as many in X as in Y.
    language, weights, names
        As in `tsed`.
    n_jobs : int, optional
        Number of threads that compute distances; None means 1, -1 all CPUs that this process may
        use. Text is parsed by one thread. The result does not depend on it.
    progress : callable or bool, optional
        As in `paired_distances`.

    Returns
    -------
    ndarray of shape (n,)
        The scores.

    Examples
    --------
    >>> from treemetric.metrics import tsed_scores
    >>> tsed_scores(["x = 1", "x = 1"], ["y = 2", "f(x)"], language="ast")
    array([1.  , 0.44])
    """
    name = "tsed_scores"
    costs, read = _costs(weights, name), _reader(language, names, name)
    sources = [read(code, f"X[{i}]") for i, code in enumerate(_items(X, "X"))]
    targets = [read(code, f"Y[{i}]") for i, code in enumerate(_items(Y, "Y"))]
    if len(sources) != len(targets):
        refuse("Y", name, f"of the length of X, {len(sources)}", f"length {len(targets)}")
    distances = paired_distances(
        sources, targets, costs=costs, norm="max", n_jobs=n_jobs, progress=progress
    )
    scores: FloatArray = np.maximum(0.0, 1.0 - distances)
    return scores


def _items(codes: Iterable[Any], parameter: str) -> Iterable[Any]:
    must = "a list of texts or trees"
    if isinstance(codes, (str, bytes)):
        refuse(parameter, "tsed_scores", must, "a single text")
    refuse_unordered(codes, parameter, "tsed_scores", must)
    return codes


def _costs(weights: Any, function: str) -> OperationCosts:
    must = "three numbers, none of them negative: delete, insert, rename"
    given = weights.tolist() if isinstance(weights, np.ndarray) else weights
    if not isinstance(given, (tuple, list)) or len(given) != len(WEIGHTS):
        refuse("weights", function, must, shown(weights))
    delete, insert, rename = given
    try:
        return OperationCosts(delete=delete, insert=insert, replace=rename)
    except (TypeError, ValueError):
        refuse("weights", function, must, shown(weights))


def _reader(language: Any, names: Any, function: str) -> Callable[[Any, str], Tree]:
    """Return the function that makes a tree of one piece of code, called by its parameter."""
    if not isinstance(names, str) or names not in ("types", "0.1.0"):
        refuse("names", function, "'types' or '0.1.0'", shown(names))
    parser = None if language is None or language == "ast" else _parser(language, function)

    def read(code: Any, parameter: str) -> Tree:
        try:
            return tree_of(code, parameter)
        except (TypeError, ValueError) as error:
            message = str(error)
            if not message.startswith(parameter):
                message = f"{parameter} of {function}: {message}"
            raise (TypeError if isinstance(error, TypeError) else ValueError)(message) from error

    def tree_of(code: Any, parameter: str) -> Tree:
        if isinstance(code, Tree):
            return code
        if isinstance(code, ast.AST):
            return from_ast(code)
        if isinstance(code, (str, bytes)):
            if language is None:
                message = (
                    f"{parameter} of {function} is source text: pass language=, which is 'ast' for "
                    "Python, the name of a grammar of tree-sitter, or its Language or Parser"
                )
                raise TypeError(message)
            if parser is None:
                return from_ast(_decoded(code) if isinstance(code, bytes) else code)
            code = parser.parse(encoded(code) if isinstance(code, str) else code)
        root = getattr(code, "root_node", code)
        if names == "types" or not hasattr(root, "walk"):
            # What is no node is refused there.
            return from_tree_sitter(code)
        return _tree_of_text(str(root))

    return read


def _decoded(source: bytes) -> str:
    """Return source of Python as text, by its byte order mark or its coding comment."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    except SyntaxError as error:
        message = f"source must be valid Python: {error.msg}"
        raise ValueError(message) from None
    return source.decode(encoding)


def _parser(language: Any, function: str) -> Any:
    """Return a parser of tree-sitter for a name, a language or a parser."""
    library = need("tree_sitter", "tree-sitter", f"language={shown(language)}")
    if isinstance(language, library.Parser):
        return language
    if isinstance(language, library.Language):
        return library.Parser(language)
    if not isinstance(language, str):
        must = "'ast', the name of a grammar, or an instance of Language or Parser of tree_sitter"
        refuse("language", function, must, shown(language))
    # Names as people write them: Python, c-sharp.
    language = language.lower().replace("-", "_")
    package = f"tree_sitter_{language}"
    grammar = find(package) if language.isidentifier() else None
    if grammar is None:
        message = (
            f"language={language!r} of {function} needs the grammar {package}: "
            f"pip install {package.replace('_', '-')}"
        )
        raise ImportError(message)
    # Packages of several dialects have one function for each, such as language_typescript.
    made = getattr(grammar, "language", None) or getattr(grammar, f"language_{language}", None)
    if made is None:
        message = f"the package {package} has no function language; pass its Language or Parser"
        raise ValueError(message)
    return library.Parser(library.Language(made()))


def _tree_of_text(text: str) -> Tree:
    """Read ``str(node)`` as tsed 0.1.0 does: the last word inside a node is its name.

    Words are separated by spaces and parentheses, also inside of quotes. What follows the root is
    below it.
    """
    labels: list[str] = []
    parents: list[int] = []
    path: list[int] = []
    for token in _TOKENS.findall(text):
        if token == "(":
            parents.append(path[-1] if path else -1)
            path.append(len(labels))
            labels.append("")
        elif token == ")":
            if len(path) > 1:
                path.pop()
        elif path:
            labels[path[-1]] = token
    return Tree.from_parents(labels, parents)
