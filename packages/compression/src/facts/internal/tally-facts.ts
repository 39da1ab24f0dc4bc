import type { HistoryEntry } from "@agent-history/core";

import type { FactKind } from "../fact.ts";
import { readableTexts } from "./readable-texts.ts";
import type { Place, ReadableText } from "./readable-texts.ts";
import { scanWords } from "./scan-words.ts";
import { sentenceFacts } from "./sentence-facts.ts";

/** All that is known of a fact: what {@link Fact} says, and what it is weighed by. */
export interface FactTally {
  readonly kind: FactKind;
  readonly text: string;
  /** By position in the entries, each once, in order. */
  readonly entries: readonly number[];
  readonly count: number;
  readonly places: ReadonlySet<Place>;
  /** It names values in JSON more often than it stands alone. */
  readonly isKey: boolean;
  /** The key that it last stood under in JSON. */
  readonly label?: string;
}

interface Growing {
  readonly kind: FactKind;
  readonly text: string;
  readonly entries: number[];
  count: number;
  keys: number;
  label?: string;
  readonly places: Set<Place>;
}

/** Tallies the facts of entries, in the order in which they first come. Linear in what the entries say. */
export function tallyFacts(entries: readonly HistoryEntry[]): readonly FactTally[] {
  const facts = new Map<string, Growing>();
  for (const [position, entry] of entries.entries()) {
    for (const readable of readableTexts(entry)) tallyText(facts, readable, position);
  }
  return [...facts.values()].map(({ keys, ...fact }) => ({
    ...fact,
    isKey: keys * 2 > fact.count,
  }));
}

function tallyText(facts: Map<string, Growing>, readable: ReadableText, position: number): void {
  const add = (kind: FactKind, text: string, isKey = false, label?: string): void => {
    const known = facts.get(text);
    const fact = known ?? { kind, text, entries: [], count: 0, keys: 0, places: new Set() };
    if (known === undefined) facts.set(text, fact);
    if (fact.entries.at(-1) !== position) fact.entries.push(position);
    fact.places.add(readable.place);
    fact.count += 1;
    if (isKey) fact.keys += 1;
    if (label !== undefined) fact.label = label;
  };
  for (const { kind, text } of sentenceFacts(readable)) add(kind, text);
  scanWords(readable.text, ({ kind, text, isKey, label }) => add(kind, text, isKey, label));
}
