import type { ToolCall } from "@agent-history/core";
import type { ModelReply, ModelRequest, ModelUsage } from "@agent-history/offline-model";
import { streamText } from "ai";
import type { LanguageModel, TextStreamPart, ToolSet } from "ai";

import { incomplete } from "./incomplete-reply.ts";
import { replySettings } from "./reply-settings.ts";
import { isUnstreamed } from "./unstreamed-reply.ts";
import { wholeReply } from "./whole-reply.ts";

/** How one try is made. */
export interface StreamOptions {
  readonly model: LanguageModel;
  /** How long nothing may come before the try is given up. */
  readonly silenceMs: number;
  readonly server: ServerHabits;
}

/** What earlier tries found out about a server. */
export interface ServerHabits {
  /** It answers whole where a stream is asked for. */
  isUnstreamed: boolean;
}

/** What has come so far. */
interface Draft {
  text: string;
  readonly toolCalls: ToolCall[];
  usage?: ModelUsage;
  isFinished: boolean;
}

/** Asks a model once and gives its reply, when it is whole; once more where the server does not stream, and whole at once where that is known. Rejects with what the AI SDK or the network says, or as incomplete. */
export async function streamReply(
  request: ModelRequest,
  { model, silenceMs, server }: StreamOptions,
): Promise<ModelReply> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  const heard = (): void => void timer.refresh();
  const askWhole = async (): Promise<ModelReply> =>
    wholeReply(request, { model, silence: silence.signal });
  try {
    if (server.isUnstreamed) return await askWhole();
    return await readStream(openStream(request, model, silence.signal), request, heard);
  } catch (error) {
    if (silence.signal.aborted) throw incomplete("silent");
    if (!isUnstreamed(error)) throw error;
    server.isUnstreamed = true;
    heard();
    return await askWhole();
  } finally {
    clearTimeout(timer);
  }
}

type Part = TextStreamPart<ToolSet>;

function openStream(
  request: ModelRequest,
  model: LanguageModel,
  silence: AbortSignal,
): AsyncIterable<Part> {
  const { stream } = streamText({
    ...replySettings(request, silence),
    model,
    // Errors are parts of the stream; the default prints them too.
    onError: () => {},
  });
  return stream;
}

async function readStream(
  stream: AsyncIterable<Part>,
  request: ModelRequest,
  heard: () => void,
): Promise<ModelReply> {
  const draft: Draft = { text: "", toolCalls: [], isFinished: false };
  for await (const part of stream) {
    heard();
    take(part, draft, request);
  }
  if (!draft.isFinished) throw incomplete("broken");
  const { text, toolCalls, usage } = draft;
  return {
    ...(text !== "" && { text }),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(usage !== undefined && { usage }),
  };
}

function take(part: Part, draft: Draft, { onEvent }: ModelRequest): void {
  switch (part.type) {
    case "text-delta":
      draft.text += part.text;
      onEvent?.({ type: "text", delta: part.text });
      return;
    case "tool-call":
      draft.toolCalls.push(readCall(part));
      return;
    case "error":
      throw part.error;
    case "abort":
      throw incomplete("broken");
    case "finish":
      finish(part, draft);
      return;
    default:
      // Reasoning, sources, ends of parts: nothing that a reply has.
      return;
  }
}

function readCall({
  toolCallId: id,
  toolName: name,
  input,
}: Extract<Part, { readonly type: "tool-call" }>): ToolCall {
  return { id, name, arguments: typeof input === "string" ? input : JSON.stringify(input) };
}

function finish(part: Extract<Part, { readonly type: "finish" }>, draft: Draft): void {
  const { inputTokens, outputTokens } = part.totalUsage;
  if (inputTokens !== undefined && outputTokens !== undefined)
    draft.usage = { inputTokens, outputTokens };
  switch (part.finishReason) {
    case "stop":
    case "tool-calls":
      draft.isFinished = true;
      return;
    case "length":
      throw incomplete("cut");
    case "content-filter":
      throw incomplete("withheld");
    default:
      // Some servers have words of their own for a good end; where there is no word, the stream broke off.
      draft.isFinished = part.rawFinishReason !== undefined && part.finishReason === "other";
  }
}
