"""Ten numbers per image or document: the autoencoder of DEC, VaDE and SpectralNet, trained without labels.

DEC (Xie, Girshick and Farhadi 2016) trains layer by layer before it trains the whole; VaDE (Jiang et al. 2017), whose
trained network the paper takes, does the same. With Adam and a falling step the whole network trains from the start.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.networks import Training, dense_layers, import_torch, minimize, outputs_of, seeded

HIDDEN_SIZES = (500, 500, 2000)
CODE_SIZE = 10
BATCH_SIZE = 256
LEARNING_RATE = 1e-3
# Part of the inputs that is blanked before the network has to restore them.
BLANKED = 0.2


def autoencoder_codes(X: npt.NDArray[Any], epochs: int, seed: int, device: Any) -> npt.NDArray[np.float32]:
    """Train an autoencoder on the rows of X and return their codes."""
    torch = import_torch()
    functional = torch.nn.functional
    values = torch.as_tensor(X.astype(np.float32), device=device)
    values /= values.square().mean().sqrt()  # DEC's scale: one step size serves pixels and word weights
    with seeded(seed, device):
        encoder = dense_layers([X.shape[1], *HIDDEN_SIZES, CODE_SIZE]).to(device)
        decoder = dense_layers([CODE_SIZE, *reversed(HIDDEN_SIZES), X.shape[1]]).to(device)
        autoencoder = torch.nn.Sequential(encoder, decoder)

        def restoration_error(rows: Any) -> Any:
            blanked = functional.dropout(values[rows], BLANKED)
            return functional.mse_loss(autoencoder(blanked), values[rows])

        minimize(restoration_error, autoencoder, len(X), device, Training(epochs, BATCH_SIZE, LEARNING_RATE))
    return outputs_of(encoder, values)
