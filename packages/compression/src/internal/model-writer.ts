import { HistoryError } from "@agent-history/core";
import type { SummaryModel, SummaryPart, TokenCounter } from "@agent-history/core";

import type { FactsByKeyword } from "../facts/fact-parts.ts";
import { readFacts } from "../facts/read-facts.ts";
import type { ModelOptions } from "../model-options.ts";
import { readAnswer } from "../record/model-answer.ts";
import { askModel } from "./ask-model.ts";
import type { AnswerReading } from "./ask-model.ts";
import { factInstructions, requestPrompt, summaryInstructions } from "./build-request.ts";
import { checkAnswer } from "./check-answer.ts";
import { cutPieces } from "./cut-pieces.ts";
import { escapeData } from "./escape-data.ts";
import { modelPolicy } from "./model-policy.ts";
import { recallModel } from "./remembered-models.ts";
import type { DraftRequest } from "./summary-draft.ts";

/** What a model is asked to write or to look for. */
export interface ModelRequest extends DraftRequest {
  readonly counter: Pick<TokenCounter, "countText">;
  readonly signal?: AbortSignal;
}

/** How much of the model's window one answer may take, however high the cap on the summary is. */
const ANSWER_SHARE = 0.25;
/** What a model leaves out is put beside its answer. */
const MODEL_SHARE = 0.5;
const LEAST_ROOM = 200;

/** Asks a model for the parts of a summary, and checks them against the record: each piece of the history extends what was said of those before. */
export async function modelParts(
  request: ModelRequest,
  record: readonly SummaryPart[],
  model: SummaryModel,
  options: ModelOptions,
): Promise<readonly SummaryPart[]> {
  let text = request.span.previousText;
  await readPieces(request, model, options, {
    instructions: summaryInstructions,
    isExtended: true,
    ask: async (ask) => {
      text = await ask(text, (answer) => ({ value: unwrap(answer.trim()) }));
    },
  });
  return readAnswer(text, record);
}

/** Asks a model for the facts of all concepts at once, piece by piece, and keeps what is well formed. */
export async function modelFacts(
  request: ModelRequest,
  model: SummaryModel,
  options: ModelOptions,
): Promise<FactsByKeyword> {
  const { concepts = [], previousText } = request.span;
  const all = new Map<string, readonly string[]>();
  let previous = previousText;
  await readPieces(request, model, options, {
    instructions: (maxTokens) => factInstructions(concepts, maxTokens),
    isExtended: false,
    ask: async (ask) => {
      let found: FactsByKeyword = new Map();
      try {
        await ask(previous, (answer) => {
          const read = readFacts(answer, concepts);
          if (read.found.size >= found.size) ({ found } = read);
          return read.problem === undefined ? { value: answer } : { problem: read.problem };
        });
      } catch (error) {
        // After the last attempt what was well formed in any answer is kept.
        if (request.signal?.aborted === true || found.size === 0) throw error;
      }
      // The earlier summary is read once, with the first piece.
      previous = "";
      for (const { keyword, factType } of concepts) {
        const facts = found.get(keyword) ?? [];
        const isNewest = factType === "single" && facts.length > 0;
        all.set(keyword, isNewest ? facts : [...new Set([...(all.get(keyword) ?? []), ...facts])]);
      }
    },
  });
  return all;
}

/** Asks about one piece beside an earlier summary. */
type AskAboutPiece = (
  previous: string,
  read: (answer: string) => AnswerReading<string>,
) => Promise<string>;

interface Reading {
  readonly instructions: (maxTokens: number) => string;
  /** Whether an answer is the earlier summary of the next piece. */
  readonly isExtended: boolean;
  readonly ask: (ask: AskAboutPiece) => Promise<void>;
}

/** Reads a history in pieces that fit the model's window, one after the other. */
async function readPieces(
  { span, maxTokens, counter, signal, onPiece }: ModelRequest,
  model: SummaryModel,
  options: ModelOptions,
  { instructions, isExtended, ask }: Reading,
): Promise<void> {
  const own = modelPolicy(options);
  const made = recallModel(model);
  const largest = Math.floor(own.contextTokens * ANSWER_SHARE);
  const maxOutputTokens = Math.min(largest, Math.max(1, Math.floor(maxTokens * MODEL_SHARE)));
  const frame = requestPrompt({ previous: "", history: [] });
  const told = instructions(maxOutputTokens);
  const free = own.contextTokens - counter.countText(told) - counter.countText(frame) - 64;
  const earlier = counter.countText(escapeData(span.previousText));
  const room = free - earlier - maxOutputTokens;
  if (room < LEAST_ROOM) throw tooSmall(own.contextTokens, room);
  const whole = cutPieces(span.read, room, counter);
  // What is said of a piece takes the place of the earlier summary beside the next one: escaped, up to twice its tokens.
  const isCut = isExtended && whole.length > 1;
  const most = isCut ? Math.min(maxOutputTokens, Math.floor(free / 4)) : maxOutputTokens;
  const beside = most + Math.max(earlier, 2 * most);
  const pieces = isCut ? cutPieces(span.read, free - beside, counter) : whole;
  for (const [index, history] of (pieces.length === 0 ? [[]] : pieces).entries()) {
    const shown = history.join("\n");
    await ask((previous, read) => {
      const prompt = requestPrompt({ ...(previous !== "" && { previous }), history });
      const request = {
        instructions: instructions(most),
        prompt,
        maxOutputTokens: most,
        ...(signal && { signal }),
      };
      return askModel(made?.ask ?? model, request, made?.policy ?? own, (answer) => {
        // To say what an earlier summary says is no echo.
        const problem = checkAnswer(answer, { counter, maxTokens: most, shown });
        if (problem !== undefined) return { problem };
        const isStrange = isCut && counter.countText(escapeData(String(answer))) > 2 * most;
        return isStrange
          ? { problem: "it holds too many strange characters" }
          : read(String(answer));
      });
    });
    onPiece(index + 1, Math.max(1, pieces.length));
  }
}

function tooSmall(contextTokens: number, room: number): HistoryError {
  return new HistoryError(
    `Expected \`contextTokens\` of the summary model to leave room for a piece of history; ${Math.max(0, room)} tokens are left after instructions, answer and earlier summary.`,
    {
      code: "WINDOW_TOO_SMALL",
      details: { required: contextTokens - room + LEAST_ROOM, available: contextTokens },
    },
  );
}

/** Many models put a summary into a tag of that name, whatever the instructions say. */
function unwrap(text: string): string {
  return /^<summary>([\s\S]*\S[\s\S]*)<\/summary>$/.exec(text)?.[1]?.trim() ?? text;
}
