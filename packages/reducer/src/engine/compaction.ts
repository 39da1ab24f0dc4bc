import { isRendered, messageRole } from "@agent-history/core";
import type {
  Compactable,
  Compacted,
  HistoryEntry,
  MessageRole,
  PlannedCompaction,
  ReductionPlan,
  SummaryEntry,
} from "@agent-history/core";

import { editEntry } from "../edit-entry.ts";
import type { Context } from "./context.ts";
import { loadOfPlanned } from "./limits.ts";
import { fixedAs } from "./parse.ts";
import { isOfSame, recounted } from "./reasoning.ts";
import { hold } from "./resume.ts";
import type { Held } from "./resume.ts";
import { appendKept, decisionsIn, keptEntries, readPlan, recallsOf, sealPlan } from "./write.ts";

/** To keep the question, a compaction may leave up to this share of the budget, more than a cut leaves. */
const WITH_QUESTION = 0.75;

/** Replaces the entries that a provider's compaction covers by its summary. Returns the same array if they no longer exist. */
export function withCompaction(
  given: readonly HistoryEntry[],
  compaction: PlannedCompaction | undefined,
): readonly HistoryEntry[] {
  if (compaction === undefined) return given;
  const { summary, from, to, index, entryCount } = compaction;
  const isThere = given[index]?.id === from && given[index + entryCount - 1]?.id === to;
  const first = isThere ? index : given.findIndex(({ id }) => id === from);
  const last = isThere ? index + entryCount - 1 : given.findIndex(({ id }) => id === to);
  if (first < 0 || last < first) return given;
  return [...given.slice(0, first), summary, ...given.slice(last + 1)];
}

/** Inserts a provider's summary, new or from the earlier plan, and applies it to that plan. */
export function withCompacted(
  given: readonly HistoryEntry[],
  context: Context,
): { readonly entries: readonly HistoryEntry[]; readonly context: Context } {
  const { options } = context;
  const { previousPlan, contentName, compacted } = options;
  const plan = previousPlan ? readPlan(previousPlan, contentName) : undefined;
  if (plan === undefined) return { entries: given, context };
  const entries = withCompaction(given, plan.compaction);
  const compaction = entries === given ? undefined : plan.compaction;
  const made = compacted && compact(entries, plan, compacted, { ...context, compaction });
  if (made === undefined) return { entries, context: { ...context, compaction } };
  return {
    entries: made.entries,
    context: {
      ...context,
      compaction: made.plan.compaction,
      options: { ...options, previousPlan: made.plan },
    },
  };
}

/** An entry as a plan sent it. */
interface Sent {
  readonly entry: HistoryEntry;
  readonly role: MessageRole;
  readonly tokens: number;
  /** Must stay word for word. */
  readonly isFixed: boolean;
}

/** An index before which everything sent may be summarized, and the tokens sent from there on. */
interface Place {
  readonly at: number;
  readonly before: string;
  readonly left: number;
}

/**
 * Finds what a provider may summarize instead of a cut. It ends before an answer, so that the provider has already seen this request, and contains no open
 * call. Entries that must stay word for word are excluded, and so is the question unless too much would be left.
 */
export function compactable(held: Held, context: Context): Compactable | undefined {
  const { budget, lowTarget, options } = context;
  if (options.compaction !== "provider") return undefined;
  const sent = sentOf(held, context);
  const places = placesIn(sent, held, context);
  const deep = places.find(({ left }) => left <= lowTarget);
  const isUsers = (entry: HistoryEntry): boolean => messageRole(entry, options.viewer) === "user";
  const isAskedNow = held.entries.slice(held.planned).some(isUsers);
  const question = isAskedNow ? Infinity : sent.findLastIndex(({ role }) => role === "user");
  const asked = places.findLast(({ at }) => at <= question);
  const isAskedKept = asked !== undefined && asked.left <= budget * WITH_QUESTION;
  const place = deep !== undefined && deep.at > question && isAskedKept ? asked : deep;
  if (place === undefined) return undefined;
  return { entries: sent.slice(0, place.at).map(({ entry }) => entry), before: place.before };
}

/** Returns what the earlier plan sent; nothing if only a part of it holds, it was for another reader, or it contains summaries or recall blocks. */
function sentOf({ plan, entries, decisions, isWhole }: Held, context: Context): readonly Sent[] {
  const { options, count } = context;
  const isPlain = decisions.every(({ action }) => action.kind !== "summarize");
  const isSame = isWhole && isOfSame(plan, context);
  if (!isSame || !isPlain || recallsOf(plan).length > 0) return [];
  const sent: Sent[] = [];
  let index = 0;
  for (const { action, entryCount } of decisions) {
    for (const entry of action.kind === "drop" ? [] : entries.slice(index, index + entryCount)) {
      const shown = action.kind === "edit" ? editEntry(entry, action.edit) : entry;
      if (!isRendered(shown)) continue;
      const role = messageRole(shown, options.viewer);
      const isFixed = fixedAs(entry) !== undefined || entry.type === "memory";
      sent.push({ entry: shown, role, tokens: count(shown), isFixed });
    }
    index += entryCount;
  }
  return sent;
}

/** Finds the places, first to last. */
function placesIn(
  sent: readonly Sent[],
  { entries, planned }: Held,
  { options }: Context,
): readonly Place[] {
  const places: Place[] = [];
  const open = new Set<string>();
  const head = sent.findIndex(({ role }) => role !== "system");
  if (head < 0) return places;
  // An earlier summary is summarized again only together with later entries.
  const first = sent[head]?.entry.type === "summary" ? head + 1 : head;
  let left = sent.slice(head).reduce((sum, { tokens }) => sum + tokens, 0);
  const next = entries.slice(planned).find(isRendered);
  for (let at = head; at <= sent.length; at++) {
    const one = sent[at];
    const entry = one === undefined ? next : one.entry;
    const isAnswer = entry !== undefined && messageRole(entry, options.viewer) === "assistant";
    const isAsked = at > first && ["user", "tool"].includes(sent[at - 1]?.role ?? "");
    if (isAnswer && isAsked && open.size === 0) places.push({ at, before: entry.id, left });
    if (one === undefined || (one.isFixed && at >= first)) break;
    left -= one.tokens;
    if (one.entry.type === "action") for (const { id } of one.entry.toolCalls) open.add(id);
    if (one.entry.type === "observation") open.delete(one.entry.callId);
  }
  return places;
}

/** Applies a summary to the earlier plan, as if that had been sent with it. Returns `undefined` if the plan no longer holds. */
function compact(
  entries: readonly HistoryEntry[],
  plan: ReductionPlan,
  { before, summary }: Compacted,
  context: Context,
): { readonly entries: readonly HistoryEntry[]; readonly plan: ReductionPlan } | undefined {
  const held = hold(plan, entries, context);
  const from = entries.findIndex(({ type }) => type !== "system_message");
  const end = entries.findIndex(({ id }) => id === before);
  if (!held.isWhole || from < 0 || end <= from || end > held.planned) return undefined;
  const shift = end - from - 1;
  const decisions = [
    ...appendKept(decisionsIn(held, [0, from], context.count), [summary], context.count, fixedAs),
    ...decisionsIn(held, [end, held.planned], context.count),
  ];
  const { hash: _, hashes: __, checksum: ___, continued: ____, ...earlier } = plan;
  const unsealed = {
    ...earlier,
    repairs: [],
    repairedFrom: Math.max(0, plan.repairedFrom - shift),
    decisions,
    settledUntil: Math.max(from + 1, plan.settledUntil - shift),
    totalTokens: decisions.reduce((sum, one) => sum + one.tokensAfter, plan.requestTokens),
    compaction: compactionOf({ entries, from, end, summary }, context.compaction),
  };
  const folded = [...entries.slice(0, from), summary, ...entries.slice(end)];
  const load = loadOfPlanned({ plan: unsealed, entries: folded }, context.options);
  const kept = keptEntries(folded, decisions, "keep", "edit");
  const reasoning = recounted(unsealed, folded, context);
  const { contentName } = context.options;
  return {
    entries: folded,
    plan: sealPlan({ ...unsealed, ...load, ...(reasoning && { reasoning }) }, kept, {
      contentName,
    }),
  };
}

/** Returns what a summary replaces in the history that was passed in, including what an earlier summary replaced. */
function compactionOf(
  {
    entries,
    from,
    end,
    summary,
  }: {
    readonly entries: readonly HistoryEntry[];
    readonly from: number;
    readonly end: number;
    readonly summary: SummaryEntry;
  },
  earlier: PlannedCompaction | undefined,
): PlannedCompaction {
  const stands = earlier !== undefined && entries[from] === earlier.summary ? earlier : undefined;
  const to = end - 1 > from || stands === undefined ? entries[end - 1]?.id : stands.to;
  return {
    summary,
    from: stands?.from ?? entries[from]?.id ?? "",
    to: to ?? "",
    index: stands?.index ?? from,
    entryCount: end - from + (stands === undefined ? 0 : stands.entryCount - 1),
  };
}
