import { unpackReferences } from "@agent-history/store-kit/indexed";
import type { IndexedBatch, PreparedBatch, Reference } from "@agent-history/store-kit/indexed";

import { checksumOf } from "./checksum.ts";
import { rowKey } from "./row-key.ts";

/** Writes facts and references as the functions take them. */
export function indexArguments({
  version,
  head,
  facts,
  references,
}: Omit<IndexedBatch, "position">): {
  readonly version: number;
  readonly head: string;
  readonly turn: number;
  readonly facts: readonly object[];
  readonly refs: readonly object[];
} {
  const rows = [...references].flatMap(([stream, ofStream]) =>
    ofStream.map((row) => {
      const inRow = unpackReferences([row]);
      return {
        stream: rowKey(stream),
        key: row.key,
        turn: newestTurn(inRow),
        positions: `{${inRow.map(({ position }) => position).join(",")}}`,
        refs: row.references,
      };
    }),
  );
  return {
    version,
    head,
    turn: rows.reduce((most, { turn }) => Math.max(most, turn), 0),
    facts: [...facts].map(([key, value]) => ({ key: rowKey(key), value })),
    refs: rows,
  };
}

function newestTurn(references: readonly Reference[]): number {
  return references.reduce((most, { turn }) => Math.max(most, turn), 0);
}

/** Writes what stands beside the JSON of entries as the functions take it: the columns that the index knows. */
export function rowArguments(
  { entries }: PreparedBatch,
  { references, position }: Pick<IndexedBatch, "references" | "position">,
): readonly object[] {
  const known = new Map(
    unpackReferences(references.get("all") ?? []).map((one) => [one.position, one]),
  );
  return entries.map(({ entry, json, bytes, tokens }, index) => {
    const at = position + index;
    const one = known.get(at);
    return {
      at,
      id: rowKey(entry.id),
      type: rowKey(entry.type),
      agent: entry.agent === undefined ? undefined : rowKey(entry.agent.id),
      turn: one?.turn ?? 0,
      phase: one?.phase === 0 ? undefined : one?.phase,
      task: one?.task,
      partner: one?.partner,
      bytes,
      created: entry.createdAtMs,
      tokens,
      checksum: checksumOf(json),
    };
  });
}
