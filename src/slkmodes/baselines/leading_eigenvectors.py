"""The leading eigenvectors of a large sparse matrix, by subspace iteration with Chebyshev filters."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.polynomial.chebyshev import chebinterpolate
from scipy.special import eval_chebyt

from slkmodes.engines.protocol import Engine

Array = npt.NDArray[Any]

# Matrices with fewer rows than this, or than this many times the columns iterated, are small enough for LAPACK.
DENSE_ROWS = 256
DENSE_COLUMNS = 4
# Columns beyond the wanted ones, at least: the wanted ones converge by what sets them apart from the last of these.
EXTRA_COLUMNS = 4
VECTOR_WIDTH = 8
# Degrees of the filters, and how much more than the last wanted vector the first may grow in one of them.
FIRST_DEGREE, LEAST_DEGREE, MOST_DEGREE = 20, 10, 200
MOST_SPREAD = 1e8
SLOWEST_RATE = 1e-9  # to divide by


class Eigenpairs(NamedTuple):
    """Eigenvalues from the largest down, orthonormal eigenvectors, and the largest ``|M v - value v|``."""

    values: npt.NDArray[np.float64]
    vectors: npt.NDArray[np.float64]
    residual: float


def leading_eigenvectors(
    engine: Engine, matrix: Any, n_vectors: int, tol: float, max_rounds: int, rng: np.random.Generator
) -> Eigenpairs:
    """Eigenvectors of the largest eigenvalues of a symmetric CSR matrix with spectrum in [-1, 1], to a residual of tol.

    A block of columns goes through polynomials in the matrix, each made from what the block has found so far. Unlike
    Lanczos, which sees one vector of every eigenspace, the block finds repeated eigenvalues as easily as others.
    """
    n_rows = matrix.shape[0]
    width = -(-(n_vectors + EXTRA_COLUMNS) // VECTOR_WIDTH) * VECTOR_WIDTH
    if n_rows <= max(DENSE_ROWS, DENSE_COLUMNS * width):
        return dense_eigenvectors(matrix.toarray(), n_vectors)
    columns = rng.standard_normal((n_rows, width))
    coefficients = filter_coefficients(0.0, FIRST_DEGREE)
    for _ in range(max_rounds):
        columns = engine.chebyshev(matrix, columns, coefficients)
        values, columns, residual = rayleigh_ritz(engine, matrix, columns, n_vectors)
        if residual <= tol:
            break
        coefficients = filter_coefficients(*next_filter(values, n_vectors, residual / tol))
    return Eigenpairs(values[:n_vectors], columns[:, :n_vectors], residual)


def dense_eigenvectors(matrix: Array, n_vectors: int) -> Eigenpairs:
    """All of them, by LAPACK."""
    values, vectors = np.linalg.eigh(matrix)
    values, vectors = values[::-1][:n_vectors], vectors[:, ::-1][:, :n_vectors]
    return Eigenpairs(values, vectors, largest_residual(matrix @ vectors, vectors, values))


def rayleigh_ritz(engine: Engine, matrix: Any, columns: Array, n_vectors: int) -> Eigenpairs:
    """The best approximations in the span of the columns, one for each; the residual is that of the wanted ones."""
    basis = np.linalg.qr(columns)[0]
    image = engine.chebyshev(matrix, basis, np.array([0.0, 1.0]))
    values, turn = np.linalg.eigh(basis.T @ image)
    values, turn = values[::-1], turn[:, ::-1]
    columns = basis @ turn
    wanted = slice(n_vectors)
    residual = largest_residual(image @ turn[:, wanted], columns[:, wanted], values[wanted])
    return Eigenpairs(values, columns, residual)


def largest_residual(images: Array, vectors: Array, values: Array) -> float:
    """``max |M v - value v|``."""
    return float(np.linalg.norm(images - vectors * values, axis=0).max())


def next_filter(values: Array, n_vectors: int, excess: float) -> tuple[float, int]:
    """Where the next filter begins to grow, and its degree: what is needed to lower the residual by ``excess``.

    Less where the first vector would grow so much more than the last wanted one that this would be lost in rounding.
    """
    edge = float(np.clip(values[-1], -0.5, 1.0))
    rates = np.arccosh(np.maximum(stretch(values[[0, n_vectors - 1]], edge), 1.0))  # growth is exp(degree * rate)
    needed = np.log(10 * excess) / max(rates[1], SLOWEST_RATE)
    bearable = np.log(MOST_SPREAD) / max(rates[0] - rates[1], SLOWEST_RATE)
    return edge, int(np.clip(min(needed, bearable), LEAST_DEGREE, MOST_DEGREE))


def filter_coefficients(edge: float, degree: int) -> Array:
    """Chebyshev series of the polynomial that is 1 at 1 and, of all of its degree, the smallest on [-1, edge]."""
    top = eval_chebyt(degree, stretch(1.0, edge))
    return chebinterpolate(lambda x: eval_chebyt(degree, stretch(x, edge)) / top, degree)


def stretch(x: Any, edge: float) -> Any:
    """The linear map from [-1, edge] to [-1, 1]."""
    return (2 * x + 1 - edge) / (1 + edge)
