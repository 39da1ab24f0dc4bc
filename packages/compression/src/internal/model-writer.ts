import { HistoryError } from "@agent-history/core";
import type { SummaryModel, SummaryPart, TokenCounter } from "@agent-history/core";

import type { FactsByKeyword } from "../facts/fact-parts.ts";
import { readFacts } from "../facts/read-facts.ts";
import type { ModelOptions } from "../model-options.ts";
import { readAnswer } from "../record/model-answer.ts";
import { askModel } from "./ask-model.ts";
import type { ModelPolicy } from "./ask-model.ts";
import type { RequestData } from "./build-request.ts";
import { factInstructions, requestPrompt, summaryInstructions } from "./build-request.ts";
import { checkAnswer } from "./check-answer.ts";
import { cutPieces } from "./cut-pieces.ts";
import { escapeData } from "./escape-data.ts";
import { modelPolicy } from "./model-policy.ts";
import { recallModel } from "./remembered-models.ts";
import { linesOf } from "./render-history.ts";
import type { DraftRequest } from "./summary-draft.ts";

/** What a model is asked to write or to look for. */
export interface ModelRequest extends DraftRequest {
  readonly counter: Pick<TokenCounter, "countText">;
  readonly signal?: AbortSignal;
}

/** What it takes to ask a model about pieces of a history. */
interface ModelTask {
  readonly ask: SummaryModel;
  readonly policy: ModelPolicy;
  readonly contextTokens: number;
  readonly concurrency: number;
  readonly counter: Pick<TokenCounter, "countText">;
  readonly signal: AbortSignal;
  /** The cap on an answer. */
  readonly maxTokens: number;
}

/** How much of the model's window one answer may take, however high the cap on the summary is. */
const ANSWER_SHARE = 0.25;
/** What a model leaves out is put beside its answer. */
const MODEL_SHARE = 0.5;

/** Asks a model for the parts of a summary: reads what fits its window, piece by piece, joins what it says and checks it against the record. */
export async function modelParts(
  request: ModelRequest,
  record: readonly SummaryPart[],
  model: SummaryModel,
  options: ModelOptions,
): Promise<readonly SummaryPart[]> {
  const answer = await withTask(request, model, options, (task) => writeSummary(request, task));
  return readAnswer(answer, record);
}

/** Asks a model for the facts of all concepts at once, piece by piece, and keeps what is well formed. */
export async function modelFacts(
  request: ModelRequest,
  model: SummaryModel,
  options: ModelOptions,
): Promise<FactsByKeyword> {
  const { read, concepts = [], previousText } = request.span;
  return withTask(request, model, options, async (task) => {
    const instructions = factInstructions(concepts, task.maxTokens);
    const pieces = cutPieces(
      linesOf(read),
      roomFor(previousText, task, instructions),
      task.counter,
    );
    const all = new Map<string, readonly string[]>();
    for (const [index, history] of (pieces.length === 0 ? [[]] : pieces).entries()) {
      // The earlier summary is read once, with the first piece.
      const previous = index === 0 && previousText !== "" ? { previous: previousText } : {};
      const found = await askForFacts({ history, ...previous }, instructions, request, task);
      for (const { keyword, factType } of concepts) {
        const facts = found.get(keyword) ?? [];
        const isNewest = factType === "single" && facts.length > 0;
        all.set(keyword, isNewest ? facts : [...new Set([...(all.get(keyword) ?? []), ...facts])]);
      }
      request.onPiece(index + 1, Math.max(1, pieces.length));
    }
    return all;
  });
}

/** Where one piece fails, those that are being read are stopped. */
async function withTask<Result>(
  { maxTokens, counter, signal }: ModelRequest,
  model: SummaryModel,
  options: ModelOptions,
  work: (task: ModelTask) => Promise<Result>,
): Promise<Result> {
  const own = modelPolicy(options);
  const made = recallModel(model);
  const stop = new AbortController();
  const largest = Math.floor(own.contextTokens * ANSWER_SHARE);
  try {
    return await work({
      ask: made?.ask ?? model,
      policy: made?.policy ?? own,
      contextTokens: own.contextTokens,
      concurrency: own.concurrency,
      counter,
      signal: AbortSignal.any(signal === undefined ? [stop.signal] : [stop.signal, signal]),
      maxTokens: Math.min(largest, Math.max(1, Math.floor(maxTokens * MODEL_SHARE))),
    });
  } finally {
    stop.abort();
  }
}

/** Returns the tokens that the data of a request may have. */
function roomFor(
  previous: string,
  { contextTokens, counter, maxTokens }: ModelTask,
  instructions: string,
): number {
  const frame = requestPrompt({ previous, history: [], parts: [] });
  const room =
    contextTokens - counter.countText(instructions) - counter.countText(frame) - maxTokens - 64;
  if (room >= LEAST_ROOM) return room;
  throw new HistoryError(
    `Expected \`contextTokens\` of the summary model to leave room for a piece of history; ${Math.max(0, room)} tokens are left after instructions, answer and earlier summary.`,
    {
      code: "WINDOW_TOO_SMALL",
      details: { required: contextTokens - room + LEAST_ROOM, available: contextTokens },
    },
  );
}

const LEAST_ROOM = 200;

async function writeSummary({ span, onPiece }: ModelRequest, task: ModelTask): Promise<string> {
  const { maxTokens, counter } = task;
  const room = roomFor(span.previousText, task, summaryInstructions(maxTokens));
  const pieces = cutPieces(linesOf(span.read), room, counter);
  const extended = span.previousText === "" ? {} : { previous: span.previousText };
  const [only] = pieces;
  if (pieces.length <= 1) {
    const text = await ask({ ...extended, history: only ?? [] }, task);
    onPiece(1, 1);
    return text;
  }
  // Two parts and more fit into one request, so that each round makes fewer of them.
  const partial = { ...task, maxTokens: Math.min(maxTokens, Math.floor(room / 3)) };
  let done = 0;
  let parts = await mapSome(pieces, task.concurrency, async (history) => {
    const text = await ask({ history }, partial, room / 2);
    onPiece((done += 1), pieces.length);
    return text;
  });
  for (;;) {
    const lines = parts.map((text, index) => escapeData({ part: index + 1, text }));
    const groups = packLines(lines, room, counter);
    if (groups.length === 1) return await ask({ ...extended, parts: lines }, task);
    parts = await mapSome(groups, task.concurrency, (group) =>
      ask({ parts: group }, partial, room / 2),
    );
  }
}

function packLines(
  lines: readonly string[],
  room: number,
  counter: ModelTask["counter"],
): readonly (readonly string[])[] {
  const groups: string[][] = [];
  let left = 0;
  for (const line of lines) {
    const tokens = counter.countText(line) + 1;
    if (tokens > left) {
      groups.push([]);
      left = room;
    }
    groups.at(-1)?.push(line);
    left -= tokens;
  }
  return groups;
}

function ask(data: RequestData, task: ModelTask, maxLineTokens = Infinity): Promise<string> {
  const { maxTokens, counter, signal } = task;
  const request = {
    instructions: summaryInstructions(maxTokens),
    prompt: requestPrompt(data),
    maxOutputTokens: maxTokens,
    signal,
  };
  // To say what an earlier summary or a part says is no echo.
  const shown = (data.history ?? []).join("\n");
  return askModel(task.ask, request, task.policy, (answer) => {
    const problem = checkAnswer(answer, { counter, maxTokens, shown });
    if (problem !== undefined) return { problem };
    const value = unwrap(String(answer).trim());
    const isLong =
      maxLineTokens < Infinity && counter.countText(escapeData(value)) + 16 > maxLineTokens;
    return isLong ? { problem: "it holds too many strange characters" } : { value };
  });
}

/** After the last attempt what was well formed in any answer is kept; where nothing was, it is a failure. */
async function askForFacts(
  data: RequestData,
  instructions: string,
  { span: { concepts = [] }, signal: stopped }: ModelRequest,
  { ask: model, policy, counter, maxTokens, signal }: ModelTask,
): Promise<FactsByKeyword> {
  let partial: FactsByKeyword = new Map();
  const request = { instructions, prompt: requestPrompt(data), maxOutputTokens: maxTokens, signal };
  const shown = (data.history ?? []).join("\n");
  try {
    return await askModel(model, request, policy, (answer) => {
      const problem = checkAnswer(answer, { counter, maxTokens, shown });
      if (problem !== undefined) return { problem };
      const read = readFacts(String(answer), concepts);
      if (read.found.size >= partial.size) partial = read.found;
      return read.problem === undefined ? { value: read.found } : { problem: read.problem };
    });
  } catch (error) {
    if (stopped?.aborted === true || partial.size === 0) throw error;
    return partial;
  }
}

/** Many models put a summary into a tag of that name, whatever the instructions say. */
function unwrap(text: string): string {
  const [opening, closing] = ["<summary>", "</summary>"];
  const isWrapped = text.startsWith(opening) && text.endsWith(closing);
  const inner = isWrapped ? text.slice(opening.length, -closing.length).trim() : "";
  return inner === "" ? text : inner;
}

/** Does a piece of work for each value, this many at once, and gives the results in order. The first failure ends it. */
async function mapSome<Value, Result>(
  values: readonly Value[],
  concurrency: number,
  work: (value: Value, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Map<number, Result>();
  const waiting = values.entries();
  let failed = false;
  const run = async (): Promise<void> => {
    for (const [index, value] of waiting) {
      if (failed) return;
      results.set(index, await work(value, index));
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, values.length) }, run));
  } catch (error) {
    failed = true;
    throw error;
  }
  return [...results.entries()]
    .toSorted(([one], [other]) => one - other)
    .map(([, result]) => result);
}
