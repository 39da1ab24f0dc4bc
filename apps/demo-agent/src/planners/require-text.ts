import { HistoryError } from "@agent-history/core";
import type { ModelReply } from "@agent-history/offline-model";

/**
 * Returns the text of a reply.
 *
 * @throws `HistoryError` with code `MODEL_FAILED` if there is none.
 */
export function requireText(reply: ModelReply): string {
  const text = reply.text?.trim() ?? "";
  if (text !== "") return text;
  throw new HistoryError(
    "Expected the model to reply with text, got none. Ask again, or another model.",
    {
      code: "MODEL_FAILED",
    },
  );
}
