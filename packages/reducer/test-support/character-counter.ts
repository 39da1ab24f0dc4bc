import { assistantMessage, isHistoryError, userMessage } from "@agent-history/core";
import type { HistoryEntry, HistoryError, TokenCounter } from "@agent-history/core";

import type { FitOptions } from "../src/fit-options.ts";
import { fitToWindow } from "../src/fit-to-window.ts";

/** One token per character of content, including sources. */
export const counter: TokenCounter = {
  id: "characters",
  countText: (text) => text.length,
  countEntry: (entry) => {
    const sources = entry.type === "observation" ? (entry.sources ?? []) : [];
    const content = "content" in entry ? (entry.content ?? "") : "";
    const text = typeof content === "string" ? content : JSON.stringify(content);
    return text.length + sources.reduce((sum, source) => sum + source.text.length, 0);
  },
  countRequest: () => 0,
};

/** Four turns of twenty tokens. */
export const chat: readonly HistoryEntry[] = [1, 2, 3, 4].flatMap((turn) => [
  userMessage({ id: `u${turn}`, content: "q".repeat(10) }),
  assistantMessage({ id: `a${turn}`, content: "a".repeat(10) }),
]);

export function options(contextTokens: number): FitOptions {
  return { window: { contextTokens }, counter };
}

export function idsAt(
  entries: readonly HistoryEntry[],
  contextTokens: number,
  more: Partial<FitOptions> = {},
): string {
  const fitted = fitToWindow(entries, { ...options(contextTokens), ...more });
  return fitted.entries.map(({ id }) => id).join(" ");
}

export function errorOf(work: () => unknown): HistoryError | undefined {
  try {
    work();
  } catch (error) {
    if (isHistoryError(error)) return error;
    throw error;
  }
  return undefined;
}

export async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(
    () => undefined,
    (error: { readonly code?: string }) => error.code,
  );
}
