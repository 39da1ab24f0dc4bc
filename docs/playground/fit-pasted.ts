import type { ReductionPlan } from "@agent-history/core";
import { faultsFor, fitForTarget } from "@agent-history/format-kit";
import type { WireFault } from "@agent-history/format-kit";
import { inspectPlans } from "@agent-history/inspector";
import type { InspectorData } from "@agent-history/inspector";
import { fitToWindow } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { modelCounter, modelWindow } from "@agent-history/tokens";

import {
  messageCodecs,
  toolsIn,
} from "../../packages/agent-history/src/cli/messages/message-codecs.ts";
import { readMessages } from "../../packages/agent-history/src/cli/messages/read-messages.ts";

/** The formats of requests: the API that takes each, and the guide that fits before each call of it. */
export const APIS = {
  "openai-chat": { label: "OpenAI Chat Completions", guide: "openai" },
  "openai-responses": { label: "OpenAI Responses", guide: "openai" },
  anthropic: { label: "Anthropic Messages", guide: "anthropic" },
  google: { label: "Google Gemini", guide: "gemini" },
  "ai-sdk": { label: "AI SDK", guide: "ai-sdk" },
} as const;

export type Api = keyof typeof APIS;

export const API_NAMES: readonly Api[] = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "google",
  "ai-sdk",
];

/** What a visitor asks for. */
export interface Asked {
  /** Messages of any format: a list, a request, a message on each line, or a session of a coding agent. */
  readonly text: string;
  /** Default: the API of the messages. */
  readonly api?: Api | undefined;
  readonly model: string;
  /** Default: the model's window. */
  readonly windowTokens?: number | undefined;
  /** Quotes dropped entries before the question that they help to answer. */
  readonly quotes?: boolean | undefined;
}

/** The request that was built, and how. */
export interface FittedPaste {
  readonly api: Api;
  /** What the provider would refuse of the messages as they came. */
  readonly faults: readonly WireFault[];
  readonly plan: ReductionPlan;
  readonly drawn: InspectorData;
  /** Tokens that the window leaves for the prompt. */
  readonly roomTokens: number;
  /** The request, as JSON. */
  readonly sent: string;
}

/**
 * Reads what was pasted, finds what its provider would refuse, repairs it and fits it.
 *
 * @throws `HistoryError` if the text cannot be read, the model is unknown, or what must stay does not fit.
 */
export async function fitPasted(asked: Asked): Promise<FittedPaste> {
  const { model, windowTokens, quotes } = asked;
  const { entries, format, fields } = await readMessages(asked.text);
  const api = asked.api ?? API_NAMES.find((name) => format.startsWith(name)) ?? "anthropic";
  const { target: targetOf, write } = messageCodecs[api];
  const target = targetOf?.();
  if (target === undefined) throw new Error(`No API takes ${api}.`);
  const counter = modelCounter(model, { estimate: windowTokens !== undefined });
  const limits = windowTokens && { contextTokens: windowTokens, maxOutputTokens: windowTokens };
  const window = limits
    ? modelWindow(model, { models: { [model]: limits }, outputReserveTokens: 0 })
    : modelWindow(model);
  const request = { window, counter, tools: toolsIn(format, fields["tools"]) };
  // In a program, the call before the newest question was made too: what it dropped is quoted.
  const question = entries.findLastIndex(({ type }) => type === "user_message");
  const before = quotes === true ? entries.slice(0, Math.max(0, question)) : [];
  const previousPlan =
    before.length > 0 ? fitForTarget(target, before, request, fitToWindow).plan : undefined;
  const scorer = quotes === true ? lexicalScorer() : undefined;
  const options = { ...request, scorer, previousPlan };
  const { entries: sent, plan } = fitForTarget(target, entries, options, fitToWindow);
  const drawn = inspectPlans({ plans: [{ plan, model }], entries, counter });
  return {
    api,
    faults: faultsFor(target, entries),
    plan,
    drawn,
    roomTokens: drawn.calls[0]?.windowTokens ?? window.contextTokens,
    sent: JSON.stringify(write(sent), undefined, 2),
  };
}
