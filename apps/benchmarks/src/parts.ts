import type { Measured, RunOptions } from "./harness.ts";
import { measureCache } from "./parts/cache.ts";
import { measureCold } from "./parts/cold.ts";
import { measureCorrect } from "./parts/correct.ts";
import { measureEvidence } from "./parts/evidence.ts";
import { measureFit } from "./parts/fit.ts";
import { measureManager } from "./parts/manager.ts";
import { measurePackages } from "./parts/packages.ts";
import { measureReasoning } from "./parts/reasoning.ts";
import { measureSizes } from "./parts/sizes.ts";
import { measureStores } from "./parts/stores.ts";
import { startPart } from "./report.ts";
import type { PartResult } from "./report.ts";

const PARTS: Readonly<Record<string, (options: RunOptions) => Promise<Measured>>> = {
  correct: measureCorrect,
  reasoning: measureReasoning,
  cache: measureCache,
  evidence: measureEvidence,
  fit: measureFit,
  manager: measureManager,
  stores: measureStores,
  cold: measureCold,
  sizes: measureSizes,
  packages: measurePackages,
};

/** Measured only where named, or with `--check`: the packages' own benches. */
export const ON_REQUEST: ReadonlySet<string> = new Set(["packages"]);

/** The parts by the names that `--only` takes. */
export const PART_NAMES: readonly string[] = Object.keys(PARTS);

/** Measures the parts asked for, one after the other, hands each on when it is done, and returns the promises that were broken. */
export async function measureParts(
  names: readonly string[],
  options: RunOptions & { readonly onPart: (name: string, result: PartResult) => void },
): Promise<readonly string[]> {
  const unknown = names.find((name) => !PART_NAMES.includes(name));
  if (unknown !== undefined) {
    throw new Error(`Expected parts of ${PART_NAMES.join(", ")}, got ${unknown}.`);
  }
  const broken: string[] = [];
  for (const name of names) {
    const data = options.data !== undefined && name === "evidence" ? " --data FOLDER" : "";
    const finish = startPart(`npx -y pnpm@12 bench --only ${name}${data}`, options.withPeers);
    const measured = await PARTS[name]?.(options);
    options.onPart(name, finish(measured?.tables ?? []));
    broken.push(...(measured?.broken ?? []));
  }
  return broken;
}
