"""The service of examples/service with a model of LightGBM behind it."""

import lightgbm
import numpy as np
import service


class Predictor:
    """A booster of two classes, 0 and 1, as the service uses it."""

    classes = (0, 1)

    def __init__(self, path):
        self._booster = lightgbm.Booster(model_file=str(path))
        self.columns = self._booster.feature_name()
        self.levels = {}

    def predict(self, rows):
        second = self._booster.predict(np.array(rows, dtype=np.float64), num_threads=1)
        return (second > 0.5).astype(int).tolist(), np.column_stack([1 - second, second]).tolist()


def create_app():
    return service.create_app(load=Predictor)
