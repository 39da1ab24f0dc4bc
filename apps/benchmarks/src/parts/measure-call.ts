import { callSystems } from "../systems/all-systems.ts";
import { resultsAll, resultsTable } from "./call-results.ts";
import { brokenCalls, callTable, measureCalls } from "./call.ts";
import { brokenGrowing, growingAll, growingTable } from "./growing.ts";
import type { Measured, MeasureOptions } from "./measured.ts";

/** Measures whole calls, messages in and messages out. */
export async function measureCall({ isQuick, withPeers, data }: MeasureOptions): Promise<Measured> {
  const systems = await callSystems({ withPeers });
  const sizes = isQuick ? [100] : [1000, 10_000, 100_000];
  const size = { sizes, repeats: isQuick ? 2 : 15, windowTokens: 8000 };
  const rows = await measureCalls(systems, size);
  const results = await resultsAll(systems, {
    messages: isQuick ? 40 : 1000,
    repeats: isQuick ? 2 : 10,
    windowTokens: 8000,
    ...(data !== undefined && { data }),
  });
  const growth = { turns: isQuick ? 50 : 1000, repeats: isQuick ? 2 : 5, windowTokens: 8000 };
  const growing = await growingAll(systems, growth);
  return {
    tables: [callTable(rows), resultsTable(results), growingTable(growing)],
    broken: isQuick ? [] : [...brokenCalls(rows), ...brokenGrowing(growing)],
  };
}
