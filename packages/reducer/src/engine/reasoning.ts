import type {
  ContentPart,
  Decision,
  DecisionAction,
  HistoryEntry,
  LeftOutReason,
  PlannedReasoning,
  ReasoningCount,
  ReasoningPart,
  ReductionPlan,
} from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";

import { editEntry } from "../edit-entry.ts";
import type { Context } from "./context.ts";
import type { Planned } from "./fit.ts";
import { hold } from "./resume.ts";
import { changedFrom, setForm } from "./room.ts";
import type { Room } from "./room.ts";
import type { Because, Member } from "./unit.ts";
import { addDecision, isGone, keepsNone, readPlan, recallsOf } from "./write.ts";
import type { Own } from "./write.ts";

const STEP = "leave-out-reasoning";

const BECAUSE: Readonly<Record<LeftOutReason, Because>> = {
  room: { step: STEP, reason: "the oldest reasoning" },
  prefix: { step: STEP, reason: "the messages before this reasoning have changed" },
  reader: { step: STEP, reason: "the reasoning of another model" },
};

/**
 * Makes room in a request whose model binds reasoning to its prefix. The oldest reasoning can be removed without invalidating the rest: if that frees
 * half of what a cut frees, nothing else is removed. Otherwise all of it is removed, because the cut that follows changes its prefix.
 *
 * @returns Whether the request fits now.
 */
export function leaveOutReasoning(room: Room): boolean {
  const { context, reading } = room;
  if (context.options.window.reasoning === undefined) return false;
  const { units } = reading;
  const members = units.flatMap((unit) =>
    unit.isDropped ? [] : unit.members.filter(({ current }) => thoughtsOf(current, context).length),
  );
  if (units.some(({ wasSent }) => wasSent) && changedFrom(room) === Infinity) {
    const goal = Math.min(context.cutAbove, (context.budget + context.lowTarget) / 2);
    for (const member of members) {
      // An answer that contains only reasoning would become empty.
      if (room.total <= goal || isMute(member.entry)) break;
      if (!member.unit.isRunning) leaveOutOf(room, member, "room");
    }
    if (room.total <= goal) return true;
  }
  // Skip long texts whose tokens are only estimated: the parts that are kept lose their reasoning at the end.
  for (const member of members) if (!member.isGuessed) leaveOutOf(room, member, "prefix");
  return false;
}

function leaveOutOf(room: Room, member: Member, reason: LeftOutReason): void {
  const { entry, edited } = member;
  const edit = { ...edited?.edit, withoutReasoning: reason };
  const other = edited?.because.step === STEP ? undefined : edited?.because;
  const because = other ?? BECAUSE[reason];
  setForm(room, member, { edit, because }, room.context.count(editEntry(entry, edit)));
}

/** Returns the reasoning parts of an entry as the format writes it. */
function thoughtsOf(entry: HistoryEntry, { options }: Context): readonly ReasoningPart[] {
  if (!Array.isArray(entry.content) || !entry.content.some(isReasoning)) return [];
  const { content } = options.asWritten?.(entry, options.viewer ?? {}) ?? entry;
  return Array.isArray(content) ? content.filter(isReasoning) : [];
}

function isMute({ type, content }: HistoryEntry): boolean {
  return type !== "action" && Array.isArray(content) && content.every(isReasoning);
}

function isReasoning(part: ContentPart): part is ReasoningPart {
  return part.type === "reasoning";
}

/**
 * Removes all reasoning after the first change to what the earlier plan sent, and reports on the rest. Without an earlier plan,
 * the history counts as sent.
 */
export function bindReasoning(planned: Planned, context: Context): Planned {
  const { options } = context;
  if (options.window.reasoning === undefined) return planned;
  const sent = sentBefore(planned, context);
  const spans = spansOf(sent.decisions, planned.plan.decisions);
  const changed = Math.min(sent.changedAt, changedBlock(planned, sent.plan), firstChange(spans));
  const lost = lostBefore(spans, changed, sent.isForeign ? "reader" : "prefix");
  const bound = lost === undefined ? planned : leaveOut(planned, lost, context);
  const reasoning = { ...reportOf(bound, sent, context), tools: toolsOf(context) };
  return { ...bound, plan: { ...bound.plan, reasoning } };
}

/** The part of a history that the earlier plan sent. */
interface Sent {
  readonly plan?: ReductionPlan;
  readonly decisions: readonly Decision[];
  /** How many entries the decisions cover; all others count as sent. */
  readonly planned: number;
  /** From this index on, nothing is as it was sent. */
  readonly changedAt: number;
  /** Whether all of it was made for another reader. */
  readonly isForeign: boolean;
}

/** Returns whether a plan was made for the same reader and the same tools, which precede all reasoning. */
export function isOfSame({ window, reasoning }: ReductionPlan, context: Context): boolean {
  const rule = context.options.window.reasoning;
  return (
    window.reasoning?.reader === rule?.reader && reasoning?.tools === (rule && toolsOf(context))
  );
}

function toolsOf({ options }: Context): string {
  return contentHash(options.tools ?? []);
}

function sentBefore({ entries }: Planned, context: Context): Sent {
  const { options, view } = context;
  const { previousPlan, viewer, contentName } = options;
  const nothing = { decisions: [], planned: 0, changedAt: Infinity, isForeign: false };
  if (previousPlan === undefined) return nothing;
  const plan = readPlan(previousPlan, contentName);
  if (plan?.view !== view || plan.viewer?.agentId !== viewer?.agentId) {
    return { ...nothing, changedAt: 0 };
  }
  const isForeign = plan.window.reasoning?.reader !== options.window.reasoning?.reader;
  const { decisions, planned, isWhole } = hold(plan, entries, context);
  const isSame = isOfSame(plan, context);
  if (isSame && !isWhole && isNewCompaction(entries, planned, plan, context)) return nothing;
  const changedAt = isWhole ? Infinity : planned;
  return { plan, decisions, planned, changedAt: isSame ? changedAt : 0, isForeign };
}

/** Returns whether a history begins with a new summary that a provider made on its own: the entries after it were written with it as prefix. */
function isNewCompaction(
  entries: readonly HistoryEntry[],
  index: number,
  plan: ReductionPlan,
  { options }: Context,
): boolean {
  const { [index]: entry } = entries;
  return (
    entry?.type === "summary" &&
    entry.strategy === "provider" &&
    entry.view === undefined &&
    entries.slice(0, index).every(({ type }) => type === "system_message") &&
    keepsNone(plan, entries.slice(index), options.contentName)
  );
}

/** Adjacent entries that one decision covers in each of two plans. */
interface Span {
  readonly from: number;
  readonly end: number;
  /** Missing if the earlier plan did not cover them. */
  readonly before: Decision | undefined;
  readonly now: Decision;
}

function spansOf(before: readonly Decision[], now: readonly Decision[]): readonly Span[] {
  const spans: Span[] = [];
  let nth = 0;
  let left = before[0]?.entryCount ?? Infinity;
  let from = 0;
  for (const decision of now) {
    for (let open = decision.entryCount; open > 0;) {
      const count = Math.min(open, left);
      spans.push({ from, end: from + count, before: before[nth], now: decision });
      from += count;
      open -= count;
      left -= count;
      if (left > 0) continue;
      nth += 1;
      left = before[nth]?.entryCount ?? Infinity;
    }
  }
  return spans;
}

function firstChange(spans: readonly Span[]): number {
  const isChanged = ({ before, now }: Span): boolean =>
    before?.action !== now.action && formOf(before?.action) !== formOf(now.action);
  return spans.find(isChanged)?.from ?? Infinity;
}

const KEPT = JSON.stringify({ kind: "keep" });

/** Returns how a prompt shows an entry, apart from its reasoning. */
function formOf(action?: DecisionAction): string {
  if (action === undefined) return KEPT;
  if (action.kind !== "edit") return JSON.stringify(action);
  const { withoutReasoning: _, ...edit } = action.edit;
  return Object.keys(edit).length === 0 ? KEPT : JSON.stringify(edit);
}

/** Returns the index before which all recall blocks are as they were sent. */
function changedBlock({ entries, blocks = [], continued }: Planned, plan?: ReductionPlan): number {
  const before = plan === undefined ? [] : recallsOf(plan);
  const isEdited = plan !== undefined && continued?.stoppedBy === "change";
  const edited = isEdited ? continued.entryCount : Infinity;
  const length = Math.max(before.length, blocks.length);
  for (let nth = 0; nth < length; nth++) {
    const [one, other] = [before[nth], blocks[nth]];
    if (JSON.stringify(one) === JSON.stringify(other?.recall)) continue;
    const at = one === undefined ? Infinity : entries.findIndex(({ id }) => id === one.before);
    return Math.min(edited, at, other?.at ?? Infinity);
  }
  return edited;
}

/** Returns why the reasoning at an index may not be sent: its prefix has changed, or it was left out before. Reasoning that was left out once stays out, or the prefix of later reasoning would change. */
function lostBefore(
  spans: readonly Span[],
  changed: number,
  reason: LeftOutReason,
): ((index: number) => LeftOutReason | undefined) | undefined {
  const earlier = new Map<number, LeftOutReason>();
  for (const { from, before, now } of spans) {
    const one = before === undefined ? undefined : withoutReasoning(before);
    if (one !== undefined && withoutReasoning(now) === undefined) earlier.set(from, one);
  }
  if (changed === Infinity && earlier.size === 0) return undefined;
  return (index) => earlier.get(index) ?? (index >= changed ? reason : undefined);
}

function withoutReasoning({ action }: Decision): LeftOutReason | undefined {
  return action.kind === "edit" ? action.edit.withoutReasoning : undefined;
}

/** Removes lost reasoning from what is kept. */
function leaveOut(
  planned: Planned,
  lostAs: (index: number) => LeftOutReason | undefined,
  context: Context,
): Planned {
  const { entries, plan } = planned;
  const decisions: Own<Decision>[] = [];
  let saved = 0;
  let index = 0;
  for (const decision of plan.decisions) {
    const from = index;
    index += decision.entryCount;
    const isDone = isGone(decision) || withoutReasoning(decision) !== undefined;
    const run = entries.slice(from, isDone ? from : index);
    const reasons = run.map((entry, nth) => {
      const reason = lostAs(from + nth);
      return reason !== undefined && thoughtsOf(entry, context).length > 0 ? reason : undefined;
    });
    const isLost = reasons.some((reason) => reason !== undefined);
    const parts = isLost ? splitRun(decision, run, reasons, context) : [{ ...decision }];
    for (const part of parts) {
      saved += part.tokensBefore - part.tokensAfter;
      addDecision(decisions, part);
    }
    saved -= decision.tokensBefore - decision.tokensAfter;
  }
  const { load: _, ...others } = planned;
  return { ...others, plan: { ...plan, decisions, totalTokens: plan.totalTokens - saved } };
}

/** Splits a run into one decision per entry, because some entries lose their reasoning. */
function splitRun(
  { action, ...decision }: Decision,
  run: readonly HistoryEntry[],
  reasons: readonly (LeftOutReason | undefined)[],
  context: Context,
): readonly Own<Decision>[] {
  const edit = action.kind === "edit" ? action.edit : {};
  // The first entry keeps the difference between the tokens of the run and the sum of its entries.
  const counts = run.map((entry) => context.count(entry));
  const more = decision.tokensBefore - counts.reduce((sum, count) => sum + count, 0);
  return run.map((entry, nth): Own<Decision> => {
    const reason = reasons[nth];
    const tokensBefore = (counts[nth] ?? 0) + (nth === 0 ? more : 0);
    const tokens = action.kind === "edit" ? decision.tokensAfter : tokensBefore;
    const one = { ...decision, from: entry.id, to: entry.id, entryCount: 1, tokensBefore };
    if (reason === undefined) return { ...one, action, tokensAfter: tokens };
    const lean = { ...edit, withoutReasoning: reason };
    const tokensAfter = Math.min(tokens, context.count(editEntry(entry, lean)));
    const because = action.kind === "edit" ? {} : BECAUSE[reason];
    return { ...one, ...because, action: { kind: "edit", edit: lean }, tokensAfter };
  });
}

/** Recounts the reasoning of a plan after a provider summarized some of it, which counts as given up. */
export function recounted(
  plan: Pick<ReductionPlan, "decisions" | "reasoning">,
  entries: readonly HistoryEntry[],
  context: Context,
): PlannedReasoning | undefined {
  const { reasoning: earlier, decisions } = plan;
  if (earlier === undefined) return undefined;
  const sent = { decisions, planned: 0, changedAt: 0, isForeign: false };
  const report = reportOf({ entries, plan }, sent, context);
  const all = [earlier.valid, ...earlier.leftOut].reduce(plus, earlier.givenUp);
  const left = [report.valid, ...report.leftOut].reduce(plus, NONE);
  const givenUp = { blocks: all.blocks - left.blocks, tokens: all.tokens - left.tokens };
  return { ...report, givenUp, tools: earlier.tools };
}

const NONE: ReasoningCount = { blocks: 0, tokens: 0 };

/** Reports the reasoning that is sent, left out, or dropped with its entry. Counts only new entries or, after a change, all kept ones. */
function reportOf(
  { entries, plan }: Pick<Planned, "entries"> & { readonly plan: Pick<ReductionPlan, "decisions"> },
  sent: Sent,
  context: Context,
): Omit<PlannedReasoning, "tools"> {
  const spans = spansOf(sent.decisions, plan.decisions);
  const earlier = sent.plan?.reasoning;
  const isSame = ({ before, now }: Span): boolean =>
    before === undefined ||
    before.action === now.action ||
    JSON.stringify(before.action) === JSON.stringify(now.action);
  const isGrown = earlier !== undefined && sent.changedAt === Infinity && spans.every(isSame);
  let valid = isGrown ? earlier.valid : NONE;
  let givenUp = earlier?.givenUp ?? NONE;
  const leftOut = new Map<LeftOutReason, ReasoningCount>(
    isGrown ? earlier.leftOut.map(({ reason, ...count }) => [reason, count]) : [],
  );
  for (const { from, end, before, now } of spans) {
    if (isGrown && before !== undefined) continue;
    // Entries that were already dropped, or are too far back, were not read.
    if (isGone(now) && ((before && isGone(before)) || now.step === "horizon")) continue;
    const { action } = now;
    const reason = action.kind === "edit" ? action.edit.withoutReasoning : undefined;
    for (const entry of entries.slice(from, end)) {
      const count = countOf(entry, context);
      if (isGone(now)) givenUp = plus(givenUp, count);
      else if (reason === undefined) valid = plus(valid, count);
      else leftOut.set(reason, plus(leftOut.get(reason) ?? NONE, count));
    }
  }
  const list = [...leftOut].map(([reason, count]) => ({ reason, ...count }));
  return { valid, leftOut: list, givenUp };
}

function plus(one: ReasoningCount, other: ReasoningCount): ReasoningCount {
  return { blocks: one.blocks + other.blocks, tokens: one.tokens + other.tokens };
}

/** Counts only the reasoning of an entry. */
function countOf(entry: HistoryEntry, context: Context): ReasoningCount {
  const parts = thoughtsOf(entry, context);
  if (parts.length === 0) return NONE;
  const { id, createdAtMs, origin } = entry;
  const own = origin && { format: origin.format, message: origin.message, index: origin.index };
  const bare = { type: "assistant_message", id, createdAtMs, ...(own && { origin: own }) } as const;
  const tokensOf = (content: readonly ReasoningPart[]): number =>
    context.count({ ...bare, content });
  return { blocks: parts.length, tokens: Math.max(0, tokensOf(parts) - tokensOf([])) };
}
