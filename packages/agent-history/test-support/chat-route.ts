import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  simulateReadableStream,
  streamText,
  toUIMessageStream,
} from "ai";
import type { UIMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";

import { chatStore, fitStep } from "../src/ai-sdk.ts";
import type { ChatStore } from "../src/ai-sdk.ts";
import { isHistoryError } from "../src/index.ts";

type HistoryStore = Parameters<typeof chatStore>[0];

/** What a page sends. */
export interface ChatRequest {
  readonly id: string;
  readonly message?: UIMessage;
  readonly messageId?: string | undefined;
}

/** A server of chats, and the store that they are in. */
export interface ChatServer {
  readonly chats: ChatStore;
  /** Returns the status of the response, once its stream has ended. */
  readonly post: (request: ChatRequest) => Promise<number>;
}

const usage = {
  inputTokens: { total: 9, noCache: 9, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

/** Makes the route of the guide: request in, stream out. A question that says "break" breaks the stream of its answer. `loaded` is awaited between reading a chat and writing to it. */
export function chatServer(
  store: HistoryStore,
  loaded: () => Promise<unknown> = async () => undefined,
): ChatServer {
  const chats = chatStore(store);
  const handle = async (request: Request): Promise<Response> => {
    const { id: chatId, message, messageId }: ChatRequest = await request.json();
    const chat = await chats.loadChat(chatId);
    await loaded();
    const index = chat.messages.findIndex(({ id }) => id === messageId);
    const before = index === -1 ? chat.messages : chat.messages.slice(0, index);
    const messages = message === undefined ? before : [...before, message];
    let { plan, revision } = chat;
    try {
      ({ revision } = await chats.saveChat({ chatId, messages, revision }));
    } catch (error) {
      if (isHistoryError(error, "VERSION_CONFLICT")) return new Response(null, { status: 409 });
      throw error;
    }
    const result = streamText({
      model: answering(),
      messages: await convertToModelMessages(messages),
      prepareStep: fitStep({
        model: "gpt-5",
        previousPlan: plan,
        onPlan: (made) => (plan = made),
      }),
      maxRetries: 0,
      onError: () => undefined,
    });
    return createUIMessageStreamResponse({
      stream: toUIMessageStream({
        stream: result.stream,
        originalMessages: messages,
        generateMessageId: () => crypto.randomUUID(),
        onEnd: async (end) => {
          await chats.saveChat({ chatId, messages: end.messages, revision, plan });
        },
      }),
    });
  };
  return {
    chats,
    post: async (body) => {
      const request = new Request("http://localhost", {
        method: "POST",
        body: JSON.stringify(body),
      });
      const response = await handle(request);
      await response.text();
      return response.status;
    },
  };
}

function answering(): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doStream: async ({ prompt }) => {
      const isBroken = JSON.stringify(prompt.at(-1)).includes("break");
      return {
        stream: simulateReadableStream({
          chunks: [
            { type: "text-start", id: "1" },
            { type: "text-delta", id: "1", delta: `I was told ${prompt.length} messages` },
            ...(isBroken
              ? [{ type: "error" as const, error: new Error("The stream broke.") }]
              : [
                  { type: "text-delta" as const, id: "1", delta: "." },
                  { type: "text-end" as const, id: "1" },
                  {
                    type: "finish" as const,
                    finishReason: { unified: "stop" as const, raw: undefined },
                    usage,
                  },
                ]),
          ],
        }),
      };
    },
  });
}
