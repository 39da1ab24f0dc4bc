import type {
  Answer,
  EntriesFetch,
  EntryRow,
  FactsAnswer,
  FactsFetch,
  Fetch,
  LogFetch,
  OperationFetch,
  OverlaysFetch,
  ReferenceRow,
  ReferencesFetch,
  ReplacedAnswer,
  ReplacedFetch,
} from "@agent-history/store-kit/indexed";
import { messageOfFact } from "@agent-history/store-kit/indexed";

import { encodeField } from "./encode-key-part.ts";
import { logSegments, runsOfRows } from "./log-segments.ts";
import type { LogSegment } from "./log-segments.ts";
import type { Command } from "./redis-link.ts";
import { decodeReplaced, operationField, replacedField } from "./replaced-fields.ts";
import { listOf, numberOf, pairsOf, textOf } from "./reply.ts";
import { entriesOfRow } from "./row-text.ts";
import { MESSAGE_MARK, positionOf } from "./short-thread.ts";
import { decodeSummary } from "./stored-summary.ts";
import { nameInTree, referencesKey } from "./tree-keys.ts";
import type { ThreadLocation } from "./tree-keys.ts";
import type { Ancestor } from "./tree.ts";

/** How a fetch is looked up: the commands to send, and what their replies mean. */
export interface Lookup<Result = Answer> {
  readonly commands: readonly Command[];
  readonly read: (replies: readonly unknown[]) => Result;
}

/** Plans how to answer a fetch, but for that of the thread itself. */
export function lookUp(
  location: ThreadLocation,
  ancestry: readonly Ancestor[],
  fetch: Exclude<Fetch, { readonly kind: "thread" }>,
): Lookup {
  switch (fetch.kind) {
    case "facts":
      return lookUpFacts(location, fetch);
    case "references":
      return lookUpReferences(location, fetch);
    case "positions":
      return lookUpFields(location.ids, fetch.ids, (fields) => ({
        kind: "positions",
        positions: new Map(
          [...fields].flatMap(([id, value]) => {
            const position = positionOf(value);
            return position === undefined ? [] : [[id, position] as const];
          }),
        ),
      }));
    case "entries":
    case "log":
      return lookUpEntries(location, ancestry, fetch);
    case "summaries":
      return lookUpFields(location.overlays, fetch.ids, (values) => ({
        kind: "summaries",
        summaries: [...values].map(([id, value]) => decodeSummary(encodeField(id), value).summary),
      }));
    case "overlays":
      return lookUpOverlays(location, fetch);
    case "replaced":
      return lookUpReplaced(location, fetch);
    case "operation":
      return lookUpOperation(location, fetch);
  }
}

/** Looks up facts: the positions of user messages stand in the map of ids. */
export function lookUpFacts(location: ThreadLocation, { keys }: FactsFetch): Lookup<FactsAnswer> {
  const messages = new Map(
    keys.flatMap((key) => {
      const id = messageOfFact(key);
      return id === undefined ? [] : [[id, key] as const];
    }),
  );
  const others = keys.filter((key) => messageOfFact(key) === undefined);
  const inFacts = lookUpFields(location.facts, others, (values) => values);
  const inIds = lookUpFields(location.ids, [...messages.keys()], (values) => values);
  return {
    commands: [...inFacts.commands, ...inIds.commands],
    read: (replies) => {
      const facts = new Map(inFacts.read(replies));
      for (const [id, value] of inIds.read(replies.slice(inFacts.commands.length))) {
        if (value.endsWith(MESSAGE_MARK)) facts.set(messages.get(id) ?? "", value.slice(0, -1));
      }
      return { kind: "facts", facts };
    },
  };
}

/** Looks up fields of a hash; `read` is handed those that are there, by their text. */
function lookUpFields<Result>(
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
      for (const [index, text] of texts.entries()) {
        const value = textOf(values[index]);
        if (value !== undefined) present.set(text, value);
      }
      return read(present);
    },
  };
}

function lookUpReferences(
  location: ThreadLocation,
  { stream, after = 0, before = Infinity, limit }: ReferencesFetch,
): Lookup {
  const highest = before === Infinity ? "+" : String(before - 1);
  const count = limit === Infinity ? [] : ["COUNT", String(limit)];
  const range = [highest, String(after + 1), ...count];
  const isEmpty = limit <= 0 || after + 1 >= before;
  const key = referencesKey(location, stream);
  // Asked first: a stream that the tree knows by then has rows, unless it was evicted.
  const known = ["HGET", location.tree, nameInTree(location, key)];
  const isWhole = after === 0 && before === Infinity;
  return {
    commands: isEmpty ? [] : [known, ["XREVRANGE", key, ...range]],
    read: ([isKnown, reply]) => {
      const rows = listOf(reply).map(referenceRow);
      // One that a replacement emptied is marked.
      const isMissing = rows.length === 0 && isWhole && textOf(isKnown) === "";
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
  location: ThreadLocation,
  ancestry: readonly Ancestor[],
  fetch: EntriesFetch | LogFetch,
): Lookup {
  const runs = fetch.kind === "log" ? [fetch] : runsOfRows(fetch);
  const segments = runs.flatMap((run) => logSegments(location, ancestry, run));
  const commands = segments.map(commandsOf);
  return {
    commands: commands.flat(),
    read: (replies) => {
      let at = 0;
      const rows = segments.flatMap(({ from, to }, nth) => {
        const ofSegment = replies.slice(at, (at += commands[nth]?.length ?? 0));
        const entries = ofSegment.flatMap((reply) => listOf(reply).flatMap(entriesOfLogRow));
        return entries.filter(({ position }) => position >= from && position < to);
      });
      return { kind: "entries", rows };
    },
  };
}

/** The row that has the last position of a segment may end behind it: it is the first that ends there or later. */
function commandsOf({ key, from, to }: LogSegment): readonly Command[] {
  const last = ["XRANGE", key, String(to), "+", "COUNT", "1"];
  return to - from === 1 ? [last] : [["XRANGE", key, String(from + 1), String(to - 1)], last];
}

/** Reads the entries of a row of a log. */
export function entriesOfLogRow(row: unknown): readonly EntryRow[] {
  const { key, fields } = streamRow(row);
  return entriesOfRow(fields.get("d") ?? "", key - 1);
}

function streamRow(row: unknown): {
  readonly key: number;
  readonly fields: ReadonlyMap<string, string>;
} {
  const [id, fields] = listOf(row);
  return { key: numberOf((textOf(id) ?? "0").split("-")[0]), fields: new Map(pairsOf(fields)) };
}

function lookUpOverlays(location: ThreadLocation, { view }: OverlaysFetch): Lookup {
  return {
    commands: [["HGETALL", location.overlays]],
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

/** Looks up what stood under ids and was replaced. */
export function lookUpReplaced(
  location: ThreadLocation,
  { ids }: ReplacedFetch,
): Lookup<ReplacedAnswer> {
  const fields = ids.map(replacedField);
  return {
    commands: ids.length === 0 ? [] : [["HMGET", location.replaced, ...fields]],
    read: ([reply]) => {
      const values = listOf(reply).map(textOf);
      const replaced = ids.flatMap((id, nth) => {
        const value = values[nth];
        return value === undefined ? [] : [[id, decodeReplaced(value)] as const];
      });
      return { kind: "replaced", replaced: new Map(replaced) };
    },
  };
}

function lookUpOperation(location: ThreadLocation, { id }: OperationFetch): Lookup {
  return {
    commands: [["HGET", location.replaced, operationField(id)]],
    read: ([reply]) => {
      const [, hash = "", version = "0"] = textOf(reply)?.split(" ") ?? [];
      const operation = hash === "" ? undefined : { id, hash, version: Number(version) };
      return { kind: "operation", operation };
    },
  };
}
