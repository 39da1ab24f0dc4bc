import type { HistoryEntry } from "@agent-history/core";

import type { FactKind } from "../fact.ts";
import { readableTexts } from "./readable-texts.ts";
import type { TextOrigin, ReadableText } from "./readable-texts.ts";
import { scanWords } from "./scan-words.ts";
import { sentenceFacts } from "./sentence-facts.ts";

/** All that is known of a fact: what {@link Fact} says, and what it is weighed by. */
export interface FactTally {
  readonly kind: FactKind;
  readonly text: string;
  /** By position in the entries, each once, in order. */
  readonly entries: readonly number[];
  readonly count: number;
  readonly origins: ReadonlySet<TextOrigin>;
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
  readonly origins: Set<TextOrigin>;
}

/** A fact as one text of an entry carries it. */
interface Found {
  readonly kind: FactKind;
  readonly text: string;
  readonly origin: TextOrigin;
  readonly isKey: boolean;
  readonly label?: string;
}

/** Tallies the facts of entries, in the order in which they first come. Linear in what the entries say. */
export function tallyFacts(entries: readonly HistoryEntry[]): readonly FactTally[] {
  const facts = new Map<string, Growing>();
  for (const [position, entry] of entries.entries()) {
    for (const found of factsIn(entry)) addFound(facts, found, position);
  }
  return [...facts.values()].map(({ keys, ...fact }) => ({
    ...fact,
    isKey: keys * 2 > fact.count,
  }));
}

/** What was found in an entry, by its texts then: an entry is read by the summarizer and again by the gate. */
const remembered = new WeakMap<
  HistoryEntry,
  { readonly texts: readonly ReadableText[]; readonly found: readonly Found[] }
>();

function factsIn(entry: HistoryEntry): readonly Found[] {
  const texts = readableTexts(entry);
  const known = remembered.get(entry);
  if (known !== undefined && isSame(known.texts, texts)) return known.found;
  const found = texts.flatMap(factsOfText);
  remembered.set(entry, { texts, found });
  return found;
}

function isSame(some: readonly ReadableText[], others: readonly ReadableText[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ text, origin }, index) => {
      const other = others[index];
      return other?.text === text && other.origin === origin;
    })
  );
}

function factsOfText(readable: ReadableText): readonly Found[] {
  const { origin } = readable;
  const found: Found[] = sentenceFacts(readable).map(({ kind, text }) => {
    return { kind, text, origin, isKey: false };
  });
  scanWords(readable.text, ({ kind, text, isKey, label }) => {
    found.push({ kind, text, origin, isKey, ...(label !== undefined && { label }) });
  });
  return found;
}

function addFound(facts: Map<string, Growing>, one: Found, position: number): void {
  const { kind, text, origin, isKey, label } = one;
  const known = facts.get(text);
  const fact = known ?? { kind, text, entries: [], count: 0, keys: 0, origins: new Set() };
  if (known === undefined) facts.set(text, fact);
  if (fact.entries.at(-1) !== position) fact.entries.push(position);
  fact.origins.add(origin);
  fact.count += 1;
  if (isKey) fact.keys += 1;
  if (label !== undefined) fact.label = label;
}
