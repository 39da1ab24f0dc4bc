import { fitAnthropicRequest } from "@agent-history/anthropic";
import type { HistoryEntry, JsonObject, Reduction } from "@agent-history/core";
import { fitForTarget, toJson } from "@agent-history/format-kit";
import type { SyncReducer, TargetFormat } from "@agent-history/format-kit";
import { fitContents, fitInteractionSteps } from "@agent-history/google";
import {
  chatTarget,
  fromChatMessages,
  fromResponseItems,
  responseTarget,
  toChatMessages,
  toResponseItems,
} from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";

import { anthropicWire } from "../src/servers/anthropic-wire.ts";
import { geminiWire } from "../src/servers/gemini-wire.ts";
import { interactionsWire } from "../src/servers/interactions-wire.ts";
import { openaiChatWire } from "../src/servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "../src/servers/openai-responses-wire.ts";
import { objectsAt, textIn } from "../src/servers/read-wire.ts";
import { anthropicBreakers, anthropicOf } from "./broken-anthropic.ts";
import { chatBreakers, chatOf } from "./broken-chat.ts";
import { contentsOf, googleBreakers } from "./broken-google.ts";
import { itemBreakers, itemsOfScript } from "./broken-items.ts";
import { stepBreakers, stepsOfScript } from "./broken-steps.ts";
import type { Sender } from "./judge-broken.ts";

const counter = tiktokenCounter({ encoding: "o200k_base" });

const reducer: SyncReducer = {
  name: "own",
  reduce: (entries, asked) => fitToWindow(entries, { counter, ...asked }),
};

function fitFor(
  target: TargetFormat,
  entries: readonly HistoryEntry[],
  contextTokens: number,
): Reduction {
  return fitForTarget(target, entries, { window: { contextTokens } }, (some, asked) =>
    reducer.reduce(some, asked),
  );
}

/** Returns messages with a role, as the readers take them. */
function asMessages(
  messages: readonly JsonObject[],
): readonly (JsonObject & { readonly role: string })[] {
  return messages.map((message) => ({ ...message, role: textIn(message["role"]) }));
}

function asJson(messages: readonly unknown[]): readonly JsonObject[] {
  return objectsAt({ messages: toJson(messages) }, "messages");
}

const chat: Sender<JsonObject> = {
  name: "chat completions",
  wire: openaiChatWire,
  write: chatOf,
  breakers: chatBreakers,
  parse: (messages) => messages,
  fit: (messages, contextTokens) => {
    const entries = fromChatMessages(asMessages(messages));
    const fitted = fitFor(chatTarget(), entries, contextTokens);
    return { messages: asJson(toChatMessages(fitted.entries)), repairs: fitted.plan.repairs };
  },
  send: (messages) => ({ model: "gpt-5.1", messages }),
};

const items: Sender<JsonObject> = {
  name: "Responses",
  wire: openaiResponsesWire,
  write: itemsOfScript,
  breakers: itemBreakers,
  parse: (all) => all,
  fit: (all, contextTokens) => {
    const entries = fromResponseItems(all);
    const fitted = fitFor(responseTarget({ store: false }), entries, contextTokens);
    return { messages: asJson(toResponseItems(fitted.entries)), repairs: fitted.plan.repairs };
  },
  send: (all) => ({ model: "gpt-5.1", store: false, input: all }),
};

const anthropic: Sender<JsonObject> = {
  name: "Anthropic",
  wire: anthropicWire,
  write: anthropicOf,
  breakers: anthropicBreakers,
  parse: (messages) => messages,
  fit: (messages, contextTokens) => {
    const { request, plan } = fitAnthropicRequest(asMessages(messages), {
      reducer,
      window: { contextTokens },
    });
    return { messages: asJson(request.messages), repairs: plan.repairs };
  },
  send: (messages) => ({ model: "claude-opus-5-5", max_tokens: 64, messages }),
};

/** With stored responses an item goes with its reasoning. What the program itself lost cannot be told. */
const storedItems: Sender<JsonObject> = {
  ...items,
  name: "Responses that are stored",
  breakers: Object.fromEntries(
    Object.entries(itemBreakers).filter(([kind]) => !/lost|late|early|far apart/u.test(kind)),
  ),
  send: (all) => ({ model: "gpt-5.1", input: all }),
};

const google: Sender<JsonObject> = {
  name: "Gemini",
  wire: geminiWire,
  write: contentsOf,
  breakers: googleBreakers,
  parse: (contents) => contents,
  fit: (contents, contextTokens) => {
    const { contents: fitted, plan } = fitContents(contents, {
      reducer,
      window: { contextTokens },
    });
    return { messages: asJson(fitted), repairs: plan.repairs };
  },
  send: (contents) => ({ model: "gemini-3-pro", contents }),
};

const interactions: Sender<JsonObject> = {
  name: "Gemini's interactions",
  wire: interactionsWire,
  write: stepsOfScript,
  breakers: stepBreakers,
  parse: (steps) => steps,
  fit: (steps, contextTokens) => {
    const { input, plan } = fitInteractionSteps(steps, {
      reducer,
      window: { contextTokens },
    });
    return { messages: asJson(input), repairs: plan.repairs };
  },
  send: (input) => ({ model: "gemini-3-pro", store: false, input }),
};

/** The formats that need no SDK to send. */
export const senders: readonly Sender<JsonObject>[] = [
  chat,
  items,
  storedItems,
  anthropic,
  google,
  interactions,
];
