import { MAX_OPERATIONS, messageOfFact, replacementsIn } from "@agent-history/store-kit/indexed";
import type { PreparedBatch, ReplacedEntry, SuffixChange } from "@agent-history/store-kit/indexed";

import { REPLACE } from "../lua/replace.ts";
import { encodeField } from "./encode-key-part.ts";
import type { FoundThread } from "./look-up-thread.ts";
import { encodeReplaced, replacedField } from "./replaced-fields.ts";
import { lineOf, packRows, rowOf } from "./row-text.ts";
import { MESSAGE_MARK, shortValue } from "./short-thread.ts";
import { nameInTree, referencesKey } from "./tree-keys.ts";
import type { ThreadLocation } from "./tree-keys.ts";
import { logsAfter } from "./tree-logs.ts";
import { encodeAncestry } from "./tree.ts";
import type { Tree } from "./tree.ts";
import type { ThreadWrite } from "./write-thread.ts";

/** What a script is to be written from. */
interface Replacing {
  readonly batch: PreparedBatch;
  readonly change: SuffixChange;
  /** What stood under the ids that go before that was replaced too. */
  readonly earlier: ReadonlyMap<string, readonly ReplacedEntry[]>;
  readonly found: FoundThread;
  readonly tree: Tree;
}

/** Returns the script's arguments for a replacement. */
export function replacementWrite(location: ThreadLocation, given: Replacing): ThreadWrite {
  const { change, found, tree } = given;
  const { position, nth, entryCount, lastId = "", head, removed, states, operation } = change;
  const isShort = found.short !== undefined;
  const logs = logsAfter(tree, location, { found, position, nth, isEmptied: entryCount === 0 });
  const streams = isShort ? [] : streamsOf(location, given);
  const references = isShort
    ? []
    : [...change.references].flatMap(([stream, rows]) => {
        const number = streams.indexOf(referencesKey(location, stream)) + 1;
        return rows.map(({ key, references: text }) => [String(number), `${key}-0`, text]);
      });
  const facts = isShort
    ? []
    : [...change.facts].filter(([key]) => messageOfFact(key) === undefined);
  const written = facts.flatMap(([key, fact]) => (fact === undefined ? [] : [[key, fact]]));
  const lost = facts.flatMap(([key, fact]) => (fact === undefined ? [key] : []));
  const { ids, rows } = entriesOf(given, isShort);
  const lists: readonly (readonly (readonly string[])[])[] = [
    change.replaced.map(({ id }) => [encodeField(id)]),
    replacedOf(given),
    lost.map((key) => [encodeField(key)]),
    written.map(([key = "", fact = ""]) => [encodeField(key), fact]),
    removed.map(({ id }) => [encodeField(id)]),
    [...states].map(([view, state]) => [encodeField(view), state]),
    ids,
    rows,
    streams.map((key) => [nameInTree(location, key)]),
    references,
    logs.forks.map(({ key, ancestry }) => [nameInTree(location, key), ancestry]),
    logs.unneeded.map((key) => [nameInTree(location, key)]),
  ];
  return {
    script: REPLACE,
    keys: [location.replaced, logs.renamed, ...streams],
    unnamedKeys: [...logs.forks.map(({ key }) => key), ...logs.unneeded],
    args: [
      String(tree.revision),
      String(found.entryCount),
      String(found.replacements),
      String(found.overlays.count),
      String(found.overlays.order),
      String(position),
      String(nth),
      JSON.stringify(replacementsIn(head)),
      String(entryCount),
      encodeField(lastId),
      isShort ? "" : head,
      encodeAncestry(logs.ancestry),
      encodeField(operation.id),
      `${operation.hash} ${operation.version}`,
      String(MAX_OPERATIONS),
      logs.isKept ? "keep" : "",
      nameInTree(location, location.meta),
      ...lists.map(({ length }) => String(length)),
      ...lists.flat(2),
    ],
  };
}

/** Every stream that loses rows or gets some. */
function streamsOf(location: ThreadLocation, { change }: Replacing): readonly string[] {
  const names = new Set([...change.streams, ...change.references.keys()]);
  return [...names].map((stream) => referencesKey(location, stream));
}

function replacedOf({ change, earlier }: Replacing): readonly (readonly string[])[] {
  const { replaced, nth } = change;
  return replaced.map(({ id, json }) => {
    const known = earlier.get(id) ?? [];
    // What comes back and goes again is kept once.
    const isKnown = known.some((one) => one.json === json);
    return [replacedField(id), encodeReplaced(isKnown ? known : [...known, { nth, json }])];
  });
}

function entriesOf(
  { batch: { entries }, change: { position } }: Replacing,
  isShort: boolean,
): { readonly ids: readonly (readonly string[])[]; readonly rows: readonly (readonly string[])[] } {
  const lines = entries.map((entry, index) => lineOf(entry, position + index));
  const ids = entries.map(({ entry: { id, type } }, index) => {
    const mark = type === "user_message" ? MESSAGE_MARK : "";
    const at = position + index;
    return [encodeField(id), isShort ? shortValue(at, lines[index] ?? "") : `${at}${mark}`];
  });
  const rows = isShort ? [] : packRows(lines, position);
  return { ids, rows: rows.map(({ last, lines: ofRow }) => [`${last + 1}-0`, rowOf(ofRow)]) };
}
