import type { ModelReply, ModelRequest } from "@agent-history/offline-model";
import { generateText } from "ai";
import type { LanguageModel } from "ai";

import { incomplete } from "./incomplete-reply.ts";
import { replySettings } from "./reply-settings.ts";

/** Asks a model once for its reply as one piece: some servers stream nothing. Rejects as `streamReply` does. */
export async function wholeReply(
  request: ModelRequest,
  { model, silence }: { readonly model: LanguageModel; readonly silence: AbortSignal },
): Promise<ModelReply> {
  const reply = await generateText({ ...replySettings(request, silence), model });
  const { text, finishReason, totalUsage } = reply;
  if (finishReason === "length") throw incomplete("cut");
  if (finishReason === "content-filter") throw incomplete("withheld");
  if (text !== "") request.onEvent?.({ type: "text", delta: text });
  const toolCalls = reply.toolCalls.map(({ toolCallId: id, toolName: name, input }) => ({
    id,
    name,
    arguments: typeof input === "string" ? input : JSON.stringify(input),
  }));
  const { inputTokens, outputTokens } = totalUsage;
  return {
    ...(text !== "" && { text }),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(inputTokens !== undefined &&
      outputTokens !== undefined && { usage: { inputTokens, outputTokens } }),
  };
}
