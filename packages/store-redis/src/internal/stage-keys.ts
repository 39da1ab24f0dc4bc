import { messageOfFact, pagesOf } from "@agent-history/store-kit/indexed";
import type { DerivedIndex, ReferenceRow } from "@agent-history/store-kit/indexed";

import { encodeField } from "./encode-key-part.ts";
import type { Operation } from "./operation.ts";
import type { Command } from "./redis-link.ts";
import type { StoreContext } from "./store-context.ts";
import { referencesKey } from "./tree-keys.ts";
import type { ThreadLocation } from "./tree-keys.ts";

/** A key, and the commands that write what it is to hold under another name. */
export interface KeyContents {
  readonly key: string;
  readonly commands: (staged: string) => Iterable<Command>;
}

/** Keys whose contents wait under other names. */
export interface StagedKeys {
  /** A name for this very attempt. */
  readonly name: string;
  readonly keys: readonly { readonly staged: string; readonly key: string }[];
}

/** What an interrupted attempt leaves behind is gone after this time. */
const STAGED_MS = 3_600_000;

/** Writes contents under names that no thread has. An attempt that fails is begun again under another name. */
export function stageKeys(
  { link, newId }: StoreContext,
  operation: Operation,
  { meta, tag }: ThreadLocation,
  contents: readonly KeyContents[],
): Promise<StagedKeys> {
  return operation.read(async (signal) => {
    const name = newId();
    const keys = contents.map(({ key, commands }) => {
      const staged = `${tag}~${name}${key.slice(tag.length)}`;
      return { staged, key, commands: commands(staged) };
    });
    for (const page of pagesOf(stagingOf(keys))) {
      const replies = await link.sendTogether(meta, page, signal);
      for (const reply of replies) if (reply.status === "rejected") throw reply.reason;
    }
    return { name, keys };
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

/** The facts and the streams of a long thread. */
export function indexContents(
  location: ThreadLocation,
  { facts, references }: Pick<DerivedIndex, "facts" | "references">,
): readonly KeyContents[] {
  const streams = [...references].map(([stream, rows]) => ({
    key: referencesKey(location, stream),
    commands: (staged: string) => streamCommands(staged, rows),
  }));
  return [...hashContents(location.facts, () => fieldsOf(facts)), ...streams];
}

/** Messages' positions are not kept as facts: the ids have them. */
function* fieldsOf(facts: DerivedIndex["facts"]): Generator<Field, undefined> {
  for (const [key, fact] of facts) {
    if (messageOfFact(key) === undefined) yield [encodeField(key), fact];
  }
  return undefined;
}

/** A field of a hash, with its value. */
export type Field = readonly [field: string, value: string];

/**
 * A hash; nothing where it has no fields.
 *
 * @param fields - Gives them from the first each time. They may be as many as the thread has entries.
 */
export function hashContents(key: string, fields: () => Iterable<Field>): readonly KeyContents[] {
  for (const _ of fields()) return [{ key, commands: (staged) => hashCommands(staged, fields()) }];
  return [];
}

/** How many fields one command writes: a page of commands is encoded at once. */
const COMMAND_FIELDS = 20;

function* hashCommands(key: string, fields: Iterable<Field>): Generator<Command, undefined> {
  let command = ["HSET", key];
  for (const [field, value] of fields) {
    command.push(field, value);
    if (command.length < 2 + 2 * COMMAND_FIELDS) continue;
    yield command;
    command = ["HSET", key];
  }
  if (command.length > 2) yield command;
  return undefined;
}

function* streamCommands(
  key: string,
  rows: readonly ReferenceRow[],
): Generator<Command, undefined> {
  for (const row of rows) yield ["XADD", key, `${row.key}-0`, "r", row.references];
  return undefined;
}
