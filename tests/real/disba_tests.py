"""disba's tests need a module that its sdist leaves out. Instead: its public functions on a model
of the earth's crust, compiled here, and in plain Python in another process."""

import os
import pickle
import subprocess
import sys

import disba
import numpy as np
import pytest

# thickness in km, velocities of P and S waves in km/s, density in g/cm3
CRUST = np.array([[2.0, 4.0, 2.2, 2.3], [8.0, 5.6, 3.2, 2.6], [12.0, 6.2, 3.5, 2.8],
                  [14.0, 6.9, 3.9, 2.9], [0.0, 8.0, 4.5, 3.3]]).T
PERIODS = np.array([4.0, 9.0, 20.0])


def dispersion(kind, algorithm, wave, mode):
    curve = getattr(disba, kind)(*CRUST, algorithm=algorithm, dc=0.02)
    return curve(PERIODS, mode=mode, wave=wave).velocity


def sensitivity(kind, parameter):
    return getattr(disba, kind)(*CRUST)(9.0, parameter=parameter).kernel


def eigen(wave):
    found = disba.EigenFunction(*CRUST)(9.0, mode=0, wave=wave)
    return [np.asarray(field) for field in found[:-3]]


def other(name):
    if name == "ellipticity":
        return disba.Ellipticity(*CRUST)(PERIODS).ellipticity
    return disba.resample(CRUST[0], CRUST[1:].T, 2.5)


CASES = {f"{kind}-{algorithm}-{wave}-{mode}": (dispersion, kind, algorithm, wave, mode)
         for kind in ("PhaseDispersion", "GroupDispersion")
         for algorithm in ("dunkin", "fast-delta")
         for wave in ("rayleigh", "love") for mode in (0, 1)}
CASES |= {f"{kind}-{parameter}": (sensitivity, kind, parameter)
          for kind in ("PhaseSensitivity", "GroupSensitivity", "EllipticitySensitivity")
          for parameter in ("thickness", "velocity_s")}
CASES |= {f"eigen-{wave}": (eigen, wave) for wave in ("rayleigh", "love")}
CASES |= {name: (other, name) for name in ("ellipticity", "resample")}


def run(name):
    function, *args = CASES[name]
    return function(*args)


@pytest.fixture(scope="session")
def plain():
    """The results of all cases without compiling."""
    return pickle.loads(subprocess.run(
        [sys.executable, "-m", "whipsnake", __file__], check=True, capture_output=True,
        env=dict(os.environ, WHIPSNAKE_DISABLE_JIT="1")).stdout)


@pytest.mark.parametrize("name", CASES)
def test_compiled_as_plain(name, plain):
    got, want = run(name), plain[name]
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-9)


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("agg")
    sys.stdout.buffer.write(pickle.dumps({name: run(name) for name in CASES}))
