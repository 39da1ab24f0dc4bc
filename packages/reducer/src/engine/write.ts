import { repairHistory } from "@agent-history/core";
import type {
  Decision,
  HistoryEntry,
  PlanContinuation,
  PlannedRecall,
  ReductionPlan,
  ReductionRequest,
} from "@agent-history/core";
import { CONTENT_HASH, contentHash } from "@agent-history/core/kit";

import { editEntry } from "../edit-entry.ts";
import { entryHash } from "../internal/entry-hash.ts";
import type { Because, Member, Unit } from "./unit.ts";

/** A plan without hashes and checksum. */
export type Unsealed = Omit<ReductionPlan, "hash" | "hashes" | "checksum" | "continued">;

export type Own<Value> = { -readonly [Key in keyof Value]: Value[Key] };

export function isGone({ action }: Pick<Decision, "action">): boolean {
  return action.kind === "drop" || action.kind === "summarize";
}

const KEEP = { kind: "keep" } as const;
const DROP = { kind: "drop" } as const;

/** Returns the decisions for units, and for the entries between them: their earlier decisions, or dropped if they were not read. */
export function decisionsOf(
  entries: readonly HistoryEntry[],
  units: readonly Unit[],
  earlier: ReadonlyMap<number, Decision>,
  unread: Because,
): readonly Decision[] {
  const decisions: Own<Decision>[] = [];
  let next = 0;
  const counted = units.reduce((sum, { members }) => sum + members.length, 0);
  const tokens = units.flatMap(({ members }) => members).reduce((sum, { whole }) => sum + whole, 0);
  const average = Math.round(tokens / Math.max(counted, 1));
  const passTo = (index: number): void => {
    while (next < index) {
      const count = index - next;
      // Estimate the tokens of entries that were not read.
      const decision = earlier.get(next) ?? {
        from: entries[next]?.id ?? "",
        to: entries[index - 1]?.id ?? "",
        entryCount: count,
        action: DROP,
        ...unread,
        tokensBefore: average * count,
        tokensAfter: 0,
        estimated: true,
      };
      addDecision(decisions, { ...decision });
      next += decision.entryCount;
    }
  };
  for (const unit of units) {
    passTo(unit.position);
    for (const [nth, member] of unit.members.entries())
      addDecision(decisions, decisionOf(member, nth));
    next += unit.members.length;
  }
  passTo(entries.length);
  return decisions;
}

function decisionOf(member: Member, nth: number): Own<Decision> {
  const { entry, unit, whole, tokens, isGuessed } = member;
  const { isDropped, protectedAs, summary } = unit;
  const edited = isDropped ? undefined : member.edited;
  const because = isDropped ? unit.because : edited?.because;
  const replaced = isDropped && summary?.isFirst === true && nth === 0 ? summary : undefined;
  const kept = edited === undefined ? KEEP : ({ kind: "edit", edit: edited.edit } as const);
  const decision: Own<Decision> = {
    from: entry.id,
    to: entry.id,
    entryCount: 1,
    action: replaced?.action ?? (isDropped ? DROP : kept),
    step: because?.step ?? (protectedAs === undefined ? "keep" : "protect"),
    reason: because?.reason ?? protectedAs ?? "fits",
    tokensBefore: whole,
    tokensAfter: replaced?.tokensAfter ?? (isDropped ? 0 : tokens),
  };
  if (isGuessed && (isDropped || edited !== undefined)) decision.estimated = true;
  return decision;
}

/** Appends a decision, or extends the previous one if both keep or drop for the same reason. */
export function addDecision(decisions: Own<Decision>[], decision: Own<Decision>): void {
  const last = decisions.at(-1);
  const { kind } = decision.action;
  const isSame =
    last !== undefined &&
    (kind === "keep" || kind === "drop") &&
    last.action.kind === kind &&
    last.step === decision.step &&
    last.reason === decision.reason &&
    last.estimated === decision.estimated;
  if (!isSame) decisions.push(decision);
  else {
    last.to = decision.to;
    last.entryCount += decision.entryCount;
    last.tokensBefore += decision.tokensBefore;
    last.tokensAfter += decision.tokensAfter;
  }
}

/** Appends decisions that keep the new entries. */
export function appendKept(
  decisions: readonly Decision[],
  added: readonly HistoryEntry[],
  count: (entry: HistoryEntry) => number,
  whyOf: (entry: HistoryEntry) => string | undefined,
): readonly Decision[] {
  const grown: Own<Decision>[] = [...decisions];
  const last = grown.pop();
  if (last !== undefined) grown.push({ ...last });
  for (const entry of added) {
    const tokens = count(entry);
    const reason = whyOf(entry);
    addDecision(grown, {
      from: entry.id,
      to: entry.id,
      entryCount: 1,
      action: KEEP,
      step: reason === undefined ? "keep" : "protect",
      reason: reason ?? "fits",
      tokensBefore: tokens,
      tokensAfter: tokens,
    });
  }
  return grown;
}

/** Returns the decisions for the entries with indexes from `from` to `end`; a decision about more entries is narrowed. */
export function decisionsIn(
  {
    entries,
    decisions,
  }: { readonly entries: readonly HistoryEntry[]; readonly decisions: readonly Decision[] },
  [from, end]: readonly [number, number],
  count: (entry: HistoryEntry) => number,
): readonly Decision[] {
  let index = 0;
  return decisions.flatMap((decision): Decision | [] => {
    const run = entries.slice(Math.max(from, index), Math.min(end, index + decision.entryCount));
    index += decision.entryCount;
    const [first] = run;
    if (first === undefined || run.length === decision.entryCount) return first ? decision : [];
    const tokens = run.reduce((sum, entry) => sum + count(entry), 0);
    return {
      ...decision,
      from: first.id,
      to: run.at(-1)?.id ?? first.id,
      entryCount: run.length,
      tokensBefore: tokens,
      tokensAfter: isGone(decision) ? 0 : tokens,
    };
  });
}

/** Applies decisions, and inserts each recall block before its entry. If everything is kept, returns the same array. */
export function carryOut(
  entries: readonly HistoryEntry[],
  decisions: readonly Decision[],
  blocks: readonly Pick<RecallBlock, "recall" | "entry">[] = [],
): readonly HistoryEntry[] {
  if (blocks.length === 0 && decisions.every(({ action }) => action.kind === "keep")) {
    return entries;
  }
  const sent: HistoryEntry[] = [];
  let next = 0;
  let index = 0;
  for (const { action, entryCount } of decisions) {
    const end = index + entryCount;
    if (action.kind === "summarize") sent.push(action.summary);
    for (index = isGone({ action }) ? end : index; index < end; index++) {
      const entry = entries[index];
      if (entry === undefined) continue;
      for (let block = blocks[next]; block?.recall.before === entry.id; block = blocks[next]) {
        sent.push(block.entry);
        next += 1;
      }
      sent.push(action.kind === "edit" ? editEntry(entry, action.edit) : entry);
    }
  }
  return sent;
}

/** Returns the entries that are kept unchanged (`keep`) or shortened (`edit`), in their original form. Never reads dropped entries. */
export function keptEntries(
  entries: readonly HistoryEntry[],
  decisions: readonly Decision[],
  ...kinds: readonly ("keep" | "edit")[]
): HistoryEntry[] {
  const kept: HistoryEntry[] = [];
  let index = 0;
  for (const { action, entryCount } of decisions) {
    const end = index + entryCount;
    const isOne = kinds.some((kind) => kind === action.kind);
    for (index = isOne ? index : end; index < end; index++) {
      const entry = entries[index];
      if (entry !== undefined) kept.push(entry);
    }
  }
  return kept;
}

/** A recall block: its record in the plan, its `memory` entry, and the quoted entries. */
export interface RecallBlock {
  readonly recall: PlannedRecall;
  readonly entry: HistoryEntry;
  readonly quoted: readonly HistoryEntry[];
  /** The index of the entry that it precedes. */
  readonly at: number;
}

/** Kept and quoted entries of a plan made in this process: the same objects need no hash. Affects speed, never results. */
interface Memory {
  readonly kept: readonly HistoryEntry[];
  readonly blocks: readonly RecallBlock[];
  readonly isNamed: boolean;
}

const memories = new WeakMap<ReductionPlan, Memory>();

export function memoryOf(plan: ReductionPlan): Memory | undefined {
  return memories.get(plan);
}

/** Completes a plan with content hashes of kept and quoted entries and a checksum, each computed on first access. */
export function sealPlan(
  unsealed: Unsealed,
  kept: readonly HistoryEntry[],
  {
    contentName,
    continued,
    blocks = [],
  }: {
    readonly contentName: ReductionRequest["contentName"];
    readonly continued?: PlanContinuation | undefined;
    readonly blocks?: readonly RecallBlock[] | undefined;
  },
): ReductionPlan {
  let hashes: readonly string[] | undefined;
  let checksum: string | undefined;
  const isNamed = contentName !== undefined;
  const summed = { ...unsealed, hash: CONTENT_HASH };
  const plan: ReductionPlan = {
    ...summed,
    ...(continued && { continued }),
    get hashes() {
      return (hashes ??= [
        ...kept.map((entry) => nameOf(entry, contentName)),
        ...blocks.flatMap(({ quoted }) => quoted.map((entry) => quoteName(entry, contentName))),
      ]);
    },
    get checksum() {
      return (checksum ??= isNamed ? "" : contentHash(summed));
    },
  };
  memories.set(plan, { kept, blocks, isNamed });
  return plan;
}

/** Returns a plan that can be read without errors, or `undefined` if it is damaged or was made by another release. */
export function readPlan(
  given: ReductionPlan,
  contentName: ReductionRequest["contentName"],
): ReductionPlan | undefined {
  const isNamed = contentName !== undefined;
  if (memoryOf(given)?.isNamed === isNamed) return given;
  try {
    const plan = structuredClone(given);
    const { hashes, checksum, continued, ...summed } = plan;
    const isTrusted = checksum === "" && isNamed;
    const isWhole = summed.hash === CONTENT_HASH && (isTrusted || contentHash(summed) === checksum);
    const quotes = recallsOf(plan).reduce((sum, one) => sum + one.quotes.length, 0);
    const count = plan.decisions.reduce(
      (sum, one) => sum + (isGone(one) ? 0 : one.entryCount),
      quotes,
    );
    return isWhole && Array.isArray(hashes) && hashes.length === count ? plan : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the recall blocks of a plan, in the order of the prompt. */
export function recallsOf({
  head,
  recalls = [],
}: Pick<ReductionPlan, "head" | "recalls">): readonly PlannedRecall[] {
  return head === undefined ? recalls : [head, ...recalls];
}

/** Returns the caller's name for the content of an entry, or else its hash. */
function nameOf(entry: HistoryEntry, contentName: ReductionRequest["contentName"]): string {
  const name = contentName?.(entry);
  return name === undefined ? entryHash(entry) : `=${name}`;
}

/** Returns a test for whether an entry is the nth that a plan keeps. */
export function isKeptBy(
  plan: ReductionPlan,
  contentName: ReductionRequest["contentName"],
): (entry: HistoryEntry | undefined, nth: number) => boolean {
  const kept = memoryOf(plan)?.kept;
  return (entry, nth) =>
    entry !== undefined &&
    (entry === kept?.[nth] || nameOf(entry, contentName) === plan.hashes?.[nth]);
}

/** Returns whether a plan keeps none of the given entries. */
export function keepsNone(
  plan: ReductionPlan,
  entries: readonly HistoryEntry[],
  contentName: ReductionRequest["contentName"],
): boolean {
  const kept = new Set(entries.length > 0 ? plan.hashes : []);
  return !entries.some((entry) => kept.has(nameOf(entry, contentName)));
}

/** Returns the name of a quoted entry: its content, and the day that the quotation shows. */
export function quoteName(
  entry: HistoryEntry,
  contentName: ReductionRequest["contentName"],
): string {
  return `${nameOf(entry, contentName)} ${Math.floor(entry.createdAtMs / 86_400_000)}`;
}

type Repaired = ReturnType<typeof repairHistory>;

/** Repairs a history from where it was repaired when it was planned. Entries that were valid then are not read. */
export function repairAsPlanned(
  given: readonly HistoryEntry[],
  { repairs, repairedFrom }: ReductionPlan,
): Repaired {
  return repairs.length === 0 ? { entries: given, repairs } : repairFrom(given, repairedFrom);
}

/** Repairs a history from an index on. Earlier entries are not read. */
export function repairFrom(given: readonly HistoryEntry[], from: number): Repaired {
  const { entries: end, repairs } = repairHistory(given.slice(from));
  return { entries: repairs.length === 0 ? given : given.slice(0, from).concat(end), repairs };
}

/** Finds the newest entry that the repair did not remove. */
export function newestOf(
  given: readonly HistoryEntry[],
  entries: readonly HistoryEntry[],
  repairedFrom: number,
): HistoryEntry | undefined {
  if (entries === given) return entries.at(-1);
  const byId = new Map(entries.slice(repairedFrom).map((entry) => [entry.id, entry]));
  const seen = new Set<string>();
  let newest: HistoryEntry | undefined;
  for (const { id } of given.slice(repairedFrom)) {
    // Of entries with the same id, the repair keeps the first.
    if (!seen.has(id)) newest = byId.get(id) ?? newest;
    seen.add(id);
  }
  return newest;
}
