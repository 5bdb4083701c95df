"""Six points on a line, two clusters, every number worked out on paper.

Points 0, 1, 2 and 10, 11, 12; edges between neighbours one apart; k(x, y) = 2^(-d^2), so that across the gap it
is below 2^-64 and counts as 0; weight 1. Seeds 0 and 10 give the clusters {0, 1, 2} and {10, 11, 12}; their
densest points are 1 and 11 (1/2 + 1 + 1/2 = 2, against 1 + 1/2 + 1/16 at the ends), hence the starting modes.

By symmetry two numbers describe Z: u, the membership of an end point in its own cluster, and v, that of a
middle point. With s(t) = 1 / (1 + e^-t):

    start    u = s(1/2) = 0.622459             v = s(1) = 0.731059
    sweep 1  u = s(1/2 + (2v - 1)) = 0.723545  v = s(1 + 2(2u - 1)) = 0.816054
    sweep 2  u = 0.756228                      v = 0.869232
    sweep 3  u = 0.775296                      v = 0.883388
    sweep 4  u = 0.780190                      v = 0.891018
    sweep 5  u = 0.782796                      v = 0.892905
    sweep 6  u = 0.783437                      v = 0.893897

    R = 2 (2 h(u) + h(v)) - 2 (u + v) - 4 (uv + (1-u)(1-v)),  h(z) = z log z + (1-z) log(1-z)
      = -8.749194, -8.957361, -9.005024, -9.013159, -9.014324, -9.014480 before sweeps 1 to 6.

The last three changes are below 0.001 of R: with tol = 1e-3 the sixth sweep is the last. The largest memberships
are those of the middle points, so the modes stay and one outer iteration is all. E = -(1/2 + 1 + 1/2) * 2 + 0 cut = -4.
"""

import numpy as np
import pytest

from slkmodes.mode_kernels import Modes
from slkmodes.problem import Method
from slkmodes.seeding import Seeds
from slkmodes.solution import Status
from slkmodes.solver import solve
from tests.examples import six_points

U, V = 0.7834370553217406, 0.8938974603985356
R_BEFORE_SWEEPS = (
    -8.749193543816725,
    -8.957361446449688,
    -9.005024336915817,
    -9.013159193981165,
    -9.014323528540592,
    -9.014479530707003,
)
R_FINAL = -9.014499818602982


@pytest.fixture(params=[np.float32, np.float64])
def dtype(request):
    return request.param


def run(engine, dtype, mode_update, **options):
    problem = six_points(dtype)
    seeds = Seeds(problem.kernel.modes_at(np.array([0, 3])))
    return solve(problem, Method(mode_update=mode_update, tol=1e-3, **options), engine, seeds, np.random.default_rng(0))


@pytest.mark.parametrize("mode_update", ["argmax", "density"])
def test_row_modes(engine, dtype, mode_update):
    solution = run(engine, dtype, mode_update)
    close = 1e-5 if dtype == np.float32 else 1e-12
    assert solution.status is Status.CONVERGED
    assert solution.labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert solution.modes.rows.tolist() == [1, 4]
    assert solution.memberships.dtype == dtype
    np.testing.assert_allclose(solution.memberships[:, 0], [U, V, U, 1 - U, 1 - V, 1 - U], rtol=close)
    assert len(solution.history) == 1
    np.testing.assert_allclose(solution.history[0].relaxed_objectives, R_BEFORE_SWEEPS, rtol=close)
    np.testing.assert_allclose(solution.relaxed_objective, R_FINAL, rtol=close)
    np.testing.assert_allclose(solution.discrete_objective, -4.0, rtol=close)


def test_mean_shift_climbs_from_the_seeds_to_the_middle_points(engine, dtype):
    solution = run(engine, dtype, "mean_shift")
    # The first update carries the modes from the seeds 0 and 10 most of the way; the last finds them at rest.
    assert solution.status is Status.CONVERGED
    np.testing.assert_allclose(solution.history[0].mode_shifts, [1, 1], rtol=0.2)
    assert np.all(solution.history[-1].mode_shifts <= 1e-3)
    np.testing.assert_allclose(solution.modes.points, [[1.0], [11.0]], atol=1e-3)
    assert solution.labels.tolist() == [0, 0, 0, 1, 1, 1]


def test_one_sweep_by_hand(engine, dtype):
    problem = six_points(dtype)
    placed = engine.place(problem)
    similarity = engine.similarity(placed, problem.kernel.modes_at(np.array([1, 4])))
    Z0 = engine.start(placed, similarity)
    np.testing.assert_allclose(engine.fetch(Z0)[:2, 0], [0.6224593312018546, 0.7310585786300049], rtol=1e-6)
    Z1, R0 = engine.sweep(placed, similarity, Z0)
    np.testing.assert_allclose(engine.fetch(Z1)[:2, 0], [0.7235454949773021, 0.8160538546691694], rtol=1e-6)
    assert pytest.approx(R_BEFORE_SWEEPS[0], rel=1e-6) == R0


def test_seeds_given_as_points_start_from_the_nearest_clusters_density(engine, dtype):
    problem = six_points(dtype)
    seeds = Seeds(Modes(rows=np.array([-1, -1]), points=np.array([[-3.0], [20.0]], dtype=dtype)))
    solution = solve(problem, Method(tol=1e-3), engine, seeds, np.random.default_rng(0))
    assert solution.modes.rows.tolist() == [1, 4]
