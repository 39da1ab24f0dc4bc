import type { SummaryModel } from "@agent-history/core";

import { weighFacts } from "../gate/internal/weigh-facts.ts";
import type { ModelOptions } from "../model-options.ts";
import { composeParts } from "../parts/compose-parts.ts";
import { modelParts } from "../parts/model-parts.ts";
import { askModel } from "./ask-model.ts";
import type { RequestData } from "./build-request.ts";
import { requestPrompt, summaryInstructions } from "./build-request.ts";
import { checkAnswer } from "./check-answer.ts";
import { cutPieces } from "./cut-pieces.ts";
import { escapeData } from "./escape-data.ts";
import { extractFacts } from "./extract-facts.ts";
import { modelPolicy } from "./model-policy.ts";
import type { ModelTask } from "./model-task.ts";
import { roomFor } from "./model-task.ts";
import { recallModel } from "./remembered-models.ts";
import { linesOf } from "./render-history.ts";
import type { SummaryWriter, WriterRequest } from "./summary-writer.ts";

/** Makes a writer of a model: reads what fits its window, piece by piece, and joins what it says. */
export function modelWriter(model: SummaryModel, options: ModelOptions): SummaryWriter {
  const own = modelPolicy(options);
  const made = recallModel(model);
  const task: ModelTask = {
    ask: made?.ask ?? model,
    policy: made?.policy ?? own,
    contextTokens: own.contextTokens,
    concurrency: own.concurrency,
  };
  return async (given) => {
    // Where one piece fails, those that are being read are stopped.
    const stop = new AbortController();
    const signals = given.signal === undefined ? [stop.signal] : [given.signal, stop.signal];
    const largest = Math.floor(task.contextTokens * ANSWER_SHARE);
    const asked = Math.max(1, Math.floor(given.maxTokens * MODEL_SHARE));
    const maxTokens = Math.min(asked, largest);
    const request = { ...given, maxTokens, signal: AbortSignal.any(signals) };
    try {
      if (request.concepts !== undefined) return await extractFacts(request, task);
      const answer = await writeSummary(request, task);
      const room = Math.min(given.maxTokens, largest) * PARTS_SHARE;
      return withMissingParts(answer, { ...given, maxTokens: Math.floor(room) });
    } finally {
      stop.abort();
    }
  };
}

/** How much of the model's window one answer may take, however high the cap on the summary is. */
const ANSWER_SHARE = 0.25;

/** A model leaves out what then has to be put back, word for word: first the parts, and what is left is the gate's. */
const MODEL_SHARE = 0.5;
const PARTS_SHARE = 0.9;

/** Checks the parts that a model wrote, and adds those of the history and of the earlier summary that it left out. */
function withMissingParts(answer: string, request: WriterRequest): string {
  const { covered, later, previous = "", counter } = request;
  const text = modelParts(answer, covered, previous);
  const maxTokens = request.maxTokens - counter.countText(text) - 1;
  if (maxTokens <= 0) return text;
  const facts = weighFacts(covered, later);
  const composition = { entries: covered, facts, previous, maxTokens, counter };
  const missing = composeParts({ ...composition, besides: text });
  return missing === "" ? text : `${text}\n${missing}`;
}

async function writeSummary(request: WriterRequest, task: ModelTask): Promise<string> {
  const { covered, previous, maxTokens, counter } = request;
  const room = roomFor(request, task, summaryInstructions(maxTokens));
  const pieces = cutPieces(linesOf(covered), room, counter);
  const extended = previous === undefined ? {} : { previous };
  const [only] = pieces;
  if (pieces.length <= 1) {
    const text = await ask({ ...extended, history: only ?? [] }, request, task, maxTokens);
    request.onPiece(1, 1);
    return text;
  }
  // Two parts and more fit into one request, so that each round makes fewer of them.
  const partTokens = Math.min(maxTokens, Math.floor(room / 3));
  let done = 0;
  let parts = await mapSome(pieces, task.concurrency, async (history) => {
    const text = await ask({ history }, request, task, partTokens, room / 2);
    request.onPiece((done += 1), pieces.length);
    return text;
  });
  for (;;) {
    const lines = parts.map((text, index) => escapeData({ part: index + 1, text }));
    const groups = packLines(lines, room, request);
    if (groups.length === 1) {
      return await ask({ ...extended, parts: lines }, request, task, maxTokens);
    }
    parts = await mapSome(groups, task.concurrency, (group) =>
      ask({ parts: group }, request, task, partTokens, room / 2),
    );
  }
}

function packLines(
  lines: readonly string[],
  room: number,
  { counter }: WriterRequest,
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

function ask(
  data: RequestData,
  { signal, counter }: WriterRequest,
  { ask: model, policy }: ModelTask,
  maxTokens: number,
  maxLineTokens = Infinity,
): Promise<string> {
  const prompt = requestPrompt(data);
  const request = {
    instructions: summaryInstructions(maxTokens),
    prompt,
    maxOutputTokens: maxTokens,
    ...(signal && { signal }),
  };
  // To say what an earlier summary or a part says is no echo.
  const shown = (data.history ?? []).join("\n");
  return askModel(model, request, policy, (answer) => {
    const problem = checkAnswer(answer, { counter, maxTokens, shown });
    if (problem !== undefined) return { problem };
    const value = unwrap(String(answer).trim());
    const isLong =
      maxLineTokens < Infinity && counter.countText(escapeData(value)) + 16 > maxLineTokens;
    return isLong ? { problem: "it holds too many strange characters" } : { value };
  });
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
