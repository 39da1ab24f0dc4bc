import { resolve } from "node:path";

import type { JsonObject } from "@agent-history/core";
import { toJson } from "@agent-history/format-kit";
import type * as Openai from "@agent-history/openai";
import type * as Reducer from "@agent-history/reducer";
import type * as Counters from "@agent-history/tokens/gpt-tokenizer";

import { anthropicWire } from "../servers/anthropic-wire.ts";
import { openaiChatWire } from "../servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "../servers/openai-responses-wire.ts";
import { startStrictServer } from "../servers/start-strict-server.ts";
import type { Refusal } from "../servers/start-strict-server.ts";
import type { Wire } from "../servers/wire.ts";
import { chatAsAnthropic } from "./chat-as-anthropic.ts";
import { growingChats } from "./growing-chats.ts";
import type { ChatMessage, GrowingChat } from "./growing-chats.ts";

/**
 * Fits growing chats with the packages of a checkout, of any commit, sends each request to the strict servers of this one, and prints how many were refused, and why.
 * Ends with 1 if any was.
 */

type Fit = typeof Reducer.fitToWindow;

const WINDOWS = [500, 1000, 2000, 4000];

const checkout = resolve(process.argv[2] ?? resolve(import.meta.dirname, "../../../.."));
const openai: typeof Openai = await load("openai/src/index.ts");
const { fitToWindow }: { fitToWindow: Fit } = await load("reducer/src/index.ts");
const { gptTokenizerCounter }: typeof Counters = await load("tokens/src/gpt-tokenizer.ts");
const counter = gptTokenizerCounter({ encoding: "o200k_base" });

type Entries = Parameters<Fit>[0];

const providers: Readonly<Record<string, { wire: Wire; write: (entries: Entries) => JsonObject }>> =
  {
    "OpenAI, chat": {
      wire: openaiChatWire,
      write: (entries) => ({ model: "m", messages: toJson(openai.toChatMessages(entries)) }),
    },
    "OpenAI, Responses": {
      wire: openaiResponsesWire,
      write: (entries) => ({ model: "m", input: toJson(openai.toResponseItems(entries)) }),
    },
    Anthropic: {
      wire: anthropicWire,
      write: (entries) =>
        chatAsAnthropic(JSON.parse(JSON.stringify(openai.toChatMessages(entries)))),
    },
  };

console.log(`The packages in ${checkout}`);
for (const [provider, { wire, write }] of Object.entries(providers)) {
  for (const [name, growing] of Object.entries(growingChats)) {
    for (const isIncremental of [false, true]) {
      await using server = await startStrictServer({ wire });
      const sent = await sendAll(growing, { isIncremental, url: server.origin + wire.path, write });
      const how = isIncremental ? "with the plan before" : "each call on its own";
      say([provider.padEnd(18), name.padEnd(22), how], { sent, refusals: server.refusals });
    }
  }
}

function say(
  words: readonly string[],
  { sent, refusals }: { readonly sent: number; readonly refusals: readonly Refusal[] },
): void {
  const rules = [...new Set(refusals.flatMap((refusal) => refusal.rules))].join(", ");
  console.log(`${words.join(" ")}  ${refusals.length} of ${sent} refused  ${rules}`.trimEnd());
  if (refusals.length > 0) process.exitCode = 1;
}

interface Sending {
  readonly isIncremental: boolean;
  readonly url: string;
  readonly write: (entries: Entries) => JsonObject;
}

/** Sends each request of a chat at each window, and returns how many there were; what does not fit at all is not sent. */
async function sendAll(
  growing: GrowingChat,
  { isIncremental, url, write }: Sending,
): Promise<number> {
  let sent = 0;
  for (const contextTokens of WINDOWS) {
    let previousPlan: ReturnType<Fit>["plan"] | undefined;
    for (const chat of growing()) {
      const fitted = fit(chat, {
        window: { contextTokens },
        counter,
        ...(previousPlan && { previousPlan }),
      });
      if (fitted === undefined) continue;
      if (isIncremental) previousPlan = fitted.plan;
      await fetch(url, { method: "POST", body: JSON.stringify(write(fitted.entries)) });
      sent += 1;
    }
  }
  return sent;
}

function fit(
  chat: readonly ChatMessage[],
  options: Parameters<Fit>[1],
): ReturnType<Fit> | undefined {
  try {
    return fitToWindow(openai.fromChatMessages(chat), options);
  } catch (error) {
    const isTooSmall =
      error instanceof Error && "code" in error && error.code === "WINDOW_TOO_SMALL";
    if (isTooSmall) return undefined;
    throw error;
  }
}

async function load<Module>(path: string): Promise<Module> {
  return import(resolve(checkout, "packages", path));
}
