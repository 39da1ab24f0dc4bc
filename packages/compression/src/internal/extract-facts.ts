import { addFacts } from "./add-facts.ts";
import { askModel } from "./ask-model.ts";
import { factInstructions, requestPrompt } from "./build-request.ts";
import { checkAnswer } from "./check-answer.ts";
import { cutPieces } from "./cut-pieces.ts";
import { roomFor } from "./model-task.ts";
import type { ModelTask } from "./model-task.ts";
import { parseFacts } from "./parse-facts.ts";
import { readFacts } from "./read-facts.ts";
import type { FactsByKeyword } from "./read-facts.ts";
import { renderFacts } from "./render-facts.ts";
import { linesOf } from "./render-history.ts";
import type { WriterRequest } from "./summary-writer.ts";

/** Asks a model for the facts of all concepts at once, piece by piece, and keeps what is well formed. */
export async function extractFacts(request: WriterRequest, task: ModelTask): Promise<string> {
  const { covered, concepts = [], maxTokens, counter } = request;
  const instructions = factInstructions(concepts, maxTokens);
  const pieces = cutPieces(linesOf(covered), roomFor(request, task, instructions), counter);
  const all = new Map<string, readonly string[]>(
    parseFacts(request.previous ?? "", concepts).found,
  );
  for (const [index, history] of (pieces.length === 0 ? [[]] : pieces).entries()) {
    // The earlier summary is read once, with the first piece.
    const previous = index === 0 ? request.previous : undefined;
    const prompt = requestPrompt({ history, ...(previous !== undefined && { previous }) });
    const shown = history.join("\n");
    const found = await askForFacts({ prompt, shown }, instructions, request, task);
    for (const concept of concepts) addFacts(all, concept, found.get(concept.keyword) ?? []);
    request.onPiece(index + 1, Math.max(1, pieces.length));
  }
  return renderFacts(all, request);
}

/** After the last attempt what was well formed in any answer is kept; where nothing was, it is a failure. */
async function askForFacts(
  { prompt, shown }: { readonly prompt: string; readonly shown: string },
  instructions: string,
  { concepts = [], maxTokens, counter, signal }: WriterRequest,
  { ask, policy }: ModelTask,
): Promise<FactsByKeyword> {
  let partial: FactsByKeyword = new Map();
  const request = { instructions, prompt, maxOutputTokens: maxTokens, ...(signal && { signal }) };
  try {
    return await askModel(ask, request, policy, (answer) => {
      const problem = checkAnswer(answer, { counter, maxTokens, shown });
      if (problem !== undefined) return { problem };
      const read = readFacts(String(answer), concepts);
      if (read.found.size >= partial.size) partial = read.found;
      return read.problem === undefined ? { value: read.found } : { problem: read.problem };
    });
  } catch (error) {
    if (signal?.aborted === true || partial.size === 0) throw error;
    return partial;
  }
}
