"""What the discriminator of a generative adversarial network sees in an image (Goodfellow et al. 2014), without labels.

Both networks are fully connected and the discriminator drops units, as in that paper; leaking rectifiers stand where it
has maxout. The features are the last hidden layer of the discriminator, before its rectifier.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.networks import dense_layers, descend, import_torch, outputs_of, seeded, shuffled_batches

NOISE_SIZE = 64
GENERATOR_SIZES = (256, 512, 1024)
DISCRIMINATOR_SIZES = (1024, 512)
FEATURE_SIZE = 256
LEAK = 0.2
DROPPED = 0.3
BATCH_SIZE = 128
LEARNING_RATE = 2e-4
# Less memory than Adam's own 0.9: what the opponent did a while ago says little.
BETAS = (0.5, 0.999)


def discriminator_features(
    images: npt.NDArray[Any], n_training: int, epochs: int, seed: int, device: Any
) -> npt.NDArray[np.float32]:
    """Train on the first images, bytes from 0 to 255, and return the features of all."""
    torch = import_torch()
    pixels = torch.as_tensor(images.astype(np.float32), device=device) / 127.5 - 1
    with seeded(seed, device):
        trunk, head = (network.to(device) for network in discriminator(pixels.shape[1]))
        train(trunk, head, generator_of(pixels.shape[1]).to(device), pixels[:n_training], epochs)
    return outputs_of(trunk, pixels)


def discriminator(n_pixels: int) -> tuple[Any, Any]:
    """Image -> features, and features -> the logit of being real."""
    nn = import_torch().nn

    def leak_and_drop() -> list[Any]:
        return [nn.LeakyReLU(LEAK), nn.Dropout(DROPPED)]

    trunk = dense_layers([n_pixels, *DISCRIMINATOR_SIZES, FEATURE_SIZE], leak_and_drop)
    return trunk, nn.Sequential(*leak_and_drop(), nn.Linear(FEATURE_SIZE, 1))


def generator_of(n_pixels: int) -> Any:
    """Noise -> image with pixels from -1 to 1."""
    nn = import_torch().nn
    layers = dense_layers([NOISE_SIZE, *GENERATOR_SIZES, n_pixels], lambda: [nn.LeakyReLU(LEAK)])
    return nn.Sequential(layers, nn.Tanh())


def train(trunk: Any, head: Any, generator: Any, images: Any, epochs: int) -> None:
    """One step of the discriminator, one of the generator, in turns."""
    torch = import_torch()
    judge = torch.nn.Sequential(trunk, head)
    of_judge, of_generator = (
        torch.optim.Adam(network.parameters(), lr=LEARNING_RATE, betas=BETAS) for network in (judge, generator)
    )
    for _ in range(epochs):
        for rows in shuffled_batches(len(images), BATCH_SIZE, images.device):
            with torch.no_grad():
                forged = generator(noise_for(rows))
            descend(of_judge, judged(judge(images[rows]), real=True) + judged(judge(forged), real=False))
            descend(of_generator, judged(judge(generator(noise_for(rows))), real=True))


def noise_for(rows: Any) -> Any:
    """A draw of the generator's input for each row."""
    return import_torch().randn(len(rows), NOISE_SIZE, device=rows.device)


def judged(logits: Any, *, real: bool) -> Any:
    """Cross entropy of verdicts on images that are all real, or all forged."""
    softplus = import_torch().nn.functional.softplus
    return softplus(-logits if real else logits).mean()
