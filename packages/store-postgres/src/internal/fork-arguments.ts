import { setImmediate } from "node:timers/promises";

import { packReferences, pagesOf, unpackReferences } from "@agent-history/store-kit/indexed";
import type { ForkedIndex } from "@agent-history/store-kit/indexed";

import { checksumOf } from "./checksum.ts";
import { indexArguments } from "./index-arguments.ts";
import { rowKey } from "./row-key.ts";

/** How many references a stored row has at most. */
const ROW_LENGTH = 16;

/**
 * Writes a fork's index as the function takes it, as JSON, in pages between which other work runs. Rows of references are the parent's; of each stream the last
 * references are given one by one, as the fork point may cut a row.
 */
export async function forkArguments(
  { version, head, facts, references, overlays, states }: ForkedIndex,
  replacements: number,
): Promise<string> {
  const lasts = [...references].map(([stream, rows]) => {
    const last = unpackReferences(rows.slice(-ROW_LENGTH)).slice(-ROW_LENGTH);
    return [stream, last.flatMap((one) => packReferences([one]))] as const;
  });
  const indexed = { version, head, facts: new Map(), references: new Map(lasts) };
  const { facts: _, turn: __, ...cut } = indexArguments(indexed);
  const summaries = overlays.map(({ id, view, json }, nth) => ({
    nth,
    id: rowKey(id),
    view: rowKey(view),
    checksum: checksumOf(json),
    json,
  }));
  const views = [...states].map(([view, state]) => ({ view: rowKey(view), state }));
  const pages: string[] = [];
  for (const page of pagesOf(facts)) {
    const rows = page.map(([key, value]) => ({ key: rowKey(key), value }));
    pages.push(JSON.stringify(rows).slice(1, -1));
    await setImmediate();
  }
  const beside = JSON.stringify({ ...cut, summaries, views, replacements });
  return `${beside.slice(0, -1)},"facts":[${pages.join(",")}]}`;
}
