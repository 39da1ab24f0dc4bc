import { systemNames } from "../systems/all-systems.ts";
import { fitAll, fitTable } from "./fit.ts";
import type { Measured, MeasureOptions } from "./measured.ts";

/** Measures one call before a model call. */
export async function measureFit({ isQuick, withPeers }: MeasureOptions): Promise<Measured> {
  const names = await systemNames({ withPeers });
  const sizes = isQuick ? [100] : [100, 1000, 10_000, 100_000];
  const often = isQuick ? { repeats: 1, budgetMs: 20 } : { repeats: 5, budgetMs: 1000 };
  const windows = isQuick ? [8000] : [8000, 100_000];
  const rows = windows.map((windowTokens) => fitAll(names, { sizes, windowTokens, ...often }));
  return { tables: rows.map(fitTable) };
}
