import { messageOfFact, pagesOf } from "@agent-history/store-kit";
import type { ForkedIndex, ReferenceRow } from "@agent-history/store-kit";

import { encodeField } from "./encode-key-part.ts";
import type { Operation } from "./operation.ts";
import type { Command } from "./redis-link.ts";
import { positionOf } from "./short-thread.ts";
import type { StoreContext } from "./store-context.ts";
import { encodeSummary } from "./stored-summary.ts";
import { referencesKey } from "./tree-keys.ts";
import type { ThreadLocation } from "./tree-keys.ts";

/** The keys of a fork that wait under other names. */
export interface PreparedFork {
  /** A name for this very fork. */
  readonly name: string;
  readonly lastId: string;
  readonly keys: readonly { readonly staged: string; readonly key: string }[];
}

/** What an interrupted fork leaves behind is gone after this time. */
const STAGED_MS = 3_600_000;

/** Writes what a fork owns under names that no thread has. An attempt that fails is begun again under another name. */
export function prepareFork(
  { link, newId }: StoreContext,
  operation: Operation,
  {
    fork,
    index,
    ids,
    isShort,
  }: {
    readonly fork: ThreadLocation;
    readonly index: ForkedIndex;
    /** Entry ids with their positions; of a short thread with the entries behind them. */
    readonly ids: readonly (readonly [field: string, value: string])[];
    readonly isShort: boolean;
  },
): Promise<PreparedFork> {
  const lastId = ids.find(([, value]) => positionOf(value) === index.version - 1)?.[0] ?? "";
  return operation.read(async (signal) => {
    const name = newId();
    const keys = contentsOf(fork, index, { ids, isShort }).map(({ key, commands }) => {
      const staged = `${fork.tag}~${name}${key.slice(fork.tag.length)}`;
      return { staged, key, commands: commands(staged) };
    });
    for (const page of pagesOf(stagingOf(keys))) {
      const replies = await link.sendTogether(fork.meta, page, signal);
      for (const reply of replies) if (reply.status === "rejected") throw reply.reason;
    }
    return { name, lastId, keys };
  });
}

/** What writes the keys. Each expires from its first command on. */
function* stagingOf(
  keys: readonly { readonly staged: string; readonly commands: Iterable<Command> }[],
): Generator<Command, undefined> {
  for (const { staged, commands } of keys) {
    let isFirst = true;
    for (const command of commands) {
      yield command;
      if (isFirst) yield ["PEXPIRE", staged, String(STAGED_MS)];
      isFirst = false;
    }
  }
  return undefined;
}

interface KeyContents {
  readonly key: string;
  readonly commands: (staged: string) => Iterable<Command>;
}

function contentsOf(
  fork: ThreadLocation,
  { facts, references, overlays, states }: ForkedIndex,
  {
    ids,
    isShort,
  }: {
    readonly ids: readonly (readonly [field: string, value: string])[];
    readonly isShort: boolean;
  },
): readonly KeyContents[] {
  const summaryIds = overlays.map(({ id }) => [encodeField(id), "s"] as const);
  const hashes = [
    { key: isShort ? fork.short : fork.ids, fields: [...ids, ...summaryIds] },
    {
      key: fork.facts,
      fields: [...facts]
        .filter(([key]) => !isShort && messageOfFact(key) === undefined)
        .map(([key, fact]) => [encodeField(key), fact] as const),
    },
    {
      key: fork.overlays,
      fields: overlays.map(
        (one, order) => [encodeField(one.id), `${order + 1} ${encodeSummary(one)}`] as const,
      ),
    },
    {
      key: fork.views,
      fields: [...states].map(([view, state]) => [`s:${encodeField(view)}`, state] as const),
    },
  ];
  const streams = (isShort ? [] : [...references]).map(([stream, rows]) => ({
    key: referencesKey(fork, stream),
    commands: (staged: string) => streamCommands(staged, rows),
  }));
  return [
    ...hashes
      .filter(({ fields }) => fields.length > 0)
      .map(({ key, fields }) => ({
        key,
        commands: (staged: string) => hashCommands(staged, fields),
      })),
    ...streams.filter(({ key }) => key !== ""),
  ];
}

function* hashCommands(
  key: string,
  fields: readonly (readonly [field: string, value: string])[],
): Generator<Command, undefined> {
  for (const page of pagesOf(fields)) yield ["HSET", key, ...page.flat()];
  return undefined;
}

function* streamCommands(
  key: string,
  rows: readonly ReferenceRow[],
): Generator<Command, undefined> {
  for (const row of rows) yield ["XADD", key, `${row.key}-0`, "r", row.references];
  return undefined;
}
