import type {
  Decision,
  HistoryEntry,
  PlanContinuation,
  PlannedRecall,
  ReductionPlan,
  ReductionRequest,
} from "@agent-history/core";
import { CONTENT_HASH, contentHash } from "@agent-history/core/content-hash";

import { entryHash } from "./entry-hash.ts";
import type { FitContext } from "./fit-context.ts";
import { isOurs, isOursNamed, keptBy, rememberGrown, rememberPlan } from "./plan-memory.ts";
import type { PlanNames, UnnamedPlan } from "./plan-memory.ts";
import { isGone } from "./working-plan.ts";
import type { WorkingItem } from "./working-plan.ts";

/** A plan before its contents are named. */
export type UnsealedPlan = Omit<ReductionPlan, "hash" | "hashes" | "checksum" | "continued">;

/** What nobody else holds yet. */
export type Own<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** A recall block as a plan was made with it. */
export interface Block {
  readonly recall: PlannedRecall;
  /** The `memory` entry that quotes. */
  readonly entry: HistoryEntry;
  readonly quoted: readonly HistoryEntry[];
  /** Where what it stands before stood when it was made. */
  readonly at: number;
}

const blocksBy = new WeakMap<ReductionPlan, readonly Block[]>();

/** The recall blocks that a plan was made with here, in the order of the prompt. */
export function blocksOf(plan: ReductionPlan): readonly Block[] {
  return blocksBy.get(plan) ?? [];
}

/**
 * Completes a plan with the content hashes of what it keeps, and a checksum. Both are computed when somebody first reads them, to store the plan
 * for example: one that only goes from call to call costs no hashing.
 */
export function sealPlan(
  unsealed: UnsealedPlan,
  entries: readonly HistoryEntry[],
  { options: { contentName } }: Pick<FitContext, "options">,
  continued?: PlanContinuation,
  { blocks = [], grownFrom, follows, items }: SealOptions = {},
): ReductionPlan {
  let hashes: readonly string[] | undefined;
  let checksum: string | undefined;
  const names: PlanNames = {
    isNamed: contentName !== undefined,
    hashes: () =>
      (hashes ??= [
        ...(keptBy(plan) ?? []).map((entry) => identify(entry, contentName)),
        ...blocks.flatMap(({ quoted }) => quoted).map((entry) => quoteName(entry, contentName)),
      ]),
    checksum: () => (checksum ??= contentName === undefined ? contentHash(summed()) : ""),
  };
  const summed = (): object => ({ ...unsealed, hash: CONTENT_HASH });
  const unnamed: Own<UnnamedPlan> = { ...unsealed, hash: CONTENT_HASH };
  if (continued !== undefined) unnamed.continued = continued;
  const plan: ReductionPlan =
    grownFrom === undefined
      ? rememberPlan(unnamed, names, entries, { earlier: follows, items })
      : rememberGrown(unnamed, names, { ...grownFrom, entries });
  if (blocks.length > 0) blocksBy.set(plan, blocks);
  return plan;
}

/** A plan that another one adds to, and how many entries it is about. */
export interface GrownFrom {
  readonly earlier: ReductionPlan;
  readonly planned: number;
}

interface SealOptions {
  readonly blocks?: readonly Block[] | undefined;
  readonly grownFrom?: GrownFrom | undefined;
  /** The plan that it follows, where it is not grown from it. */
  readonly follows?: ReductionPlan;
  readonly items?: readonly WorkingItem[] | undefined;
}

/** Returns the name of a quoted entry: of a quotation the day is shown too. */
export function quoteName(
  entry: HistoryEntry,
  contentName: ReductionRequest["contentName"],
): string {
  return `${identify(entry, contentName)} ${Math.floor(entry.createdAtMs / 86_400_000)}`;
}

/** Returns the name of an entry, or its hash. */
function identify(entry: HistoryEntry, contentName: ReductionRequest["contentName"]): string {
  const name = contentName?.(entry);
  return name === undefined ? entryHash(entry) : `=${name}`;
}

/**
 * Returns a plan that can be read without a throw: one made here itself, of another, or one whose contents were named otherwise, a copy; nothing where
 * it cannot be copied.
 */
export function readablePlan(
  plan: ReductionPlan,
  { contentName }: Pick<ReductionRequest, "contentName">,
): ReductionPlan | undefined {
  try {
    return isOursNamed(plan, contentName !== undefined) ? plan : structuredClone(plan);
  } catch {
    return undefined;
  }
}

/** Returns whether a plan is as it was made: its totals are those of its decisions, its checksum is right or the caller answers for it. */
export function isIntact(plan: ReductionPlan, { contentName }: ReductionRequest): boolean {
  if (!isOurs(plan)) {
    const { hashes, checksum, continued, ...summed } = plan ?? {};
    if (summed.hash !== CONTENT_HASH) return false;
    const isNamed = checksum === "" && contentName !== undefined;
    if (!isNamed && contentHash(summed) !== checksum) return false;
    if (!Array.isArray(hashes) || hashes.length !== hashCount(plan)) return false;
  }
  return plan.totalTokens === totalOf(plan.requestTokens + quotedTokens(plan), plan.decisions);
}

/** How many contents a plan names. */
function hashCount(plan: ReductionPlan): number {
  const quotes = recallsOf(plan).reduce((sum, { quotes: ids }) => sum + ids.length, 0);
  const kept = plan.decisions.filter(({ action }) => !isGone(action));
  return kept.reduce((sum, { entryCount }) => sum + entryCount, quotes);
}

/** The recall blocks of a plan, in the order of the prompt. */
export function recallsOf({
  head,
  recalls = [],
}: Pick<ReductionPlan, "head" | "recalls">): readonly PlannedRecall[] {
  return head === undefined ? recalls : [head, ...recalls];
}

/** Tokens of what a plan quotes. */
export function quotedTokens(plan: ReductionPlan): number {
  return recallsOf(plan).reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Adds up what a plan sends. */
export function totalOf(requestTokens: number, decisions: readonly Decision[]): number {
  let sum = requestTokens;
  for (const { tokensAfter } of decisions) sum += tokensAfter;
  return sum;
}

/** Returns whether an entry is one that a plan keeps, by its number among them. The same object is known, another is hashed once. */
export function isKeptEntry(
  plan: ReductionPlan,
  { contentName }: Pick<ReductionRequest, "contentName">,
): (entry: HistoryEntry | undefined, nth: number) => boolean {
  const kept = keptBy(plan);
  return (entry, nth) =>
    entry !== undefined &&
    (entry === kept?.[nth] || identify(entry, contentName) === plan.hashes?.[nth]);
}
