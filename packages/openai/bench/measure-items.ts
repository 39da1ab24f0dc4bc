import { isDeepStrictEqual } from "node:util";

import { isHistoryError } from "@agent-history/core";
import type { ReductionPlan } from "@agent-history/core";
import { fromChatMessages, fromResponseItems, toResponseItems } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";

import { itemProblems } from "../test-messages/responses/item-problems.ts";
import { itemTokens } from "../test-messages/responses/item-tokens.ts";
import type { RecordedMessage } from "./chat-facts.ts";

const WINDOWS = [1000, 2000, 4000];
const counter = tiktokenCounter({ encoding: "o200k_base" });

/** Counts of a run; `lost`, `over` and `pairing` must stay 0. */
interface Tally {
  points: number;
  fitted: number;
  tooSmall: number;
  lost: number;
  over: number;
  pairing: number;
}

/** Fits recorded conversations, as items, at every point at which a model would be called, and checks the rules of items. */
export function measureItems(conversations: readonly (readonly RecordedMessage[])[]): {
  readonly line: string;
  readonly hasFault: boolean;
} {
  const tally: Tally = { points: 0, fitted: 0, tooSmall: 0, lost: 0, over: 0, pairing: 0 };
  for (const messages of conversations) {
    for (const contextTokens of WINDOWS) walk(messages, contextTokens, tally);
  }
  const { points, fitted, tooSmall, ...faults } = tally;
  return {
    line: JSON.stringify(tally),
    hasFault: Object.values(faults).some((count) => count > 0),
  };
}

function walk(messages: readonly RecordedMessage[], contextTokens: number, tally: Tally): void {
  // Without an origin, they are written like entries of any other source.
  const bare = fromChatMessages(messages).map(({ origin: _, ...entry }) => entry);
  const all = toResponseItems(bare);
  if (!isDeepStrictEqual(toResponseItems(fromResponseItems(all)), all)) tally.lost += 1;
  let plan: ReductionPlan | undefined;
  for (const [index, item] of all.entries()) {
    const isUser = "role" in item && item.role === "user";
    const next = all[index + 1];
    const isLastResult = isResult(item) && (next === undefined || !isResult(next));
    if (!isUser && !isLastResult) continue;
    tally.points += 1;
    const entries = fromResponseItems(all.slice(0, index + 1));
    try {
      const previous = plan === undefined ? {} : { previousPlan: plan };
      const fit = fitToWindow(entries, { window: { contextTokens }, counter, ...previous });
      plan = fit.plan;
      const items = toResponseItems(fit.entries);
      if (fit.entries !== entries) tally.fitted += 1;
      if (itemProblems(items).length > 0) tally.pairing += 1;
      if (3 + costOf(items) > contextTokens) tally.over += 1;
    } catch (error) {
      if (!isHistoryError(error, "WINDOW_TOO_SMALL")) throw error;
      tally.tooSmall += 1;
    }
  }
}

function isResult({ type }: { readonly type?: string }): boolean {
  return type === "function_call_output";
}

/** Counts items, each result with its tool's name. */
function costOf(items: readonly object[]): number {
  const names = new Map<unknown, string>();
  return items.reduce((sum: number, item) => {
    const { call_id: id, name } = { call_id: "", name: "", ...item };
    if (name !== "") names.set(id, name);
    return sum + itemTokens(item, names.get(id));
  }, 0);
}
