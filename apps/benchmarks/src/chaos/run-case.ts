import { isHistoryError } from "@agent-history/core";
import type { HistoryEntry, Reduction, ReductionPlan, RelevanceScorer } from "@agent-history/core";
import { fitToWindow, importanceScorer, recencyScorer, STEP_NAMES } from "@agent-history/reducer";
import type { FitOptions } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";

import { judgeFit } from "../oracle/judge-fit.ts";
import { judgePrefix } from "../oracle/judge-prefix.ts";
import { judgeRefusal } from "../oracle/judge-refusal.ts";
import { readHistory } from "../oracle/read-history.ts";
import { sameJson } from "../oracle/same-json.ts";
import type { Breach } from "../oracle/trial.ts";
import type { ChaosCall, ChaosCase, ScorerName } from "./chaos-case.ts";
import { counterCalled } from "./counters.ts";
import { damagedPlan } from "./damaged-plan.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { judgeByCore } from "./judge-by-core.ts";
import { judgeByProviders } from "./judge-by-providers.ts";
import { readerOf } from "./read-as-chat.ts";
import { standsAmongDropped } from "./stands-among-dropped.ts";

/** What one call of a case gave. */
export interface CaseBreach extends Breach {
  /** Which call, from 0. */
  readonly call: number;
  /** What the call gave: the ids of what is kept, changed ones with a star, or the code of the error. */
  readonly gave: string;
}

const TOOLS = [{ name: "look" }, { name: "run" }];

/** Makes the calls of a case one after the other, and judges what comes out of each. */
export function runCase(chaosCase: ChaosCase): readonly CaseBreach[] {
  const read = readerOf(chaosCase.form);
  const calls = chaosCase.calls.map((call) => read(call));
  const breaches: CaseBreach[] = [];
  let plan: ReductionPlan | undefined;
  let dropped: ReadonlySet<string> = new Set();
  let known: ReadonlyMap<string, HistoryEntry> = new Map();
  let isHidden = false;
  let before: Before | undefined;
  for (const [nth, call] of calls.entries()) {
    const given = deepFreeze(call.entries);
    const previousPlan = plan === undefined ? undefined : planFor(call, plan);
    const { recheck } = call;
    const earlier = previousPlan && { previousPlan, ...(recheck && { recheck }) };
    const outcome = attempt(given, { ...optionsOf(call), ...earlier });
    const isIncremental = previousPlan !== undefined;
    const { isRepeated } = chaosCase;
    isHidden = isIncremental && (isHidden || standsAmongDropped(given, { known, dropped }));
    const all = judged(call, outcome, { isIncremental, isRepeated, dropped });
    // What changes among what was dropped is seen by a stateless fit only; a second look finds pins.
    const unseen = recheck === true ? OF_NO_PIN : OF_WHAT_IS_GONE;
    const found = isHidden ? all.filter(({ law }) => !unseen.has(law)) : all;
    const torn = isIncremental ? prefixBreaches(before, { call, outcome }) : [];
    breaches.push(
      ...[...found, ...torn].map((breach) => ({
        ...breach,
        call: nth,
        gave: told(given, outcome),
      })),
    );
    if ("error" in outcome) {
      [plan, before] = [undefined, undefined];
      continue;
    }
    plan = outcome.plan;
    before = { call, outcome };
    const kept = new Set(outcome.entries.map(({ id }) => id));
    known = new Map(given.map((entry) => [entry.id, entry]));
    dropped = new Set(given.filter(({ id }) => !kept.has(id)).map(({ id }) => id));
  }
  return breaches;
}

const OF_A_COPY: ReadonlySet<string> = new Set(["L2", "L3", "L15", "L16"]);
const OF_NO_PIN: ReadonlySet<string> = new Set(["L15", "L17"]);
const OF_WHAT_IS_GONE: ReadonlySet<string> = new Set([...OF_NO_PIN, "L2", "L3", "L16"]);

function told(given: readonly HistoryEntry[], outcome: Outcome): string {
  if ("error" in outcome) return nameOf(outcome.error);
  const before = new Map(given.map((entry) => [entry.id, entry]));
  return outcome.entries
    .map((entry) => (before.get(entry.id) === entry ? entry.id : `${entry.id}*`))
    .join(" ");
}

interface Before {
  readonly call: ChaosCall;
  readonly outcome: Outcome;
}

/** Holds a call against the one before it, where both were made with the same settings and an honest plan. */
function prefixBreaches(before: Before | undefined, { call, outcome }: Before): readonly Breach[] {
  if (before === undefined || "error" in outcome || "error" in before.outcome) return [];
  const { entries: given, plan: use, recheck: _recheck, ...settings } = call;
  const { entries: givenBefore, plan: _plan, recheck: _, ...settingsBefore } = before.call;
  if (use === "damaged" || !sameJson(settings, settingsBefore)) return [];
  // What was pinned after it was dropped comes back once its turn, or all, is looked at again.
  const sent = new Set(before.outcome.entries.map(({ id }) => id));
  if (given.some(({ id, pinned }) => pinned === true && !sent.has(id))) return [];
  // A block takes room of its own, and a cut for a question is made before the window is full.
  if (call.scorer === "lexical" && call.recall === undefined) return [];
  const { counter, viewer } = optionsOf(call);
  const { contextTokens, marginTokens = 0 } = call.window;
  return judgePrefix({
    given,
    givenBefore,
    fitted: outcome.entries,
    fittedBefore: before.outcome.entries,
    budget: contextTokens - marginTokens - outcome.plan.requestTokens,
    countEntry: (entry) => Number(counter.countEntry(entry, viewer)),
    ...(call.viewerId !== undefined && { viewerId: call.viewerId }),
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

interface Circumstances {
  readonly isIncremental: boolean;
  readonly isRepeated: boolean;
  /** What the call before left out. */
  readonly dropped: ReadonlySet<string>;
}

function judged(
  call: ChaosCall,
  outcome: Outcome,
  { isIncremental, isRepeated, dropped }: Circumstances,
): readonly Breach[] {
  const { entries: given, window, viewerId, steps, scorer } = call;
  const options = optionsOf(call);
  const { counter, tools, viewer } = options;
  const countEntry = (entry: HistoryEntry): number => Number(counter.countEntry(entry, viewer));
  const requestTokens = Number(counter.countRequest(tools));
  const facts = {
    given,
    window,
    ...(viewerId !== undefined && { viewerId }),
    countEntry,
    requestTokens,
    isInOrder: steps === undefined && scorer === undefined,
    hasOwnSteps: steps !== undefined,
    keepsFirst: (call.firstRequestShare ?? (scorer === undefined ? 0.1 : 0)) > 0,
  };
  // What was pinned after it was dropped asks for a stateless fit, or a second look; steps of one's own may leave more each time.
  const isPinnedLate =
    call.recheck !== true && given.some(({ id, pinned }) => pinned === true && dropped.has(id));
  const isCompared = isIncremental && !isPinnedLate && steps === undefined;
  const stateless = isCompared ? attempt(given, options) : outcome;
  if ("error" in outcome) {
    const again = (contextTokens: number): boolean => {
      return !("error" in attempt(given, { ...options, window: { contextTokens } }));
    };
    const isSame = "error" in stateless;
    const { error } = outcome;
    // How much must be kept is not known where ids are unclear.
    if (isHistoryError(error) && hasDoubledId(given)) return [];
    if (!isHistoryError(error, "WINDOW_TOO_SMALL"))
      return [{ law: "L4", rule: `threw ${nameOf(error)}` }];
    const refused = judgeRefusal(facts, error.details, again);
    return isSame ? refused : [...refused, { law: "L17", rule: "refused only with its plan" }];
  }
  const droppedBefore = isIncremental ? { droppedBefore: dropped } : {};
  const { entries: fitted, plan } = outcome;
  // Of what is there twice the first copy may lie too far back to be looked at.
  const isCopied = new Set(given.map(({ id }) => id)).size < given.length;
  const isFar = isCopied && plan.decisions.some(({ step }) => step === "horizon");
  const found = judgeFit({ ...facts, fitted, plan, ...droppedBefore });
  const breaches = isFar ? found.filter(({ law }) => !OF_A_COPY.has(law)) : [...found];
  const { sound } = readHistory(given, call.viewerId);
  if (plan.repairs.length === 0 && given.every((entry, index) => entry === sound[index])) {
    breaches.push(...judgeByProviders(given, fitted, { viewer, plan }));
    if (!isPinnedLate) breaches.push(...judgeByCore(given, fitted, viewer));
  }
  if (isCompared && "error" in stateless) {
    breaches.push({ law: "L17", rule: "refused only without its plan" });
  }
  if (isRepeated && !isIncremental) breaches.push(...repeatBreaches(call, outcome, countEntry));
  return breaches;
}

/** L5 and L8: what fits comes back as it is, fitting twice is fitting once, the same input gives the same. */
function repeatBreaches(
  call: ChaosCall,
  { entries: fitted, plan }: Reduction,
  countEntry: (entry: HistoryEntry) => number,
): readonly Breach[] {
  const options = optionsOf(call);
  const breaches: Breach[] = [];
  const again = attempt(call.entries, options);
  if ("error" in again || !sameJson(again, { entries: fitted, plan })) {
    breaches.push({ law: "L8", rule: "another outcome of the same input" });
  }
  const total = call.entries.reduce((sum, entry) => sum + countEntry(entry), plan.requestTokens);
  const { contextTokens, marginTokens = 0 } = call.window;
  const cap = Math.floor(
    (contextTokens - marginTokens - plan.requestTokens) * (options.maxResultShare ?? 0.5),
  );
  const isCapped = call.entries.some(
    (entry) => entry.type === "observation" && countEntry(entry) > cap,
  );
  const isSound = plan.repairs.length === 0;
  if (isSound && !isCapped && total <= contextTokens - marginTokens && fitted !== call.entries) {
    breaches.push({ law: "L5", rule: "changed what fits" });
  }
  const twice = attempt(fitted, options);
  // Where an estimate was lowered, the prompt does not fit by its count, and once a late result stands at its call, another entry is the newest.
  const sent = fitted.reduce((sum, entry) => sum + countEntry(entry), plan.requestTokens);
  const places = fitted.map(({ id }) => call.entries.findIndex((entry) => entry.id === id));
  const isMoved = places.some((place, nth) => place < (places[nth - 1] ?? 0));
  const isOther = isMoved && sent > contextTokens - marginTokens;
  if (!isOther && ("error" in twice || !sameJson(twice.entries, fitted))) {
    breaches.push({ law: "L5", rule: "fitting twice is not fitting once" });
  }
  return breaches;
}

/** Two entries of one id that say different things cannot be told apart. */
function hasDoubledId(entries: readonly HistoryEntry[]): boolean {
  const firsts = new Map<string, HistoryEntry>();
  return entries.some((entry) => {
    const first = firsts.get(entry.id);
    firsts.set(entry.id, first ?? entry);
    return first !== undefined && !sameJson(first, entry);
  });
}

function planFor({ plan: use }: ChaosCall, plan: ReductionPlan): ReductionPlan | undefined {
  if (use === "none") return undefined;
  if (use === "kept") return deepFreeze(plan);
  const stored: ReductionPlan = JSON.parse(JSON.stringify(plan));
  return use === "stored" ? stored : damagedPlan(stored);
}

function optionsOf(call: ChaosCall): FitOptions {
  const { window, viewerId, counter, steps, scorer, recall, hasTools } = call;
  const { maxResultShare, lowWatermark, firstRequestShare } = call;
  return {
    window,
    counter: counterCalled(counter),
    ...(viewerId !== undefined && { viewer: { agentId: viewerId } }),
    ...(steps && { without: STEP_NAMES.filter((_, index) => !steps.includes(index)) }),
    ...(scorer && {
      scorer: recall === "on-cut" ? withoutBlocks(SCORERS[scorer]) : SCORERS[scorer],
    }),
    ...(recall === "off" && { recall }),
    ...(hasTools && { tools: TOOLS }),
    ...(maxResultShare !== undefined && { maxResultShare }),
    ...(lowWatermark !== undefined && { lowWatermark }),
    ...(firstRequestShare !== undefined && { firstRequestShare }),
  };
}

const SCORERS: Readonly<Record<ScorerName, RelevanceScorer>> = {
  recency: recencyScorer(),
  importance: importanceScorer(),
  lexical: lexicalScorer(),
};

/** A scorer that brings no recall blocks: each cut asks it. */
function withoutBlocks(scorer: RelevanceScorer): RelevanceScorer {
  return { name: scorer.name, score: (...asked) => scorer.score(...asked) };
}

function nameOf(error: unknown): string {
  if (isHistoryError(error)) return error.code;
  return error instanceof Error ? error.name : "no error";
}
