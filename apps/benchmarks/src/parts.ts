import type { Measured, RunOptions } from "./harness.ts";
import { measureCache } from "./parts/cache.ts";
import { measureCorrect } from "./parts/correct.ts";
import { measureEvidence } from "./parts/evidence.ts";
import { measureFit } from "./parts/fit.ts";
import { measurePackages } from "./parts/packages.ts";
import { measureReasoning } from "./parts/reasoning.ts";
import { measureSizes } from "./parts/sizes.ts";
import { measureStores } from "./parts/stores.ts";

const PARTS: Readonly<Record<string, (options: RunOptions) => Promise<Measured>>> = {
  correct: measureCorrect,
  reasoning: measureReasoning,
  cache: measureCache,
  evidence: measureEvidence,
  fit: measureFit,
  stores: measureStores,
  sizes: measureSizes,
  packages: measurePackages,
};

/** The parts by the names that `--only` takes. */
export const PART_NAMES: readonly string[] = Object.keys(PARTS);

/** Measures one part. */
export async function measurePart(name: string, options: RunOptions): Promise<Measured> {
  const measure = PARTS[name];
  if (measure === undefined)
    throw new Error(`Expected parts of ${PART_NAMES.join(", ")}, got ${name}.`);
  return measure(options);
}
