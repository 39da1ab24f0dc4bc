import { HistoryError } from "@agent-history/core";
import type { SummaryModel } from "@agent-history/core";

import type { ModelPolicy } from "./ask-model.ts";
import { requestPrompt } from "./build-request.ts";
import type { WriterRequest } from "./summary-writer.ts";

/** What it takes to ask a model about pieces of a history. */
export interface ModelTask {
  readonly ask: SummaryModel;
  readonly policy: ModelPolicy;
  readonly contextTokens: number;
  readonly concurrency: number;
}

/** Returns the tokens that the data of a request may have. */
export function roomFor(
  { previous, maxTokens, counter }: WriterRequest,
  { contextTokens }: ModelTask,
  instructions: string,
): number {
  const frame = requestPrompt({ previous: previous ?? "", history: [], parts: [] });
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
