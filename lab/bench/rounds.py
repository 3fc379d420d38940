"""Compared programs run by turns, round after round, so that other work of the machine falls
on all alike; and what comes of it: figures with a median, a spread and a goal."""

import statistics
from dataclasses import dataclass


def rounds(count, runs):
    """runs: name → function that returns a sample. {name: [a sample a round]}; every other round goes
    the other way round."""
    samples = {name: [] for name in runs}
    for number in range(count):
        names = list(runs) if number % 2 == 0 else list(reversed(runs))
        for name in names:
            samples[name].append(runs[name]())
    return samples


def by_round(samples, *names):
    """Tuples of the samples of one round, in the order of the names."""
    return list(zip(*(samples[name] for name in names)))


@dataclass
class Figure:
    """values: one a round. goal: what the median must reach, "≤" or "≥" with a number, or None.
    note: what the figure is made of."""

    what: str
    values: list
    goal: tuple = None
    unit: str = ""
    note: str = ""
    part: str = ""

    @property
    def median(self):
        return statistics.median(self.values)

    @property
    def spread(self):
        return min(self.values), max(self.values)

    @property
    def reached(self):
        """None without a goal."""
        if self.goal is None:
            return None
        sign, bound = self.goal
        return self.median <= bound if sign == "≤" else self.median >= bound


def at_most(bound):
    return "≤", bound


def at_least(bound):
    return "≥", bound


def median_of(samples, name):
    return statistics.median(sample[name] for sample in samples)
