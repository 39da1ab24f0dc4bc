import type { HistoryEntry, TokenCounter } from "@agent-history/core";
import {
  baseName,
  cacheReport,
  collectTranscript,
  LIST_PRICES,
  priceOf,
  promptTokens,
  sessionMeter,
  usageCost,
} from "@agent-history/transcripts";
import type { ModelCall, PriceTable, TranscriptItem } from "@agent-history/transcripts";

import type { CallColumn, InspectorData } from "./inspector-data.ts";
import { sessionChanges } from "./internal/session-changes.ts";
import { sessionCompactions } from "./internal/session-compactions.ts";
import { sessionPrompts } from "./internal/session-prompts.ts";
import type { SessionPrompt } from "./internal/session-prompts.ts";
import { lengthCounter, LENGTH_COUNTER_ID } from "./length-counter.ts";

/** How a session is drawn. */
export interface InspectSessionOptions {
  /** Counts the rows. Default: an estimate by length, which the page names as such. */
  readonly counter?: Pick<TokenCounter, "id" | "countEntry"> | undefined;
  /** Default: the session's title, its first request, or its id. */
  readonly title?: string | undefined;
  /** Default: `LIST_PRICES` of `@agent-history/transcripts`. */
  readonly prices?: PriceTable | undefined;
}

/**
 * Says what each call of a recorded session was sent: the data of the page. Rows are the entries of the branch that the agent ended with, columns its calls; what a compaction
 * replaced is `summarized`, what the tool cleared `cleared`. Subagents and rewound branches are left out.
 *
 * @example
 * ```ts
 * import { inspectSession } from "@agent-history/inspector";
 *
 * inspectSession([]).calls;
 * // => []
 * ```
 */
export function inspectSession(
  items: readonly TranscriptItem[],
  options: InspectSessionOptions = {},
): InspectorData {
  const { counter = lengthCounter(), prices = LIST_PRICES } = options;
  const { facts, main, problems } = collectTranscript(items);
  const entries = main.map(({ entry }) => entry);
  const tokens = entries.map((entry) => counter.countEntry(entry));
  const prompts = sessionPrompts(items, main, tokens);
  const isRecorded = prompts.length > 0;
  const meter = sessionMeter(counter);
  for (const item of items) meter.add(item);
  const measured = meter.result();
  const { breaks } = cacheReport([measured]);
  const rowOfLine = new Map(main.map(({ line }, row) => [line, row]));
  const changes = sessionChanges(prompts, { breaks, rowOfLine, prices });
  return {
    version: 1,
    title: options.title ?? facts.title ?? measured.title ?? facts.sessionId ?? "session",
    ...(facts.cwd !== undefined && { project: baseName(facts.cwd) }),
    entries,
    tokens,
    counterId: counter.id,
    ...(counter.id === LENGTH_COUNTER_ID && { isEstimated: true as const }),
    calls: isRecorded
      ? prompts.map((prompt, index) => {
          const change = changes[index];
          return { ...columnOf(prompt, index, prices), ...(change && { change }) };
        })
      : assumedCalls(entries, tokens),
    compactions: sessionCompactions(items, main, tokens),
    prices,
    problems: [
      ...problems.map(({ line, problem }) => `Line ${line}: ${problem}.`),
      ...(isRecorded || entries.length === 0 ? [] : [NO_CALLS]),
    ],
  };
}

const NO_CALLS =
  "No model call is recorded. One is assumed for each answer, with all that stands before it.";

/** The calls of plain messages: each answer was given to all that stands before it. */
function assumedCalls(
  entries: readonly HistoryEntry[],
  tokens: readonly number[],
): readonly CallColumn[] {
  const isAnswer = (row: number): boolean =>
    ["assistant_message", "action"].includes(entries[row]?.type ?? "");
  const rows = entries.flatMap((_, row) => (isAnswer(row) && !isAnswer(row - 1) ? [row] : []));
  let [sum, counted] = [0, 0];
  return rows.map((row, index) => {
    const previousTokens = sum;
    for (; counted < row; counted += 1) sum += tokens[counted] ?? 0;
    const reason = "All that stood before the answer.";
    return {
      id: String(index + 1),
      label: String(index + 1),
      decisions: [{ state: "kept", step: "", reason, tokensBefore: sum, tokensAfter: sum }],
      runs: row === 0 ? [] : [[0, row, 0]],
      edits: [],
      totalTokens: sum,
      ...(index > 0 && {
        change: {
          against: index - 1,
          sameTokens: previousTokens,
          previousTokens,
          what: "continues the request before",
          reasons: [],
          sentAgainTokens: 0,
        },
      }),
    };
  });
}

function columnOf(
  { call, ...prompt }: SessionPrompt,
  index: number,
  prices: PriceTable,
): CallColumn {
  const cost = costOf(call, prices);
  const atMs = call.askedAtMs ?? call.answeredAtMs;
  return {
    ...prompt,
    id: call.id,
    label: `${index + 1} · ${call.model}`,
    model: call.model,
    ...(atMs !== undefined && { atMs }),
    edits: [],
    totalTokens: promptTokens(call.usage),
    usage: call.usage,
    ...(cost !== undefined && { costUsd: cost }),
  };
}

function costOf({ model, usage }: ModelCall, prices: PriceTable): number | undefined {
  const price = priceOf(model, prices);
  return price === undefined ? undefined : usageCost(usage, price);
}
