import type { HistoryEntry } from "@agent-history/core";

import type { Fact } from "./fact.ts";
import { tallyFacts } from "./internal/tally-facts.ts";
import { toFact } from "./internal/to-fact.ts";

/**
 * Collects the facts of entries, each once, in the order in which they first come: paths and file names, URLs, e-mail
 * addresses, dates, identifiers, numbers of two digits or more or with a unit, commands, decisions, questions, errors. Linear.
 *
 * Read are texts, names and arguments of calls, results and their sources; never reasoning or opaque parts. Words longer
 * than 200 characters and sentences longer than 400 are no facts.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { collectFacts } from "@agent-history/compression";
 *
 * const facts = collectFacts([userMessage({ content: "Order A17 of 2026-05-02 goes to ann@example.com." })]);
 * facts.map(({ kind, text }) => `${kind} ${text}`);
 * // => ["identifier A17", "date 2026-05-02", "email ann@example.com"]
 * ```
 */
export function collectFacts(entries: readonly HistoryEntry[]): readonly Fact[] {
  return tallyFacts(entries).map(toFact(entries));
}
