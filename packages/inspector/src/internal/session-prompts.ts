import type { EntryItem, ModelCall, TranscriptItem } from "@agent-history/transcripts";

import type { CellRun, DrawnDecision } from "../inspector-data.ts";

/** A call of a session and what its prompt held of the rows. */
export interface SessionPrompt {
  readonly call: ModelCall;
  readonly decisions: readonly DrawnDecision[];
  readonly runs: readonly CellRun[];
}

/**
 * Follows a session and says what each call of its main branch was sent. What a summary replaced stays out of all later prompts. Linear in the items, and in the cleared
 * results of each call.
 */
export function sessionPrompts(
  items: readonly TranscriptItem[],
  main: readonly EntryItem[],
  tokens: readonly number[],
): readonly SessionPrompt[] {
  const rowOf = new Map(main.map((item, row) => [item, row]));
  const rowOfCall = new Map<string, number>();
  const sums = [0];
  for (const count of tokens) sums.push((sums.at(-1) ?? 0) + count);
  const prompts: SessionPrompt[] = [];
  let cleared: readonly number[] = [];
  let state: SessionState = { rows: 0, summarized: 0, cleared, sums };
  items.forEach((item, index) => {
    const row = item.kind === "entry" ? rowOf.get(item) : undefined;
    if (item.kind === "entry" && row !== undefined) {
      const { entry } = item;
      if (entry.type === "observation") rowOfCall.set(entry.callId, row);
      const summarized = entry.type === "summary" ? row : state.summarized;
      state = { ...state, rows: row + 1, summarized };
    }
    if (item.kind === "compaction" && item.how === "clearing" && item.agentId === undefined) {
      const rows = (item.callIds ?? []).flatMap((id) => rowOfCall.get(id) ?? []);
      cleared = [...new Set([...cleared, ...rows])].toSorted((a, b) => a - b);
      state = { ...state, cleared };
    }
    if (item.kind !== "call" || item.call.agentId !== undefined || state.rows === 0) return;
    if (isOfBranch(items, index, rowOf)) prompts.push({ call: item.call, ...cellsOf(state) });
  });
  return prompts;
}

/** A call of an abandoned branch has its answer there. */
function isOfBranch(
  items: readonly TranscriptItem[],
  index: number,
  rowOf: ReadonlyMap<EntryItem, number>,
): boolean {
  for (let next = index + 1; next < index + 50; next++) {
    const item = items[next];
    if (item?.kind === "entry") return rowOf.has(item);
  }
  return true;
}

interface SessionState {
  /** How many rows have been written. */
  readonly rows: number;
  /** How many of them a summary replaces. */
  readonly summarized: number;
  /** Rows whose results were cleared, in order. */
  readonly cleared: readonly number[];
  /** The tokens of the rows before each. */
  readonly sums: readonly number[];
}

function cellsOf({
  rows,
  summarized,
  cleared,
  sums,
}: SessionState): Pick<SessionPrompt, "decisions" | "runs"> {
  const decisions: DrawnDecision[] = [];
  const runs: CellRun[] = [];
  const add = (from: number, to: number, state: "summarized" | "kept" | "cleared"): void => {
    if (to <= from) return;
    const tokensBefore = (sums[to] ?? 0) - (sums[from] ?? 0);
    const tokensAfter = state === "kept" ? tokensBefore : 0;
    const drawn = { state, ...SAID[state], tokensBefore, tokensAfter, isEstimated: true } as const;
    runs.push([from, to - from, decisions.push(drawn) - 1]);
  };
  add(0, summarized, "summarized");
  let from = summarized;
  for (const row of cleared) {
    if (row < from || row >= rows) continue;
    add(from, row, "kept");
    add(row, row + 1, "cleared");
    from = row + 1;
  }
  add(from, rows, "kept");
  return { decisions, runs };
}

const SAID = {
  kept: { step: "none", reason: "Sent as it was." },
  cleared: { step: "clearing", reason: "The tool cleared this result." },
  summarized: { step: "compaction", reason: "A summary stands for it." },
} as const;
