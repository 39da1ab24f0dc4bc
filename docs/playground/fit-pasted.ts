import { modelTarget } from "@agent-history/ai-sdk";
import { anthropicTarget } from "@agent-history/anthropic";
import type { ModelWindow, PlannedReasoning } from "@agent-history/core";
import { faultsFor, fitForTarget } from "@agent-history/format-kit";
import type { TargetFormat, WireFault } from "@agent-history/format-kit";
import { googleTarget } from "@agent-history/google";
import type { CallColumn, InspectorData } from "@agent-history/inspector";
import { chatTarget, responseTarget } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { modelCounter, modelWindow } from "@agent-history/tokens";
import { priceOf } from "@agent-history/transcripts";

import type { FileFormat } from "../../packages/agent-history/src/cli/messages/file-formats.ts";
import {
  messageCodecs,
  toolsIn,
} from "../../packages/agent-history/src/cli/messages/message-codecs.ts";
import { readMessages } from "../../packages/agent-history/src/cli/messages/read-messages.ts";
// Not by the package's name: its entry brings the page's template, which is read from a file.
import { inspectPlans } from "../../packages/inspector/src/inspect-plans.ts";

/** Whose request is built: its rules, and the call of `agent-history` that makes it. */
export const APIS = {
  "openai-chat": { label: "OpenAI Chat Completions", target: chatTarget },
  "openai-responses": { label: "OpenAI Responses", target: responseTarget },
  anthropic: { label: "Anthropic Messages", target: anthropicTarget },
  google: { label: "Google Gemini", target: googleTarget },
  "ai-sdk": { label: "AI SDK", target: modelTarget },
} as const satisfies Record<
  string,
  { readonly label: string; readonly target: () => TargetFormat }
>;

export type Api = keyof typeof APIS;

/** What somebody asks for. */
export interface Asked {
  /** Messages of any format: a list, a request, a message on each line, or a session of a coding agent. */
  readonly text: string;
  /** Default: that of the messages. */
  readonly api?: Api | undefined;
  readonly model: string;
  /** Default: the model's. */
  readonly windowTokens?: number | undefined;
  /** Quotes dropped entries before the question that they help to answer. */
  readonly quotes?: boolean | undefined;
}

/** What was made of it. */
export interface FittedPaste {
  readonly api: Api;
  readonly format: FileFormat;
  /** What becomes of the model's reasoning, where its family ties it to what stands before it. */
  readonly reasoning?: PlannedReasoning | undefined;
  /** What the provider would refuse of the messages as they came. */
  readonly faults: readonly WireFault[];
  readonly drawn: InspectorData;
  readonly call: CallColumn;
  /** The ids of entries that were repaired. */
  readonly repaired: ReadonlySet<string>;
  /** Tokens of all entries as they came. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Tokens that the window leaves for the prompt. */
  readonly roomTokens: number;
  readonly isEstimated: boolean;
  /** Dollars for a million tokens of input; missing where no list price is known. */
  readonly inputPrice?: number | undefined;
  /** The request's messages, as JSON. */
  readonly sent: string;
}

/**
 * Reads what was pasted, finds what its provider would refuse, repairs it and fits it.
 *
 * @throws `HistoryError` for what is not readable, an unknown model, or a window that what must stay does not fit.
 */
export async function fitPasted(asked: Asked): Promise<FittedPaste> {
  const { entries, format, fields } = await readMessages(asked.text);
  const api = asked.api ?? apiOf(format);
  const target = APIS[api].target();
  const counter = modelCounter(asked.model, { estimate: asked.windowTokens !== undefined });
  const window = windowOf(asked);
  const request = {
    window,
    counter,
    tools: toolsIn(format, fields["tools"]),
    ...(asked.quotes === true && { scorer: lexicalScorer() }),
  };
  // As in a program, the call before the newest question has been made: what it dropped is quoted.
  const question = entries.findLastIndex(({ type }) => type === "user_message");
  const before = entries.slice(0, Math.max(0, question));
  const previousPlan =
    asked.quotes === true && before.length > 0
      ? fitForTarget(target, before, { ...request, scorer: undefined }, fitToWindow).plan
      : undefined;
  const { entries: sent, plan } = fitForTarget(
    target,
    entries,
    { ...request, previousPlan },
    fitToWindow,
  );
  const drawn = inspectPlans({ plans: [plan], entries, counter });
  const [call] = drawn.calls;
  if (call === undefined) throw new Error("The fit has no plan.");
  return {
    api,
    format,
    reasoning: plan.reasoning,
    faults: faultsFor(target, entries),
    drawn,
    call,
    repaired: new Set(plan.repairs.map(({ entryId }) => entryId)),
    tokensBefore: drawn.tokens.reduce((sum, tokens) => sum + tokens, plan.requestTokens),
    tokensAfter: plan.totalTokens,
    roomTokens: call.windowTokens ?? window.contextTokens,
    isEstimated: plan.estimated === true,
    inputPrice: priceOf(asked.model)?.input,
    sent: JSON.stringify(messageCodecs[api].write(sent), undefined, 2),
  };
}

/** The model's window, or as much of it as somebody asks for; what else the model's family binds and limits stays. */
function windowOf({ model, windowTokens }: Asked): ModelWindow {
  if (windowTokens === undefined) return modelWindow(model);
  const models = { [model]: { contextTokens: windowTokens, maxOutputTokens: windowTokens } };
  return modelWindow(model, { models, outputReserveTokens: 0 });
}

/** The API that messages of a format are sent to. */
function apiOf(format: FileFormat): Api {
  const apis: readonly Api[] = ["openai-chat", "openai-responses", "anthropic", "google", "ai-sdk"];
  return apis.find((api) => format.startsWith(api)) ?? "anthropic";
}
