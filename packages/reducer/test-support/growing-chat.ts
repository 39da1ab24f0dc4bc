import { assistantMessage, systemMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

import type { FitOptions } from "../src/fit-options.ts";
import { fitToWindow } from "../src/fit-to-window.ts";
import { lexicalScorer } from "../src/lexical/index.ts";
import { counter } from "./character-counter.ts";

const DAY_MS = 86_400_000;
/** The subjects of the chat's turns. */
export const THINGS = [
  "kayak",
  "violin",
  "garden",
  "telescope",
  "bakery",
  "motorbike",
  "lantern",
  "harbor",
];

export interface Grown {
  readonly history: readonly HistoryEntry[];
  readonly plan: ReductionPlan;
  readonly sent: readonly HistoryEntry[];
  readonly options: FitOptions;
}

/** A chat whose beginning is no longer shown, with room for a block. */
export function grow(first: readonly HistoryEntry[] = [], more: Partial<FitOptions> = {}): Grown {
  const options = { ...askOptions(), ...more };
  let history: readonly HistoryEntry[] = [
    systemMessage({ id: "s", createdAtMs: 1, content: "Help." }),
  ];
  let fitted = fitToWindow(history, options);
  const turns = [
    ...first,
    ...THINGS.map((thing, nth) => said(`u${nth}`, `Ann repaired the ${thing}.`, nth)),
    ...Array.from({ length: 10 }, (_, nth) => said(`f${nth}`, "The weather is fine today.", 10)),
  ];
  for (const [nth, entry] of turns.entries()) {
    history = history.concat(entry, answer(`a${nth}`, `${"Well done. ".repeat(8)}${nth}`));
    fitted = fitToWindow(history, { ...options, recall: "off", previousPlan: fitted.plan });
  }
  return { history, plan: fitted.plan, sent: fitted.entries, options };
}

export function askOften(
  first: readonly HistoryEntry[],
  more: Partial<FitOptions> = {},
): { readonly plan: ReductionPlan; readonly history: readonly HistoryEntry[] } {
  let { history, plan } = grow(first, more);
  for (let nth = 0; plan.head === undefined && nth < 20; nth++) {
    history = history.concat(question(`q${nth}`, `Who repaired the ${THINGS[nth % 8]}?`));
    plan = fitToWindow(history, { ...askOptions(), ...more, previousPlan: plan }).plan;
    if (plan.head === undefined) history = history.concat(answer(`r${nth}`, "Ann did. ".repeat(9)));
  }
  return { history, plan };
}

export function askOptions(): FitOptions {
  return { window: { contextTokens: 2000 }, counter, scorer: lexicalScorer() };
}

export function said(id: string, content: string, day: number): HistoryEntry {
  return userMessage({ id, createdAtMs: Date.UTC(2026, 0, 1) + day * DAY_MS, content });
}

export function question(id: string, content: string): HistoryEntry {
  return said(id, content, 30);
}

export function answer(id: string, content: string): HistoryEntry {
  return assistantMessage({ id, createdAtMs: Date.UTC(2026, 1, 1), content });
}

export function textOf(entry: HistoryEntry | undefined): string {
  return typeof entry?.content === "string" ? entry.content : "";
}
