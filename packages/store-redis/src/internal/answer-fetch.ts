import type {
  Answer,
  EntriesFetch,
  EntryRow,
  Fetch,
  LogFetch,
  OverlaysFetch,
  ReferenceRow,
  ReferencesFetch,
} from "@agent-history/store-kit";

import { encodeField } from "./encode-key-part.ts";
import { logSegments, runsOf } from "./log-segments.ts";
import type { Command } from "./redis-link.ts";
import { listOf, numberOf, pairsOf, textOf } from "./reply.ts";
import { decodeSummary } from "./stored-summary.ts";
import { nameInTree, referencesKey } from "./tree-keys.ts";
import type { ThreadPlace } from "./tree-keys.ts";
import type { Ancestor } from "./tree.ts";

/** How a fetch is looked up: the commands to send, and what their replies mean. */
export interface Lookup<Result = Answer> {
  readonly commands: readonly Command[];
  readonly read: (replies: readonly unknown[]) => Result;
}

/** Plans how to answer a fetch, but for that of the thread itself. */
export function lookUp(
  place: ThreadPlace,
  ancestry: readonly Ancestor[],
  fetch: Exclude<Fetch, { readonly kind: "thread" }>,
): Lookup {
  switch (fetch.kind) {
    case "facts":
      return lookUpFields(place.facts, fetch.keys, (facts) => ({ kind: "facts", facts }));
    case "references":
      return lookUpReferences(place, fetch);
    case "positions":
      return lookUpFields(place.ids, fetch.ids, (fields) => ({
        kind: "positions",
        positions: new Map(
          [...fields].flatMap(([id, value]) =>
            value === "s" ? [] : [[id, Number(value)] as const],
          ),
        ),
      }));
    case "entries":
    case "log":
      return lookUpEntries(place, ancestry, fetch);
    case "summaries":
      return lookUpFields(place.overlays, fetch.ids, (values) => ({
        kind: "summaries",
        summaries: [...values].map(([id, value]) => decodeSummary(encodeField(id), value).summary),
      }));
    case "overlays":
      return lookUpOverlays(place, fetch);
  }
}

/** Looks up fields of a hash; `read` is handed those that are there, by their text. */
export function lookUpFields<Result>(
  key: string,
  texts: readonly string[],
  read: (values: ReadonlyMap<string, string>) => Result,
): Lookup<Result> {
  const commands = texts.length === 0 ? [] : [["HMGET", key, ...texts.map(encodeField)]];
  return {
    commands,
    read: ([reply]) => {
      const values = listOf(reply);
      const present = new Map<string, string>();
      for (const [place, text] of texts.entries()) {
        const value = textOf(values[place]);
        if (value !== undefined) present.set(text, value);
      }
      return read(present);
    },
  };
}

function lookUpReferences(
  place: ThreadPlace,
  { stream, after = 0, before = Infinity, limit }: ReferencesFetch,
): Lookup {
  const highest = before === Infinity ? "+" : String(before - 1);
  const count = limit === Infinity ? [] : ["COUNT", String(limit)];
  const range = [highest, String(after + 1), ...count];
  const isEmpty = limit <= 0 || after + 1 >= before;
  const key = referencesKey(place, stream);
  // Asked first: a stream that the tree knows by then has rows, unless it was evicted.
  const known = ["HEXISTS", place.tree, nameInTree(place, key)];
  const isWhole = after === 0 && before === Infinity;
  return {
    commands: isEmpty ? [] : [known, ["XREVRANGE", key, ...range]],
    read: ([isKnown, reply]) => {
      const rows = listOf(reply).map(referenceRow);
      const isMissing = rows.length === 0 && isWhole && numberOf(isKnown) === 1;
      return { kind: "references", rows, isMissing };
    },
  };
}

function referenceRow(row: unknown): ReferenceRow {
  const { key, fields } = streamRow(row);
  return { key, references: fields.get("r") ?? "" };
}

/** Plans the rows of a log, of the thread's own and of those it shares. */
export function lookUpEntries(
  place: ThreadPlace,
  ancestry: readonly Ancestor[],
  fetch: EntriesFetch | LogFetch,
): Lookup {
  const runs = fetch.kind === "log" ? [fetch] : runsOf(fetch.positions);
  const segments = runs.flatMap((run) => logSegments(place, ancestry, run));
  return {
    commands: segments.map(({ key, from, to }) => ["XRANGE", key, String(from + 1), String(to)]),
    read: (replies) => ({
      kind: "entries",
      rows: replies.flatMap((reply) => listOf(reply).map(entryRow)),
    }),
  };
}

function entryRow(row: unknown): EntryRow {
  const { key, fields } = streamRow(row);
  const tokens = fields.get("t");
  return {
    position: key - 1,
    json: fields.get("d") ?? "",
    ...(tokens === undefined ? {} : { tokens }),
  };
}

function streamRow(row: unknown): {
  readonly key: number;
  readonly fields: ReadonlyMap<string, string>;
} {
  const [id, fields] = listOf(row);
  return { key: numberOf((textOf(id) ?? "0").split("-")[0]), fields: new Map(pairsOf(fields)) };
}

function lookUpOverlays(place: ThreadPlace, { view }: OverlaysFetch): Lookup {
  return {
    commands: [["HGETALL", place.overlays]],
    read: ([reply]) => ({
      kind: "summaries",
      summaries: pairsOf(reply)
        .map(([field, value]) => decodeSummary(field, value))
        .filter(({ summary }) => view === undefined || summary.view === view)
        .toSorted((one, other) => one.order - other.order)
        .map(({ summary }) => summary),
    }),
  };
}
