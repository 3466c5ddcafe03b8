# program_particles: a longer program: a method is compiled, and self is an object of a Python class
# expect: TypingError
# tells: 'self' | Particles
import numpy as np

from whipsnake import njit


class Particles:
    """Points in a box that bounce off its walls."""

    def __init__(self, count, seed=0):
        rng = np.random.default_rng(seed)
        self.position = rng.random((count, 2))
        self.velocity = rng.normal(size=(count, 2))

    @njit
    def step(self, dt):
        for i in range(self.position.shape[0]):
            for k in range(2):
                x = self.position[i, k] + dt * self.velocity[i, k]
                if x < 0.0 or x > 1.0:
                    self.velocity[i, k] = -self.velocity[i, k]
                else:
                    self.position[i, k] = x

    def energy(self):
        return 0.5 * float((self.velocity**2).sum())


def main():
    particles = Particles(100)
    for _ in range(10):
        particles.step(0.01)
    return particles.energy()


main()
