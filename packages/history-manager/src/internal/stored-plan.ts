import type { ReductionPlan } from "@agent-history/core";
import {
  countCheck,
  integerCheck,
  kindsCheck,
  listCheck,
  literalCheck,
  optionalField,
  recordCheck,
  validCopy,
  textCheck,
} from "@agent-history/core/stored-form";

type StoredAction =
  | { readonly kind: "keep" }
  | { readonly kind: "drop" }
  | { readonly kind: "edit"; readonly edit: object }
  | { readonly kind: "summarize"; readonly summary: { readonly id: string } };

type Action<Kind> = Extract<StoredAction, { readonly kind: Kind }>;

const actionCheck = kindsCheck<StoredAction, "kind">(
  "kind",
  {
    keep: recordCheck<Action<"keep">>({ kind: literalCheck("keep") }),
    drop: recordCheck<Action<"drop">>({ kind: literalCheck("drop") }),
    edit: recordCheck<Action<"edit">>({
      kind: literalCheck("edit"),
      edit: recordCheck<object>({}),
    }),
    summarize: recordCheck<Action<"summarize">>({
      kind: literalCheck("summarize"),
      summary: recordCheck<{ readonly id: string }>({ id: textCheck }),
    }),
  },
  { object: "Expected an action of a plan" },
);

interface StoredRecall {
  readonly id: string;
  readonly before: string;
  readonly quotes: readonly string[];
  readonly indexes?: readonly number[];
  readonly tokens: number;
  readonly format: string;
}

const recallCheck = recordCheck<StoredRecall>({
  id: textCheck,
  before: textCheck,
  quotes: listCheck(textCheck),
  indexes: optionalField(listCheck(countCheck)),
  tokens: countCheck,
  format: textCheck,
});

interface StoredRun {
  readonly from: string;
  readonly to: string;
  readonly entryCount: number;
  readonly action: StoredAction;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

const runCheck = recordCheck<StoredRun>({
  from: textCheck,
  to: textCheck,
  entryCount: integerCheck({ least: 1 }),
  action: actionCheck,
  tokensBefore: countCheck,
  tokensAfter: countCheck,
});

interface StoredRepair {
  readonly kind: string;
  readonly entryId: string;
}

/** What of a plan is read to continue it. */
interface StoredPlan {
  readonly counterId: string;
  readonly window: { readonly contextTokens?: number };
  readonly repairs: readonly StoredRepair[];
  readonly repairedFrom: number;
  readonly decisions: readonly StoredRun[];
  readonly head?: StoredRecall;
  readonly recalls?: readonly StoredRecall[];
  readonly settledUntil: number;
  readonly requestTokens: number;
  readonly totalTokens: number;
  readonly hashes: readonly string[];
}

const planCheck = recordCheck<StoredPlan>({
  counterId: textCheck,
  window: recordCheck<StoredPlan["window"]>({ contextTokens: optionalField(countCheck) }),
  repairs: listCheck(recordCheck<StoredRepair>({ kind: textCheck, entryId: textCheck })),
  repairedFrom: countCheck,
  decisions: listCheck(runCheck),
  head: optionalField(recallCheck),
  recalls: optionalField(listCheck(recallCheck)),
  settledUntil: countCheck,
  requestTokens: countCheck,
  totalTokens: countCheck,
  hashes: listCheck(textCheck),
});

/**
 * Returns whether stored JSON is a plan. The manager's plans have no checksum: entries of a store are known by their ids, and what keeps a thread
 * keeps its plans.
 */
export function isStoredPlan(value: unknown): value is ReductionPlan {
  const plan = validCopy(planCheck, value);
  if (plan === undefined) return false;
  const { head, recalls = [], decisions, requestTokens } = plan;
  const quoted = recalls.reduce((sum, { tokens }) => sum + tokens, head?.tokens ?? 0);
  const total = decisions.reduce((sum, run) => sum + run.tokensAfter, requestTokens + quoted);
  const entryCount = plan.decisions.reduce((sum, run) => sum + run.entryCount, 0);
  return total === plan.totalTokens && Math.max(plan.settledUntil, plan.repairedFrom) <= entryCount;
}
