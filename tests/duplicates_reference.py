"""Groups of near-duplicates from all distances: a union-find and a greedy cover."""

import numpy as np


def preferred(near, matrix, trees):
    """The tree that is near most trees, then at the smallest sum, then the first."""

    def key(i):
        members = [j for j in trees if j != i and near[j, i]]
        return -len(members), sum(matrix[j, i] for j in members), i

    return min(trees, key=key)


def components_slowly(near, matrix):
    """Union-find on all pairs."""
    parent = list(range(len(near)))

    def find(i):
        while parent[i] != i:
            i = parent[i]
        return i

    for i, j in np.argwhere(near):
        parent[find(i)] = find(j)
    roots = [find(i) for i in range(len(near))]
    chosen = {}
    for root in roots:
        members = [i for i in range(len(near)) if roots[i] == root]
        chosen[root] = preferred(near, matrix, members)
    return [chosen[root] for root in roots]


def cover_slowly(near, matrix):
    """The best of the trees that are left, again and again."""
    chosen = {}
    left = list(range(len(near)))
    while left:
        best = preferred(near, matrix, left)
        chosen |= {j: best for j in left if j == best or near[j, best]}
        left = [j for j in left if j not in chosen]
    return [chosen[i] for i in range(len(near))]


SLOWLY = {"components": components_slowly, "cover": cover_slowly}
