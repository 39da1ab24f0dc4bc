import { HistoryError } from "@agent-history/core";

import type { Answer } from "./driver.ts";

/*
 * What a thread knows by id is one item `i` for each: the position of its row, `-` where it has none any more, `-o` for a summary of a view; behind that what stood under the id and
 * was replaced, as `<number of the replacement>:<hash of the content>`.
 */

/** How many contents of one id are remembered. */
const MOST_REPLACED = 16;

/** The value of an item `i` whose entry stands at a position. */
export function standingAt(position: number, before: string | undefined): string {
  return [String(position), ...replacedPart(before)].join(" ");
}

/** The value of an item `i` whose entry was replaced. */
export function replacedBy(cut: number, hash: string, before: string | undefined): string {
  const earlier = replacedPart(before).slice(1 - MOST_REPLACED);
  return ["-", ...earlier, `${cut}:${hash}`].join(" ");
}

/** The value of an item `i` that names a summary of a view. */
export const OF_VIEW = "-o";

/** The position of an entry by its id; `undefined` if the log has none. */
export function positionIn(named: Answer | undefined, id: string): number | undefined {
  const value = named?.items.get(id);
  if (value === undefined || value.startsWith("-")) return undefined;
  if (/^\d{1,15}(?: |$)/u.test(value)) return Number.parseInt(value, 10);
  throw new HistoryError(
    "Expected the position of an entry by its id to be what this package writes. Restore a backup, or delete the thread.",
    { code: "THREAD_CORRUPT", details: { reason: "id" } },
  );
}

/** A content that was replaced. */
export interface Replaced {
  /** By which replacement of the thread. */
  readonly cut: number;
  readonly hash: string;
}

/** What stood under an id and was replaced, from the value of its item `i`. */
export function replacedUnder(value: string | undefined): readonly Replaced[] {
  return replacedPart(value).map((part) => {
    const [cut = "", hash = ""] = part.split(":");
    return { cut: Number(cut), hash };
  });
}

function replacedPart(value: string | undefined): readonly string[] {
  return value?.split(" ").slice(1) ?? [];
}

/** The content of a stored form, to be hashed. An entry that was read has the id of its turn, which does not count. */
export function contentOf(json: string): object {
  const { turnId: _, ...content }: { readonly turnId?: string } = JSON.parse(json);
  return content;
}
