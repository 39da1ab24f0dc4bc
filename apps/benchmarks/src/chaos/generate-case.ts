import type { HistoryEntry, ModelWindow, RelevanceScorer } from "@agent-history/core";
import { fromChatMessages, toChatMessages } from "@agent-history/openai";
import type { ChatMessage } from "@agent-history/openai";
import { importanceScorer, recencyScorer, STEP_NAMES } from "@agent-history/reducer";
import type { FitOptions } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";

import { drawCounter } from "./counters.ts";
import { drawBy } from "./draw.ts";
import type { Draw } from "./draw.ts";
import { editLog } from "./edit-log.ts";
import { generateLog } from "./generate-log.ts";

/** One call of a fit. */
export interface ChaosCall {
  readonly entries: readonly HistoryEntry[];
  /** The same object, where no setting was changed since the call before. */
  readonly options: FitOptions;
  /** Looks through what the plan dropped, too. */
  readonly recheck?: true;
  /** What becomes of the plan of the call before. */
  readonly plan: "none" | "kept" | "stored" | "damaged";
}

/** A history and the calls that are made while it grows. */
export interface ChaosCase {
  readonly seed: number;
  readonly kind: string;
  /** Old messages are changed between calls. */
  readonly isEdited: boolean;
  /** How entries reach the fit: as they are, or by way of chat messages, the same objects or copies of them. */
  readonly form: "entries" | "chat" | "copied chat";
  /** Each stateless call is made again, and what it gives is fitted once more. */
  readonly isRepeated: boolean;
  readonly calls: readonly ChaosCall[];
}

/** Generates a history and the calls that are made while it grows; in a third of the cases old messages change in between. */
export function generateCase(seed: number): ChaosCase {
  const draw = drawBy(seed);
  const { entries: log, viewers, kind } = generateLog(draw);
  let entries = withSummary(log, drawBy(seed ^ 0x5f_5f));
  const isEdited = draw.chance(1 / 3);
  const settings = drawOptions(draw, entries, draw.pick(viewers));
  const others = drawBy(seed ^ 0x3c_3c);
  const calls: ChaosCall[] = [];
  let shown = draw.below(entries.length + 1);
  for (let call = 1 + draw.below(4); call >= 0; call--) {
    const isChanged = calls.length > 0 && draw.chance(0.04);
    const options = isChanged ? drawOptions(draw, entries, draw.pick(viewers)) : settings;
    const recheck = others.chance(0.1) ? { recheck: true as const } : {};
    const plan = planUse(draw, calls.length);
    calls.push({ options, ...recheck, entries: entries.slice(0, shown), plan });
    // Only what was shown before is old.
    const isNowEdited = isEdited && shown > 0 && !draw.chance(0.3);
    if (isNowEdited) entries = [...editLog(entries.slice(0, shown), draw), ...entries.slice(shown)];
    shown = call === 1 ? entries.length : Math.min(entries.length, shown + draw.below(6));
  }
  const form = draw.chance(0.85) ? "entries" : draw.pick(["chat", "copied chat"]);
  const isRepeated = draw.chance(0.2);
  return { seed, kind, isEdited, form, isRepeated, calls: readAs(form, calls) };
}

/** In one of twenty: a summary that an earlier compaction left, or a provider's own item, which stands for all before it. */
function withSummary(log: readonly HistoryEntry[], draw: Draw): readonly HistoryEntry[] {
  if (!draw.chance(0.05)) return log;
  const content = draw.text();
  const told = { id: "summary", createdAtMs: 0, type: "summary", content, trust: "user" } as const;
  const summary: HistoryEntry = draw.chance(0.5)
    ? { ...told, strategy: "provider" }
    : { ...told, strategy: "wholeHistory", view: "thread", covers: [] };
  return log.toSpliced(draw.below(log.length + 1), 0, summary);
}

function planUse(draw: Draw, before: number): ChaosCall["plan"] {
  if (before === 0 || draw.chance(0.1)) return "none";
  if (draw.chance(0.02)) return "damaged";
  return draw.chance(0.5) ? "kept" : "stored";
}

function drawOptions(
  draw: Draw,
  entries: readonly HistoryEntry[],
  agentId: string | undefined,
): FitOptions {
  const counter = drawCounter(draw);
  const viewer = agentId === undefined ? {} : { agentId };
  const total = entries.reduce((sum, entry) => sum + counter.countEntry(entry, viewer), 0);
  const contextTokens = draw.chance(0.01)
    ? draw.pick([0, Infinity])
    : Math.floor((total * (2 + draw.below(draw.chance(0.5) ? 50 : 130))) / 100);
  const isOwn = draw.chance(0.08);
  return {
    window: { contextTokens, ...marginOf(draw, contextTokens) },
    viewer,
    counter,
    ...(isOwn && { without: stepsLeftOut(draw) }),
    ...(draw.chance(0.2) && scorerOf(draw)),
    ...(draw.chance(0.1) && { tools: [{ name: "look" }, { name: "run" }] }),
    ...(draw.chance(0.2) && { maxResultShare: (1 + draw.below(10)) / 10 }),
    ...(draw.chance(0.1) && { firstRequestShare: draw.pick([0.05, 0, 0.2]) }),
    ...(draw.chance(0.2) && { lowWatermark: (1 + draw.below(10)) / 10 }),
  };
}

function stepsLeftOut(draw: Draw): FitOptions["without"] {
  const isKept = Array.from({ length: 11 }, () => draw.chance(0.6));
  return STEP_NAMES.filter((_, index) => isKept[index] !== true);
}

/** Half of the scorers that quote are told not to. */
function scorerOf(draw: Draw): Pick<FitOptions, "scorer" | "recall"> {
  const scorer = draw.pick<RelevanceScorer>([recency, importance, lexical, lexical]);
  if (scorer === lexical && draw.chance(0.5)) return { scorer };
  if (draw.pick(["on-cut", "off"]) === "off") return { scorer, recall: "off" };
  // Without recall blocks of its own, each cut asks it.
  return { scorer: { name: scorer.name, score: (...asked) => scorer.score(...asked) } };
}

const recency = recencyScorer();
const importance = importanceScorer();
const lexical = lexicalScorer();

function marginOf(draw: Draw, contextTokens: number): Pick<ModelWindow, "marginTokens"> {
  if (contextTokens === Infinity || !draw.chance(0.1)) return {};
  return { marginTokens: draw.below(Math.floor(contextTokens / 4) + 1) };
}

/** The calls as they are, or with their entries as they are read from the chat messages that they are written as. */
function readAs(form: ChaosCase["form"], calls: readonly ChaosCall[]): readonly ChaosCall[] {
  if (form === "entries") return calls;
  const written = new Map<HistoryEntry, ChatMessage>();
  const nobodys = new Map(calls.map(({ options }) => [options, { ...options, viewer: {} }]));
  return calls.map((call) => {
    const options = nobodys.get(call.options) ?? call.options;
    const messages = call.entries.flatMap((entry) => {
      const message = written.get(entry) ?? toChatMessages([entry], call.options.viewer)[0];
      if (message === undefined) return [];
      written.set(entry, message);
      return [form === "chat" ? message : structuredClone(message)];
    });
    return { ...call, options, entries: fromChatMessages(messages, { now: () => 0 }) };
  });
}
