"""``python -m slkmodes.experiments.features NAME``: compute features and store them where ``load`` finds them."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from slkmodes.datasets import cache_folder, prepare
from slkmodes.experiments.features import RECIPES, Recipe, write_features
from slkmodes.networks import choose_device, import_torch


def main(arguments: list[str] | None = None) -> None:
    """Load, compute, store, and print where and with which checksum."""
    parser = argparse.ArgumentParser(prog="python -m slkmodes.experiments.features", description=__doc__)
    parser.add_argument("name", choices=list(RECIPES))
    parser.add_argument("--device", help="cpu or cuda; a GPU where there is one if not given")
    parser.add_argument("--seed", type=int, help="of everything random; 0 if not given")
    parser.add_argument("--epochs", type=int, help="how often a network sees the data")
    parser.add_argument("--output", type=Path, help="folder for NAME.npz; the cache of data sets if not given")
    chosen = parser.parse_args(arguments)
    name: str = chosen.name
    recipe = RECIPES[name]
    given = {option for option in ("device", "seed", "epochs") if getattr(chosen, option) is not None}
    if recipe.epochs is None and given:
        parser.error(f"nothing is trained for {name}: leave out {', '.join(f'--{option}' for option in sorted(given))}")
    if chosen.epochs is not None and chosen.epochs < 1:
        parser.error(f"--epochs must be at least 1, got {chosen.epochs}")

    settings, facts = training_of(recipe, chosen) if recipe.epochs is not None else ({}, {})
    X, y = prepare(recipe.base, "as_it_is")
    start = time.perf_counter()
    features = recipe.make(X, **settings)
    seconds = time.perf_counter() - start
    path = (chosen.output or cache_folder()) / f"{name}.npz"
    checksum = write_features(path, features, y, seconds=seconds, **facts)
    print(f"{path}: {features.shape[0]:,} x {features.shape[1]:,} in {seconds:.1f} s\nsha256 {checksum}")


def training_of(recipe: Recipe, chosen: argparse.Namespace) -> tuple[dict[str, Any], dict[str, Any]]:
    """How the network is trained, and what of that is worth storing."""
    seed, epochs = chosen.seed or 0, chosen.epochs or recipe.epochs
    device = choose_device("features", chosen.device or "auto")
    settings = {"epochs": epochs, "seed": seed, "device": device}
    return settings, {**settings, "device": str(device), "torch_version": import_torch().__version__}


if __name__ == "__main__":
    main()
