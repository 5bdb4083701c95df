import subprocess
import sys
import textwrap

import numpy as np
import pytest

from slkmodes.engines import make_engine


def run_python(code):
    return subprocess.run(
        [sys.executable, "-W", "always", "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )


def test_numpy_serves_where_the_extension_is_missing_and_says_so_once():
    result = run_python(
        """
        import sys
        sys.modules["slkmodes._kernels"] = None  # as if it had not been built
        import numpy as np
        from slkmodes import LaplacianKModes
        X = np.random.default_rng(0).normal(size=(60, 2))
        for _ in range(2):
            model = LaplacianKModes(2, random_state=0).fit(X)
        print(model.engine_)
        """
    )
    assert result.stdout.split() == ["numpy"]
    assert result.stderr.count("The C++ kernels of slkmodes are not available") == 1


def test_asking_for_the_missing_extension_by_name_is_an_error():
    result = run_python(
        """
        import sys
        sys.modules["slkmodes._kernels"] = None
        import numpy as np
        from slkmodes import LaplacianKModes
        try:
            LaplacianKModes(2, engine="native").fit(np.random.default_rng(0).normal(size=(60, 2)))
        except ImportError as error:
            print(error)
        """
    )
    assert "engine='numpy'" in result.stdout


def test_two_python_threads_may_fit_at_once():
    from concurrent.futures import ThreadPoolExecutor

    from slkmodes import LaplacianKModes

    X = np.random.default_rng(0).normal(size=(3000, 5)).astype(np.float32)

    def fit(_):
        return LaplacianKModes(4, random_state=0, n_jobs=2).fit(X).memberships_

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(fit, range(8)))
    for answer in answers[1:]:
        np.testing.assert_array_equal(answer, answers[0])


def test_kernels_refuse_arrays_of_the_wrong_shape():
    native = pytest.importorskip("slkmodes._kernels", reason="the C++ extension was not built")
    X = np.zeros((5, 2))
    with pytest.raises(ValueError, match="too few columns"):
        native.similarity(X, np.zeros((3, 2)), 1.0, 0.0, np.zeros((5, 2)), 1, 1)
    with pytest.raises(TypeError):
        native.similarity(X, np.zeros((3, 2)), 1.0, 0.0, np.zeros((5, 8), np.float32), 1, 1)


def test_the_numpy_engine_can_be_made_anywhere():
    assert make_engine("numpy", 1).name == "numpy"
