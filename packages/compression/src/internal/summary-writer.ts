import type { Concept } from "@agent-history/core";

import type { SummarizerRequest } from "../extractive/summarizer.ts";

/** What a writer is asked. */
export interface WriterRequest extends SummarizerRequest {
  /** Asks for facts of these, instead of prose. */
  readonly concepts?: readonly Concept[];
  /** Is called after each piece that was read. */
  readonly onPiece: (done: number, total: number) => void;
}

/** Writes the text of one summary, with a model or without. Empty where concepts were given and nothing of them was found. */
export type SummaryWriter = (request: WriterRequest) => Promise<string>;
