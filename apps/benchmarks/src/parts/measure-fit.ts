import { systemNames } from "../systems/all-systems.ts";
import { fitAims, fitAimsTable } from "./fit-aims.ts";
import { fitAll, fitTable } from "./fit.ts";
import type { Measured, MeasureOptions } from "./measured.ts";
import { brokenTokenized, tokenizedAll, tokenizedTable } from "./tokenized.ts";

/** Measures one call before a model call, and how much text a stateless one tokenizes. */
export async function measureFit({ isQuick, withPeers, data }: MeasureOptions): Promise<Measured> {
  const names = await systemNames({ withPeers });
  const sizes = isQuick ? [100] : [100, 1000, 10_000, 100_000];
  const often = isQuick ? { repeats: 1, budgetMs: 20 } : { repeats: 5, budgetMs: 1000 };
  const windows = isQuick ? [8000] : [8000, 100_000];
  const rows = windows.map((windowTokens) => fitAll(names, { sizes, windowTokens, ...often }));
  const aims = fitAims(rows[0] ?? []);
  const texts = isQuick
    ? { messages: 20, windows: [2000, 8000] }
    : { messages: 1000, windows: [8000, 32_000, 100_000], ...(data !== undefined && { data }) };
  const tokenized = tokenizedAll(texts);
  return {
    tables: [
      ...rows.map(fitTable),
      ...(aims.length > 0 ? [fitAimsTable(aims)] : []),
      tokenizedTable(tokenized),
    ],
    broken: [
      ...aims.flatMap(({ aim, isMet, incremental }) =>
        isMet ? [] : [`Aimed at, ${aim}; measured: ${incremental.toFixed(1)} times.`],
      ),
      ...brokenTokenized(tokenized),
    ],
  };
}
