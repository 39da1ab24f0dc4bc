/** A small world that has nothing to do with this repository: prose, code and data about a garden. */
export const GARDEN_FILES: Readonly<Record<string, string>> = {
  "README.md": `# The garden

Notes and programs that keep a garden alive while nobody is at home.

## Contents

- how the watering works
- what grows where
`,
  "notes/tomatoes.md": `# Tomatoes

Tomatoes need six hours of sun. Sow them indoors in March.

## When to harvest

A tomato is ripe when it comes off the stem with a light twist. Green shoulders mean that it
needs three more days.
`,
  "notes/compost.md": `# Compost

Compost turns kitchen scraps into soil. Turn the heap every second week, otherwise it
starts to smell. Meat and bones attract rats and stay out.
`,
  "src/valve_controller.py": `"""Opens and closes the water valves."""

import time


def choose_valve_duration(moisture, forecast):
    """Decides how long a valve stays open, in seconds.

    Dry soil gets four minutes. When rain is forecast the valve stays shut, however dry the
    soil is.
    """
    if forecast == "rain":
        return 0
    return 240 if moisture < 30 else 60
`,
  "src/moisture-sensor.ts": `/** What one sensor reports. */
export interface MoistureReading {
  readonly percent: number;
}

/** Reads the moisture of the soil, the mean of three samples, so that one wet stone does not fool it. */
export function readMoisture(samples: readonly number[]): MoistureReading {
  return { percent: samples.reduce((sum, sample) => sum + sample, 0) / samples.length };
}
`,
  "config/beds.json": `{
  "beds": [{ "name": "north", "plants": ["tomato", "basil"] }]
}
`,
};
