import type {
  CompressionStrategy,
  HistoryEntry,
  HistoryView,
  TokenCounter,
} from "@agent-history/core";
import { HistoryError, countOption } from "@agent-history/core";

import type { CompressOptions } from "../compress-options.ts";
import type { CompressionTrigger } from "../compression-trigger.ts";
import { wholeHistory } from "../strategies/whole-history.ts";
import { checkedCounter } from "./checked-counter.ts";
import { modelPolicy } from "./model-policy.ts";

/** Options, checked and filled in. */
export interface Settings {
  readonly options: CompressOptions;
  readonly counter: TokenCounter;
  readonly strategy: CompressionStrategy;
  readonly view: HistoryView;
  readonly trigger: CompressionTrigger | undefined;
  readonly maxTokens: number | undefined;
  readonly minSavedShare: number;
  readonly tailTokens: number;
  readonly preserveMemory: boolean;
  readonly maxFailures: number;
  readonly minGrowthShare: number;
  /** Called with the failure of a model or summarizer where the fallback takes over. */
  readonly onRescued: (failure: unknown) => void;
  /** Tokens of an entry in the prompt of the view's agent. */
  readonly tokensOf: (entry: HistoryEntry) => number;
}

/** Checks the options and fills them in. */
export function readSettings(options: CompressOptions): Settings {
  const { view = "thread", trust } = options;
  if (typeof options.counter?.countEntry !== "function") {
    throw invalid("counter", "a token counter");
  }
  const counter = checkedCounter(options.counter);
  if (trust !== undefined && trust !== "system") throw invalid("trust", "`system`, or left out");
  for (const name of FUNCTIONS) {
    const value = options[name];
    if (value !== undefined && typeof value !== "function") throw invalid(name, "a function");
  }
  const maxTokens =
    options.maxTokens === undefined ? undefined : countOption("maxTokens", options.maxTokens);
  if (maxTokens === 0) throw invalid("maxTokens", "1 or more");
  const { minSavedShare = 0.2, minGrowthShare = 0.1 } = options;
  if (!(minSavedShare > 0 && minSavedShare < 1)) throw invalid("minSavedShare", "in (0, 1)");
  if (!(minGrowthShare >= 0)) throw invalid("minGrowthShare", "0 or more");
  const maxFailures = countOption("maxFailures", options.maxFailures ?? 3);
  if (maxFailures === 0) throw invalid("maxFailures", "1 or more");
  // Checked also where no model is given: an option that can never work is an error now.
  modelPolicy(options);
  const agentId = view.startsWith("agent:") ? view.slice("agent:".length) : undefined;
  const viewer = agentId === undefined ? {} : { agentId };
  return {
    options,
    counter,
    view,
    strategy: options.strategy ?? wholeHistory,
    trigger: options.trigger,
    maxTokens,
    minSavedShare,
    minGrowthShare,
    maxFailures,
    tailTokens: countOption("tailTokens", options.tailTokens ?? 1000),
    preserveMemory: options.preserveMemory ?? true,
    onRescued: () => {},
    tokensOf: (entry) => counter.countEntry(entry, viewer),
  };
}

const FUNCTIONS = ["strategy", "model", "summarizer", "fallback", "trigger", "onProgress"] as const;

function invalid(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` to be ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
