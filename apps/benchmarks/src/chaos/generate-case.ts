import type { HistoryEntry } from "@agent-history/core";

import { addSummary } from "./add-summary.ts";
import type { ChaosCall, ChaosCase, CounterName, ScorerName } from "./chaos-case.ts";
import { counterCalled } from "./counters.ts";
import { drawBy } from "./draw.ts";
import type { Draw } from "./draw.ts";
import { editLog } from "./edit-log.ts";
import { generateLog } from "./generate-log.ts";

type Settings = Omit<ChaosCall, "entries" | "plan">;

/** Generates a history and the calls that are made while it grows; in a third of the cases old messages change in between. */
export function generateCase(seed: number): ChaosCase {
  const draw = drawBy(seed);
  const generated = generateLog(draw);
  const log = { ...generated, entries: addSummary(generated.entries, drawBy(seed ^ 0x5f_5f)) };
  const isEdited = draw.chance(1 / 3);
  const settings = drawSettings(draw, log.entries, draw.pick(log.viewers));
  const others = drawBy(seed ^ 0x3c_3c);
  const calls: ChaosCall[] = [];
  let entries = log.entries;
  let shown = draw.below(entries.length + 1);
  for (let call = 1 + draw.below(4); call >= 0; call--) {
    const isChanged = calls.length > 0 && draw.chance(0.04);
    const now = isChanged ? drawSettings(draw, entries, draw.pick(log.viewers)) : settings;
    const recheck = others.chance(0.1) ? { recheck: true as const } : {};
    const plan = planUse(draw, calls.length);
    calls.push({ ...now, ...recheck, entries: entries.slice(0, shown), plan });
    if (isEdited) entries = edited(entries, shown, draw);
    shown = call === 1 ? entries.length : Math.min(entries.length, shown + draw.below(6));
  }
  const form = draw.chance(0.85) ? "entries" : draw.pick(["chat", "copied chat"]);
  return { seed, kind: log.kind, isEdited, form, isRepeated: draw.chance(0.2), calls };
}

/** Only what was shown before is old. */
function edited(
  entries: readonly HistoryEntry[],
  shown: number,
  draw: Draw,
): readonly HistoryEntry[] {
  if (shown === 0 || draw.chance(0.3)) return entries;
  return [...editLog(entries.slice(0, shown), draw), ...entries.slice(shown)];
}

function planUse(draw: Draw, before: number): ChaosCall["plan"] {
  if (before === 0 || draw.chance(0.1)) return "none";
  if (draw.chance(0.02)) return "damaged";
  return draw.chance(0.5) ? "kept" : "stored";
}

function drawSettings(
  draw: Draw,
  entries: readonly HistoryEntry[],
  viewerId: string | undefined,
): Settings {
  const counter = drawCounter(draw);
  const counting = counterCalled(counter);
  const viewer = viewerId === undefined ? {} : { agentId: viewerId };
  const total = entries.reduce((sum, entry) => sum + counting.countEntry(entry, viewer), 0);
  const contextTokens = draw.chance(0.01)
    ? draw.pick([0, Infinity])
    : Math.floor((total * (2 + draw.below(draw.chance(0.5) ? 50 : 130))) / 100);
  const isOwn = draw.chance(0.08);
  return {
    window: { contextTokens, ...marginOf(draw, contextTokens) },
    ...(viewerId !== undefined && { viewerId }),
    counter,
    ...(isOwn && { steps: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].filter(() => draw.chance(0.6)) }),
    ...(draw.chance(0.2) && scorerOf(draw)),
    ...(draw.chance(0.1) && { hasTools: true }),
    ...(draw.chance(0.2) && { maxResultShare: (1 + draw.below(10)) / 10 }),
    ...(draw.chance(0.1) && { firstRequestShare: draw.pick([0.05, 0, 0.2]) }),
    ...(draw.chance(0.2) && { lowWatermark: (1 + draw.below(10)) / 10 }),
  };
}

/** Half of the scorers that quote are told not to. */
function scorerOf(draw: Draw): Pick<Settings, "scorer" | "recall"> {
  const scorer = draw.pick<ScorerName>(["recency", "importance", "lexical", "lexical"]);
  const isQuoting = scorer === "lexical" && draw.chance(0.5);
  return isQuoting ? { scorer } : { scorer, recall: draw.pick(["on-cut", "off"]) };
}

function marginOf(draw: Draw, contextTokens: number): { readonly marginTokens?: number } {
  if (contextTokens === Infinity || !draw.chance(0.1)) return {};
  return { marginTokens: draw.below(Math.floor(contextTokens / 4) + 1) };
}

function drawCounter(draw: Draw): CounterName {
  if (draw.chance(0.015)) return draw.pick(["tiktoken", "tiktoken, large images"]);
  return draw.pick(["quarters", "quarters", "characters", "by viewer"]);
}
