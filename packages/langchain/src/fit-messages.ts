import { HistoryError } from "@agent-history/core";
import type {
  Agent,
  HistoryEntry,
  HistoryView,
  ModelWindow,
  Reducer,
  Reduction,
  ReductionPlan,
  ReductionRequest,
} from "@agent-history/core";
import { checkFitOptions } from "@agent-history/format-kit";

import { fromMessages } from "./from-messages.ts";
import { viewerOf } from "./internal/viewer-of.ts";
import type { LangChainMessageLike } from "./langchain-message.ts";
import { toMessages } from "./to-messages.ts";
import type { ToMessagesOptions } from "./to-messages.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";

/** What messages are made to fit, and by whom. */
export interface FitMessagesOptions<Message extends object = object> extends Pick<
  ToMessagesOptions<Message>,
  "toMessage"
> {
  /** Makes room: `createReducer({ counter })` of `@agent-history/reducer`, or your own. */
  readonly reducer: Reducer;
  /** What the model can take, in tokens. */
  readonly window: ModelWindow;
  /** The tools that are bound to the model: their schemas count. Default: none. */
  readonly tools?: readonly object[] | undefined;
  /** The agent whose conversation it is. */
  readonly agent?: Agent | undefined;
  /** The view that the messages are of. Default `thread`. */
  readonly view?: HistoryView | undefined;
  /** The plan of the call before. */
  readonly previousPlan?: ReductionPlan | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link fitMessages}, whose reducer answers at once. */
export interface FitMessagesSyncOptions<
  Message extends object = object,
> extends FitMessagesOptions<Message> {
  /** Makes room, and answers at once: `{ name, reduce: (entries, request) => fitToWindow(entries, { counter, ...request }) }`. */
  readonly reducer: SyncReducer;
}

/** A reducer that answers at once. */
export interface SyncReducer extends Reducer {
  reduce(entries: readonly HistoryEntry[], request: ReductionRequest): Reduction;
}

/** What to send, and the plan for the next call. */
export interface FittedMessages<Message extends object = object> {
  readonly messages: Message[];
  readonly plan: ReductionPlan;
}

/**
 * Fits a conversation to the context window. Pass the whole conversation at each call, longer each time, with the plan of the call before: the prompt
 * then only grows at its end until the window is full. Tools count. A message that stays as it is is the same object. Costs what is new.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if there is no reducer or no window, if the reducer answers with a promise, and on a tool of another shape;
 * `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts
 * import { fitMessages } from "@agent-history/langchain";
 * import { fitToWindow } from "@agent-history/reducer";
 * import { tiktokenCounter } from "@agent-history/tokens";
 *
 * const counter = tiktokenCounter({ model: "gpt-4o" });
 * const messages = [
 *   { role: "user", content: "Which flights go to Rome?" },
 *   { role: "assistant", content: "Two, at nine and at noon. ".repeat(20) },
 *   { role: "user", content: "Take the first." },
 * ];
 * const { messages: fitted, plan } = fitMessages(messages, {
 *   reducer: { name: "own", reduce: (entries, asked) => fitToWindow(entries, { counter, ...asked }) },
 *   window: { contextTokens: 40 },
 * });
 * fitted;
 * // => [{ role: "user", content: "Take the first." }]
 * plan.totalTokens <= 40;
 * // => true
 * ```
 */
export function fitMessages<Message extends LangChainMessageLike & object>(
  messages: readonly Message[],
  options: FitMessagesSyncOptions<Message>,
): FittedMessages<Message> {
  const { reducer, entries, asked } = prepared(messages, options);
  const reduction: Reduction | Promise<Reduction> = reducer.reduce(entries, asked);
  if (!("entries" in reduction)) {
    throw new HistoryError("Expected `reducer` to answer at once: fitMessagesAsync takes any.", {
      code: "INVALID_OPTION",
      details: { option: "reducer" },
    });
  }
  return fitted(reduction, options);
}

/** Like {@link fitMessages}, for a reducer that may be asynchronous, such as `createReducer({ counter })`. */
export async function fitMessagesAsync<Message extends LangChainMessageLike & object>(
  messages: readonly Message[],
  options: FitMessagesOptions<Message>,
): Promise<FittedMessages<Message>> {
  const { reducer, entries, asked } = prepared(messages, options);
  return fitted(await reducer.reduce(entries, asked), options);
}

function prepared<Options extends Omit<FitMessagesOptions, "toMessage">>(
  messages: readonly LangChainMessageLike[],
  options: Options,
): {
  readonly reducer: Options["reducer"];
  readonly entries: readonly HistoryEntry[];
  readonly asked: ReductionRequest;
} {
  const { reducer, window, tools, agent, view, previousPlan, signal } = checkFitOptions(options);
  const entries = fromMessages(messages, agent === undefined ? {} : { agent });
  const definitions = tools && toToolDefinitions(tools);
  const viewer = viewerOf(agent);
  const asked = { window, viewer, view, tools: definitions, previousPlan, signal };
  return { reducer, entries, asked };
}

function fitted<Message extends object>(
  { entries, plan }: Reduction,
  { agent, toMessage }: FitMessagesOptions<Message>,
): FittedMessages<Message> {
  return { messages: toMessages<Message>(entries, { viewer: viewerOf(agent), toMessage }), plan };
}
