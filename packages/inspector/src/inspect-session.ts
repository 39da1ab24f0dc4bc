import type { TokenCounter } from "@agent-history/core";
import {
  baseName,
  BREAK_CAUSES,
  breakCost,
  cacheReport,
  collectTranscript,
  LIST_PRICES,
  lostMeter,
  priceOf,
  promptTokens,
  sessionMeter,
  usageCost,
} from "@agent-history/transcripts";
import type {
  CacheBreak,
  CompactionItem,
  LostReport,
  ModelCall,
  NeededFact,
  PriceTable,
  Transcript,
  TranscriptItem,
} from "@agent-history/transcripts";

import type {
  CallColumn,
  CellRun,
  DrawnCompaction,
  DrawnDecision,
  DrawnFact,
  InspectorData,
  RequestChange,
} from "./inspector-data.ts";
import { lengthCounter } from "./length-counter.ts";

/** Options of {@link inspectSession}. */
export interface InspectSessionOptions {
  /** Counts the rows. Default: an estimate by length, marked as such on the page. */
  readonly counter?: Pick<TokenCounter, "id" | "countEntry"> | undefined;
  /** Default: the session's title, its first request, or its id. */
  readonly title?: string | undefined;
  /** Default: `LIST_PRICES` of `@agent-history/transcripts`. */
  readonly prices?: PriceTable | undefined;
}

/**
 * Reconstructs what each call of a recorded session was sent, as data for the page. Rows are the entries of the final branch, columns its calls; entries that a compaction
 * replaced are `summarized`, results that the tool cleared are `cleared`. Subagents and rewound branches are left out.
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
  const transcript = collectTranscript(items);
  const { facts, main, problems } = transcript;
  const entries = main.map(({ entry }) => entry);
  const tokens = entries.map((entry) => counter.countEntry(entry));
  /** Prefix sums of the rows' tokens. */
  const sums = [0];
  for (const count of tokens) sums.push((sums.at(-1) ?? 0) + count);
  const [meter, lost] = [sessionMeter(counter), lostMeter()];
  for (const item of items) {
    meter.add(item);
    lost.add(item);
  }
  const measured = meter.result();
  const { prompts, compactions } = walkSession(items, transcript, { sums, lost: lost.result() });
  const breaks = new Map(cacheReport([measured]).breaks.map((one) => [one.call.id, one]));
  const rowOfLine = new Map(main.map(({ line }, row) => [line, row]));
  return {
    title: options.title ?? facts.title ?? measured.title ?? facts.sessionId ?? "session",
    project: facts.cwd === undefined ? undefined : baseName(facts.cwd),
    entries,
    tokens,
    counterId: counter.id,
    calls: prompts.map((prompt, index) => {
      const previous = prompts[index - 1];
      const one = breaks.get(prompt.call.id);
      if (previous === undefined) return columnOf(prompt, index, prices);
      const isCut = prompt.summarized > previous.summarized;
      const firstRow = isCut ? 0 : rowOfLine.get(one?.firstChangedLine ?? 0);
      const change = { ...changeOf(prompt, previous, one, prices), against: index - 1, firstRow };
      return { ...columnOf(prompt, index, prices), change };
    }),
    compactions,
    prices,
    problems: problems.map(({ line, problem }) => `Line ${line} ${PROBLEMS[problem]}.`),
  };
}

const PROBLEMS = {
  damaged: "is damaged and was skipped",
  joined: "contains several JSON objects; all were read",
  repeated: "repeats an earlier line and was skipped",
};

/** A call of a session, and the rows in its prompt. */
interface SessionPrompt extends Pick<CallColumn, "decisions" | "runs"> {
  readonly call: ModelCall;
  readonly summarized: SentRows["summarized"];
}

function columnOf(
  { call, decisions, runs }: SessionPrompt,
  index: number,
  prices: PriceTable,
): CallColumn {
  const { id, model, usage } = call;
  const price = priceOf(model, prices);
  const atMs = call.askedAtMs ?? call.answeredAtMs;
  return {
    decisions,
    runs,
    id,
    label: `${index + 1} · ${model}`,
    model,
    atMs,
    edits: [],
    totalTokens: promptTokens(usage),
    usage,
    costUsd: price && usageCost(usage, price),
  };
}

/** Describes how a call continued the previous one, from the logged usage. */
function changeOf(
  { call, summarized }: SessionPrompt,
  previous: SessionPrompt,
  one: CacheBreak | undefined,
  prices: PriceTable,
): Omit<RequestChange, "against" | "firstRow"> {
  const isCut = summarized > previous.summarized;
  const provider = call.providerReason;
  const what = one ? "the prompt cache broke" : "appends to the previous request";
  return {
    sameTokens: call.usage.cacheReadTokens,
    previousTokens: promptTokens(previous.call.usage),
    isMeasured: true,
    what: isCut ? "a summary replaced earlier entries" : what,
    reasons: [
      ...(one ? [`${one.isLikely ? "likely: " : ""}${BREAK_CAUSES[one.cause]}`] : []),
      ...(provider === undefined ? [] : [`provider: ${provider}`]),
    ],
    avoid: one && AVOIDS[one.cause],
    sentAgainTokens: one?.sentAgainTokens ?? 0,
    costUsd: one && breakCost(one, prices),
  };
}

const AVOIDS: Readonly<Partial<Record<CacheBreak["cause"], string>>> = {
  idle: "use a cache lifetime of one hour, or shorter pauses",
  cleared: "clear more results at once, and less often",
  rewound: "start a new session to try another approach",
  model: "use one model for a whole task",
  messages: "leave sent messages unchanged",
};

/**
 * Replays a session: the prompts of the main branch's calls, and the summaries. Entries that a summary replaced are excluded from all later prompts. Linear in the items and in the
 * cleared results of each call.
 */
function walkSession(
  items: readonly TranscriptItem[],
  { main, mainCalls }: Transcript,
  { sums, lost }: { readonly sums: readonly number[]; readonly lost: readonly LostReport[] },
): {
  readonly prompts: readonly SessionPrompt[];
  readonly compactions: readonly DrawnCompaction[];
} {
  const reports = new Map(lost.map((report) => [report.compaction, report]));
  const ownCalls = new Set(mainCalls);
  const rowOf = new Map<TranscriptItem, number>(main.map((item, row) => [item, row]));
  const rowOfCall = new Map<string, number>();
  const prompts: SessionPrompt[] = [];
  const compactions: DrawnCompaction[] = [];
  let waiting: CompactionItem | undefined;
  let [rows, summarized, cleared]: [number, number, readonly number[]] = [0, 0, []];
  for (const item of items) {
    const row = rowOf.get(item);
    if (item.kind === "entry" && row !== undefined) {
      const { entry } = item;
      if (entry.type === "observation") rowOfCall.set(entry.callId, row);
      if (entry.type === "summary" && waiting !== undefined) {
        const drawn = drawnCompaction(waiting, [summarized, row], sums);
        compactions.push({ ...drawn, facts: factsOf(reports.get(waiting)) });
        waiting = undefined;
      }
      rows = row + 1;
      if (entry.type === "summary") summarized = row;
    }
    if (item.kind === "compaction" && item.agentId === undefined) {
      if (item.how === "summary") waiting = item;
      const found = (item.callIds ?? []).flatMap((id) => rowOfCall.get(id) ?? []);
      if (item.how === "clearing")
        cleared = [...new Set([...cleared, ...found])].toSorted((a, b) => a - b);
    }
    if (item.kind === "call" && ownCalls.has(item.call) && rows > 0) {
      const cells = cellsOf({ rows, summarized, cleared }, sums);
      prompts.push({ call: item.call, summarized, ...cells });
    }
  }
  return { prompts, compactions };
}

function drawnCompaction(
  { trigger, isEncrypted, preTokens }: CompactionItem,
  [from, row]: readonly [from: number, row: number],
  sums: readonly number[],
): Omit<DrawnCompaction, "facts"> {
  const [before = 0, at = 0, after = 0] = [sums[from], sums[row], sums[row + 1]];
  return {
    row,
    covers: row > from ? [[from, row - from]] : [],
    tokensBefore: preTokens ?? at - before,
    tokensAfter: after - at,
    trigger,
    isEncrypted: isEncrypted ? true : undefined,
    basis: "needed",
  };
}

const KINDS: Readonly<Partial<Record<NeededFact["kind"], DrawnFact["kind"]>>> = {
  "file names": "path",
  identifiers: "name",
  numbers: "number",
  errors: "error",
};

function factsOf(report: LostReport | undefined): readonly DrawnFact[] {
  return (report?.facts ?? []).flatMap(({ kind: named, ...fact }) => {
    const kind = KINDS[named];
    return kind === undefined ? [] : [{ kind, ...fact }];
  });
}

/** The rows that a prompt contains. */
interface SentRows {
  readonly rows: number;
  /** The number of rows that a summary replaces. */
  readonly summarized: number;
  /** Rows with cleared results, in ascending order. */
  readonly cleared: readonly number[];
}

function cellsOf(
  { rows, summarized, cleared }: SentRows,
  sums: readonly number[],
): Pick<CallColumn, "decisions" | "runs"> {
  const decisions: DrawnDecision[] = [];
  const runs: CellRun[] = [];
  const add = (from: number, to: number, state: "summarized" | "kept" | "cleared"): void => {
    if (to <= from) return;
    const tokensBefore = (sums[to] ?? 0) - (sums[from] ?? 0);
    const tokensAfter = state === "kept" ? tokensBefore : 0;
    const drawn = { state, ...SAID[state], tokensBefore, tokensAfter, isEstimated: true } as const;
    runs.push([from, to - from, decisions.push(drawn) - 1]);
  };
  add(0, summarized, "summarized");
  let from = summarized;
  for (const row of cleared) {
    if (row < from || row >= rows) continue;
    add(from, row, "kept");
    add(row, row + 1, "cleared");
    from = row + 1;
  }
  add(from, rows, "kept");
  return { decisions, runs };
}

const SAID = {
  kept: { step: "none", reason: "Sent unchanged." },
  cleared: { step: "clearing", reason: "The tool cleared this result." },
  summarized: { step: "compaction", reason: "Replaced by a summary." },
} as const;
