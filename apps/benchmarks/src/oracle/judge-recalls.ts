import type { HistoryEntry, PlannedRecall, ReductionPlan } from "@agent-history/core";

import type { Breach } from "./trial.ts";

type RecallingPlan = Pick<ReductionPlan, "recalls" | "head">;

/** The blocks of a plan that quote old entries, in the order of the prompt. */
export function recallsIn({ head, recalls = [] }: RecallingPlan): readonly PlannedRecall[] {
  return head === undefined ? recalls : [head, ...recalls];
}

/** What was sent, and the plan that says what is quoted in it. */
interface QuotingFit {
  readonly given: readonly HistoryEntry[];
  /** With its blocks. */
  readonly fitted: readonly HistoryEntry[];
  readonly plan: RecallingPlan;
  readonly countEntry: (entry: HistoryEntry) => number;
}

/** What is never quoted: what was recalled, summarized or instructed, and what tools said unless that is asked for. */
const QUOTABLE = new Set(["user_message", "assistant_message", "task", "final", "synthesis"]);

/** L9, L14 and L15 of blocks: each stands directly before its request, quotes what was said before it word for word, and counts what it says. */
export function judgeRecalls({ given, fitted, plan, countEntry }: QuotingFit): readonly Breach[] {
  const breaches: Breach[] = [];
  const indexOf = new Map(given.map(({ id }, index) => [id, index]));
  // Of what is there twice either copy may be quoted.
  const firstOf = new Map(given.map(({ id }, index) => [id, index] as const).toReversed());
  const quotedOnce = new Set<string>();
  for (const recall of recallsIn(plan)) {
    const { id, before, quotes, tokens } = recall;
    const found = (rule: string, law: Breach["law"] = "L9"): void => {
      breaches.push({ law, rule, at: id });
    };
    const at = fitted.findIndex((entry) => entry.id === id);
    const block = fitted[at];
    if (block === undefined || block.type !== "memory") {
      found("a block is not in the prompt");
      continue;
    }
    const next = fitted.slice(at + 1).find((entry) => !isBlock(entry, plan));
    if (next?.id !== before) found("a block stands elsewhere");
    if (next?.type !== "user_message" && next?.type !== "task") found("a block before no request");
    if (countEntry(block) !== tokens) found("a block of other tokens");
    const indexes = quotes.map((quote) => indexOf.get(quote) ?? -1);
    const known = indexes.filter((index) => firstOf.get(given[index]?.id ?? "") === index);
    if (known.some((index, nth) => index <= (known[nth - 1] ?? -1))) {
      found("quotes out of order", "L2");
    }
    for (const entryIndex of indexes) {
      const entry = given[entryIndex];
      if (entry === undefined) continue;
      if (!QUOTABLE.has(entry.type)) found("quotes what is not to be quoted");
      if (!isIn(block, entry)) found("quotes other words");
      if (quotedOnce.has(entry.id)) found("quotes an entry twice");
      quotedOnce.add(entry.id);
    }
  }
  return breaches;
}

function isBlock({ id }: HistoryEntry, plan: RecallingPlan): boolean {
  return recallsIn(plan).some((recall) => recall.id === id);
}

/** Tells whether a block holds the words of an entry; what would read as a tag or a voice is written otherwise. */
function isIn({ content }: HistoryEntry, entry: HistoryEntry): boolean {
  const said = entry.type === "user_message" ? (entry.rendered ?? entry.content) : entry.content;
  if (typeof content !== "string" || typeof said !== "string" || /[<\n]/u.test(said)) return true;
  return content.includes(said);
}
