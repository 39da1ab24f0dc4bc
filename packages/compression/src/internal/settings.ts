import type {
  CompressionStrategy,
  HistoryEntry,
  HistoryView,
  TokenCounter,
} from "@agent-history/core";
import { HistoryError, countOption } from "@agent-history/core";

import type { CompressOptions } from "../compress-options.ts";
import type { CompressionTrigger } from "../compression-trigger.ts";
import { extractiveSummarizer } from "../extractive/extractive-summarizer.ts";
import type { Summarizer } from "../extractive/summarizer.ts";
import { wholeHistory } from "../strategies/whole-history.ts";
import { addFacts } from "./add-facts.ts";
import { checkedCounter } from "./checked-counter.ts";
import { lexicalFacts } from "./lexical-facts.ts";
import { modelPolicy } from "./model-policy.ts";
import { modelWriter } from "./model-writer.ts";
import { parseFacts } from "./parse-facts.ts";
import { renderFacts } from "./render-facts.ts";
import type { SummaryWriter, WriterRequest } from "./summary-writer.ts";

/** Options, checked and filled in. */
export interface Settings {
  readonly options: CompressOptions;
  readonly counter: TokenCounter;
  readonly strategy: CompressionStrategy;
  readonly view: HistoryView;
  readonly trigger: CompressionTrigger | undefined;
  /** The first that does not fail writes. */
  readonly writers: readonly SummaryWriter[];
  readonly maxTokens: number | undefined;
  readonly minSavedShare: number;
  readonly tailTokens: number;
  readonly preserveMemory: boolean;
  readonly maxFailures: number;
  readonly minGrowthShare: number;
  /** Tokens of an entry in the prompt of the view's agent. */
  readonly tokensOf: (entry: HistoryEntry) => number;
}

/** Checks the options and fills them in. */
export function readSettings(options: CompressOptions): Settings {
  const { model, fallback, view = "thread", trust } = options;
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
  const write = plainWriter(options.summarizer ?? extractiveSummarizer());
  const agentId = view.startsWith("agent:") ? view.slice("agent:".length) : undefined;
  const viewer = agentId === undefined ? {} : { agentId };
  return {
    options,
    counter,
    view,
    strategy: options.strategy ?? wholeHistory,
    trigger: options.trigger,
    writers: [
      model === undefined ? write : modelWriter(model, options),
      ...(fallback === undefined ? [] : [plainWriter(fallback)]),
    ],
    maxTokens,
    minSavedShare,
    minGrowthShare,
    maxFailures,
    tailTokens: countOption("tailTokens", options.tailTokens ?? 1000),
    preserveMemory: options.preserveMemory ?? true,
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

/** Makes a writer of a summarizer. Facts of concepts are found by their words. */
function plainWriter(summarize: Summarizer): SummaryWriter {
  return async (request) => {
    const { onPiece, concepts, ...asked } = request;
    const text = concepts === undefined ? await summarize(asked) : findFacts(request);
    onPiece(1, 1);
    return text;
  };
}

/** What an earlier summary says beside facts is taken over as it is. */
function findFacts(request: WriterRequest): string {
  const { concepts = [], covered, previous = "", counter, maxTokens } = request;
  const { found, rest } = parseFacts(previous, concepts);
  const fresh = lexicalFacts(covered, concepts);
  const all = new Map(found);
  for (const concept of concepts) addFacts(all, concept, fresh.get(concept.keyword) ?? []);
  const restTokens = rest === "" ? 0 : counter.countText(rest) + 1;
  if (restTokens > maxTokens / 2) {
    throw new HistoryError("Expected `maxTokens` to leave room next to the earlier summary.", {
      code: "WINDOW_TOO_SMALL",
      details: { required: 2 * restTokens, available: maxTokens },
    });
  }
  const text = renderFacts(all, { ...request, maxTokens: maxTokens - restTokens });
  return text === "" || rest === "" ? text : `${rest}\n${text}`;
}
