"""Reports about collections of trees: one page with sizes, labels, duplicates, clusters and pairs.

=====================  ================================================================
`report_html`          a page about a collection of trees
=====================  ================================================================

The command ``treemetric report trees.jsonl -o report.html`` writes the same page.
"""

from treemetric.report.page import report_html

__all__ = ["report_html"]
