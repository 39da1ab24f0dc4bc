import { sameJson } from "@agent-history/core";
import type { HistoryEntry, Reduction, ReductionPlan } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";
import type { FitOptions } from "@agent-history/reducer";

import type { ChaosCall, ChaosCase } from "./generate-case.ts";
import { judgeFit } from "./judge-fit.ts";
import type { Breach, JudgedFit } from "./judge-fit.ts";
import { judgePrefix } from "./judge-prefix.ts";
import { judgeRefusal } from "./judge-refusal.ts";

/** What one call of a case broke. */
export interface CaseBreach extends Breach {
  /** Which call, from 0. */
  readonly call: number;
  /** What the call gave: the ids of what is kept, changed ones with a star, or the code of the error. */
  readonly gave: string;
}

/** A call that was made and gave a prompt. */
interface Made extends JudgedFit {
  readonly call: ChaosCall;
  /** Something changed among what the calls before left out, which only a stateless fit sees. */
  readonly isHidden: boolean;
}

/** Makes the calls of a case one after the other, and judges what comes out of each. */
export function runCase({ isRepeated, calls }: ChaosCase): readonly CaseBreach[] {
  let before: Made | undefined;
  return calls.flatMap((call, nth) => {
    const given = deepFreeze(call.entries);
    const last = call.plan === "none" ? undefined : before;
    const outcome = attempt(given, continued(call, last?.plan));
    const made = "error" in outcome ? undefined : madeOf(call, outcome, last);
    const breaches = [
      ...("error" in outcome ? judgeRefusal(call, outcome.error) : []),
      ...(made === undefined ? [] : judged(made, last)),
      ...statelessBreaches(call, outcome, last),
      ...(made && isRepeated && last === undefined ? repeatBreaches(made) : []),
    ];
    before = made;
    return breaches.map((breach) => ({ ...breach, call: nth, gave: told(given, outcome) }));
  });
}

type Outcome = Reduction | { readonly error: unknown };

function attempt(entries: readonly HistoryEntry[], options: FitOptions): Outcome {
  try {
    return fitToWindow(entries, options);
  } catch (error) {
    return { error };
  }
}

/** The options of a call that continues a plan: as it was, as it was stored, or of which some bytes are no longer what they were. */
function continued({ options, recheck, plan }: ChaosCall, kept?: ReductionPlan): FitOptions {
  if (kept === undefined) return options;
  const stored: ReductionPlan =
    plan === "kept" ? deepFreeze(kept) : JSON.parse(JSON.stringify(kept));
  const [first, ...others] = stored.decisions;
  const damaged = {
    ...stored,
    decisions: first ? [{ ...first, tokensAfter: first.tokensAfter - 100_000 }, ...others] : [],
    totalTokens: stored.totalTokens - 100_000,
  };
  const previousPlan = plan === "damaged" ? damaged : stored;
  return { ...options, previousPlan, ...(recheck && { recheck }) };
}

function madeOf(call: ChaosCall, { entries: fitted, plan }: Reduction, last?: Made): Made {
  const { viewer = {}, counter, without, scorer, firstRequestShare, window } = call.options;
  return {
    call,
    given: call.entries,
    fitted,
    plan,
    viewer,
    budget: window.contextTokens - (window.marginTokens ?? 0),
    countEntry: (entry) => Number(counter.countEntry(entry, viewer)),
    isInOrder: without === undefined && scorer === undefined,
    keepsFirst: (firstRequestShare ?? (scorer === undefined ? 0.1 : 0)) > 0,
    dropped: last === undefined ? new Set() : droppedBy(last),
    isHidden: last !== undefined && (last.isHidden || isChangedAmongDropped(call.entries, last)),
  };
}

function droppedBy({ given, fitted }: JudgedFit): ReadonlySet<string> {
  const kept = new Set(fitted.map(({ id }) => id));
  return new Set(given.map(({ id }) => id).filter((id) => !kept.has(id)));
}

/** Whether what was left out, as far as it is still there, is another now, or something came in between. */
function isChangedAmongDropped(given: readonly HistoryEntry[], last: Made): boolean {
  const dropped = droppedBy(last);
  const [known, now] = [last.given, given].map((all) => new Set(all.map(({ id }) => id)));
  const isKnown = ({ id }: HistoryEntry): boolean => known?.has(id) === true;
  const among = given.filter((entry, index) => {
    if (isKnown(entry)) return dropped.has(entry.id);
    const beside = [given.slice(0, index).findLast(isKnown), given.slice(index).find(isKnown)];
    return beside.every((one) => one !== undefined && dropped.has(one.id));
  });
  const before = last.given.filter(({ id }) => dropped.has(id) && now?.has(id));
  return !sameJson(among, before);
}

function judged(made: Made, last: Made | undefined): readonly Breach[] {
  const { given, plan, isHidden, call } = made;
  const isCopied = new Set(given.map(({ id }) => id)).size < given.length;
  // Of what is there twice the first copy may lie too far back to be looked at.
  const isFar = isCopied && plan.decisions.some(({ step }) => step === "horizon");
  // A second look finds what was pinned since, and nothing else.
  const unseen = isFar ? OF_A_COPY : !isHidden ? NONE : call.recheck ? OF_NO_PIN : OF_A_COPY;
  const found = judgeFit(made).filter(({ law }) => !unseen.has(law));
  return [...found, ...(last === undefined ? [] : prefixBreaches(last, made))];
}

const NONE: ReadonlySet<string> = new Set();
const OF_NO_PIN: ReadonlySet<string> = new Set(["L15"]);
const OF_A_COPY: ReadonlySet<string> = new Set(["L2", "L3", "L15", "L16"]);

/** Holds a call against the one before it, where both were made with the same settings and an honest plan. */
function prefixBreaches(last: Made, made: Made): readonly Breach[] {
  const { options, plan } = made.call;
  if (plan === "damaged" || options !== last.call.options) return [];
  // What was pinned after it was dropped comes back once its turn, or all, is looked at again.
  if (made.given.some(({ id, pinned }) => pinned === true && made.dropped.has(id))) return [];
  // A block takes room of its own, and a cut for a question is made before the window is full.
  if (options.scorer !== undefined && "recall" in options.scorer && options.recall !== "off")
    return [];
  return judgePrefix(last, made);
}

/** L17: a plan decides neither that a call is refused nor that it is not. */
function statelessBreaches(call: ChaosCall, outcome: Outcome, last?: Made): readonly Breach[] {
  const { entries, options, recheck } = call;
  if (last === undefined || options.without !== undefined) return [];
  // What was pinned after it was dropped asks for a stateless fit, or a second look.
  const dropped = droppedBy(last);
  const isPinnedLate = entries.some(({ id, pinned }) => pinned === true && dropped.has(id));
  if (isPinnedLate && recheck !== true) return [];
  const isRefused = "error" in attempt(entries, options);
  if (isRefused === "error" in outcome) return [];
  return [{ law: "L17", rule: `refused only with${isRefused ? "out" : ""} its plan` }];
}

/** L5 and L8: what fits comes back as it is, fitting twice is fitting once, the same input gives the same. */
function repeatBreaches(made: Made): readonly Breach[] {
  const { call, given, fitted, plan, budget, countEntry } = made;
  const again = attempt(given, call.options);
  const isSame = !("error" in again) && sameJson(again, { entries: fitted, plan });
  const sumOf = (entries: readonly HistoryEntry[]): number =>
    entries.reduce((sum, entry) => sum + countEntry(entry), plan.requestTokens);
  const cap = Math.floor((budget - plan.requestTokens) * (call.options.maxResultShare ?? 0.5));
  const isCapped = given.some((one) => one.type === "observation" && countEntry(one) > cap);
  const isNeedless = plan.repairs.length === 0 && !isCapped && sumOf(given) <= budget;
  const twice = attempt(fitted, call.options);
  // Where an estimate was lowered, the prompt does not fit by its count, and once a late result stands at its call, another entry is the newest.
  const places = fitted.map(({ id }) => given.findIndex((entry) => entry.id === id));
  const isMoved = places.some((place, nth) => place < (places[nth - 1] ?? 0));
  const isOther = isMoved && sumOf(fitted) > budget;
  const isStable = isOther || (!("error" in twice) && sameJson(twice.entries, fitted));
  return [
    ...(isSame ? [] : [{ law: "L8", rule: "another outcome of the same input" }]),
    ...(isNeedless && fitted !== given ? [{ law: "L5", rule: "changed what fits" }] : []),
    ...(isStable ? [] : [{ law: "L5", rule: "fitting twice is not fitting once" }]),
  ];
}

/** Freezes plain data and all that it holds, so that whoever changes it throws. What is frozen was frozen whole. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}

function told(given: readonly HistoryEntry[], outcome: Outcome): string {
  if ("error" in outcome) return String(outcome.error);
  const before = new Map(given.map((entry) => [entry.id, entry]));
  return outcome.entries
    .map((entry) => (before.get(entry.id) === entry ? entry.id : `${entry.id}*`))
    .join(" ");
}
