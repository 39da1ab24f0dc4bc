import type {
  Compaction,
  CompressionOutcome,
  CompressionStrategy,
  HistoryEntry,
  HistoryView,
  JsonValue,
  SummaryModel,
  SummaryPart,
  TokenCounter,
} from "@agent-history/core";
import { countOption } from "@agent-history/core";

import type { CompressionState } from "./compression-state.ts";
import { modelPolicy } from "./internal/ask-model.ts";
import type { ModelOptions, ModelPolicy } from "./internal/ask-model.ts";
import { checkedCounter, countFrom, invalidOption } from "./internal/checked.ts";
import { wholeHistory } from "./strategies.ts";
import type { CompressionTrigger } from "./triggers.ts";

/** Options of {@link compressHistory}: what to summarize, what to keep, and who writes the summary. */
export interface CompressOptions extends ModelOptions {
  /** Counts entries and texts. All token numbers below are its tokens. */
  readonly counter: TokenCounter;
  /** Chooses what becomes a summary. Default `wholeHistory`. */
  readonly strategy?: CompressionStrategy | undefined;
  /** Whose history: the thread, the conversation, or one agent's trace. Default `thread`. */
  readonly view?: HistoryView | undefined;
  /** A model that writes the summaries. Default: none; the `summarizer` is used. */
  readonly model?: SummaryModel | undefined;
  /** Whether to write the summary from the record if the model fails. Default `false`: the outcome is `failed`. */
  readonly fallback?: boolean | undefined;
  /** Decides whether to compress now. Default: always. */
  readonly trigger?: CompressionTrigger | undefined;
  /** The cap on one summary entry, in tokens. Default: a fifth of the covered tokens, between 200 and 4000. */
  readonly maxTokens?: number | undefined;
  /** The share of the covered tokens that a summary must save, above 0 and below 1. Default 0.2. */
  readonly minSavedShare?: number | undefined;
  /** The newest entries, up to this many tokens, stay word for word. Default 1000; 0 for {@link replaceHistoryWithSummary}. */
  readonly tailTokens?: number | undefined;
  /** Whether `memory` entries stay word for word. Default `true`. */
  readonly preserveMemory?: boolean | undefined;
  /** Makes the summaries system messages. Default: they have the trust of the least trusted entry they cover, and are rendered as user messages. */
  readonly trust?: "system" | undefined;
  /** The `state` of this view's last outcome. Default: none. */
  readonly state?: JsonValue | undefined;
  /** After this many consecutive failures nothing is tried until the history has grown; from 1. Default 3. */
  readonly maxFailures?: number | undefined;
  /** The share of its tokens by which a view must grow before another attempt after a failure or `not-beneficial`, from 0. Default 0.1. */
  readonly minGrowthShare?: number | undefined;
  readonly newId?: (() => string) | undefined;
  readonly now?: (() => number) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Why nothing was tried. */
export type NotNeededCause = "trigger" | "cooling-down" | "nothing-to-cover" | "strategy";

/**
 * How a compression ended: core's `CompressionOutcome`, with all summaries, their parts, and the state to pass to the
 * next call. The input entries never change.
 */
export type CompressionResult = {
  /** Pass it to the next call. */
  readonly state: CompressionState;
} & (
  | (Outcome<"compressed"> & {
      /** One for each summary, in order; `compaction` is the first. */
      readonly compactions: readonly Compaction[];
      /** The parts in the texts. */
      readonly shown: readonly SummaryPart[];
      /** Parts without room in the text. They stay in `summary.parts`, and the next compaction may show them. */
      readonly dropped: readonly SummaryPart[];
    })
  | (Outcome<"not-needed"> & { readonly cause: NotNeededCause })
  | Outcome<"not-beneficial">
  | Outcome<"failed">
);

type Outcome<Name> = Extract<CompressionOutcome, { readonly outcome: Name }>;

/** Options, checked and filled in. */
export interface Settings {
  readonly options: CompressOptions;
  readonly counter: TokenCounter;
  readonly policy: ModelPolicy;
  readonly strategy: CompressionStrategy;
  readonly view: HistoryView;
  readonly maxTokens: number | undefined;
  readonly minSavedShare: number;
  readonly tailTokens: number;
  readonly preserveMemory: boolean;
  readonly maxFailures: number;
  readonly minGrowthShare: number;
  /** Tokens of an entry in the prompt of the view's agent. */
  readonly tokensOf: (entry: HistoryEntry) => number;
  /** Called with the model's failure when the record takes over. */
  readonly onRescued: (failure: unknown) => void;
}

/** Checks the options and fills them in. */
export function readSettings(options: CompressOptions): Settings {
  const { view = "thread", trust, minSavedShare = 0.2, minGrowthShare = 0.1 } = options;
  if (typeof options.counter?.countEntry !== "function")
    throw invalidOption("counter", "a token counter");
  if (trust !== undefined && trust !== "system")
    throw invalidOption("trust", "`system`, or left out");
  for (const name of ["strategy", "model", "trigger"] as const) {
    const isGood = options[name] === undefined || typeof options[name] === "function";
    if (!isGood) throw invalidOption(name, "a function");
  }
  if (!(minSavedShare > 0 && minSavedShare < 1)) throw invalidOption("minSavedShare", "in (0, 1)");
  if (!(minGrowthShare >= 0)) throw invalidOption("minGrowthShare", "0 or more");
  const { maxTokens } = options;
  const counter = checkedCounter(options.counter);
  const agentId = view.startsWith("agent:") ? view.slice("agent:".length) : undefined;
  const viewer = agentId === undefined ? {} : { agentId };
  return {
    options,
    counter,
    view,
    minSavedShare,
    minGrowthShare,
    strategy: options.strategy ?? wholeHistory,
    maxTokens: maxTokens === undefined ? undefined : countFrom(1, "maxTokens", maxTokens),
    maxFailures: countFrom(1, "maxFailures", options.maxFailures ?? 3),
    // Check these without a model too, so that an invalid option is reported immediately.
    policy: modelPolicy(options),
    tailTokens: countOption("tailTokens", options.tailTokens ?? 1000),
    preserveMemory: options.preserveMemory ?? true,
    tokensOf: (entry) => counter.countEntry(entry, viewer),
    onRescued: () => {},
  };
}
