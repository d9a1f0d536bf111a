"""Links from names in code to the reference, and the members that it lists."""

import inspect
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform


class LinkedNames(SphinxPostTransform):
    """Turn `nearest`, `tm.nearest` and `nearest(...)` in a text into links to the reference.

    A name that several modules have is a link only if the text names the module.
    """

    default_priority = 5

    def run(self, **_options: Any) -> None:
        """Visit the code of a page, except in headings, in links and on the reference's pages."""
        if "_generated" in self.env.docname:
            return
        objects = self.env.get_domain("py").objects
        for literal in list(self.document.findall(nodes.literal)):
            if _inside(literal, (nodes.title, nodes.reference, nodes.term)):
                continue
            found = re.fullmatch(
                r"(?:tm\.|treemetric\.)?([A-Za-z_][\w.]*)(\(.*\))?", literal.astext()
            )
            target = found and _target(found[1], objects)
            if not target:
                continue
            entry = objects[target]
            if entry.docname == self.env.docname:
                continue
            link = nodes.reference("", "", internal=True, reftitle=target)
            link["refuri"] = (
                self.app.builder.get_relative_uri(self.env.docname, entry.docname)
                + f"#{entry.node_id}"
            )
            literal.replace_self(link)
            link += literal


def _inside(node: nodes.Node, kinds: tuple[type, ...]) -> bool:
    while node is not None:
        if isinstance(node, kinds):
            return True
        node = node.parent
    return False


def _target(name: str, objects: Any) -> str | None:
    """Return the object that a short name stands for, if there is exactly one."""
    if f"treemetric.{name}" in objects:
        return f"treemetric.{name}"
    found = [full for full in objects if full.endswith(f".{name}")]
    # Methods such as `fit` belong to many classes; classes have a
    # second name, that of the module that defines them.
    functions = [
        full
        for full in found
        if objects[full].objtype in ("function", "class", "exception") and not objects[full].aliased
    ]
    return functions[0] if len(functions) == 1 else None


def skip_members(
    _app: Sphinx, _what: str, name: str, item: Any, _skip: bool, _options: Any
) -> bool | None:
    """Leave out what scikit-learn adds to every estimator."""
    if re.fullmatch("set_[a-z]+_request", name):
        return True
    item = inspect.unwrap(getattr(item, "fget", None) or getattr(item, "__func__", item))
    module = getattr(item, "__module__", None) or "treemetric"
    return True if module.partition(".")[0] != "treemetric" else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Register both."""
    app.add_post_transform(LinkedNames)
    app.connect("autodoc-skip-member", skip_members)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
