import { HistoryError } from "@agent-history/core";

import type { Summarizer } from "../extractive/summarizer.ts";
import { addFacts } from "./add-facts.ts";
import { lexicalFacts } from "./lexical-facts.ts";
import { parseFacts } from "./parse-facts.ts";
import { renderFacts } from "./render-facts.ts";
import type { SummaryWriter, WriterRequest } from "./summary-writer.ts";

/** Makes a writer of a summarizer. Facts of concepts are found by their words. */
export function plainWriter(summarize: Summarizer): SummaryWriter {
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
