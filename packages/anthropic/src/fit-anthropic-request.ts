import type {
  Compacted,
  HistoryEntry,
  Reduction,
  ReductionPlan,
  ReductionRequest,
  ToolDefinition,
} from "@agent-history/core";
import {
  checkFitOptions,
  countForTarget,
  fitForTarget,
  refuseForeign,
  requireSync,
  sinceCompaction,
  viewerOf,
} from "@agent-history/format-kit";
import type {
  CountOptions,
  FitOptions,
  RequestCount,
  SyncReducer,
  TargetFormat,
} from "@agent-history/format-kit";

import type { AnthropicMessageLike } from "./anthropic-message.ts";
import { anthropicTarget } from "./anthropic-messages.ts";
import { fromAnthropicMessages } from "./anthropic-messages.ts";
import type { FromAnthropicOptions } from "./anthropic-messages.ts";
import { isCompaction } from "./anthropic-rules.ts";
import type { AnthropicRuleOptions } from "./anthropic-rules.ts";
import { toAnthropicRequest } from "./to-anthropic-request.ts";
import type { AnthropicCacheOptions, AnthropicRequest } from "./to-anthropic-request.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";
import type { AnthropicTool } from "./to-tool-definitions.ts";

/** What a request is made to fit, and by whom. */
export interface FitAnthropicOptions<Tool extends AnthropicTool = AnthropicTool>
  extends FitOptions, Pick<FromAnthropicOptions, "system">, Omit<AnthropicRuleOptions, "cache"> {
  /** The tools of the request: their schemas count. Default: none. */
  readonly tools?: readonly Tool[] | undefined;
  /** Places breakpoints where the plan says that the prompt is stable; `true` with the lifetimes' defaults. Default: those that came with messages stay. */
  readonly cache?: Omit<AnthropicCacheOptions, "plan"> | boolean | undefined;
  /** The plan of the previous call. */
  readonly previousPlan?: ReductionPlan | undefined;
  /**
   * `provider`: where the window is full, {@link FittedAnthropicRequest.compaction} is what Anthropic may summarize in place of the cut, so that the thinking behind it stays
   * valid. Default: nobody is asked.
   */
  readonly compaction?: "provider" | undefined;
  /** The answer to a compaction, in a second fit with the same `previousPlan`. One that failed is ignored: then the cut is made. */
  readonly compacted?: CompactedByAnthropic | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link fitAnthropicRequest}, whose reducer answers at once. */
export interface FitAnthropicSyncOptions<
  Tool extends AnthropicTool = AnthropicTool,
> extends FitAnthropicOptions<Tool> {
  /** Makes room, and answers at once: `{ name, reduce: (entries, request) => fitToWindow(entries, { counter, ...request }) }`. */
  readonly reducer: SyncReducer;
}

/** What to send, and the plan for the next call. */
export interface FittedAnthropicRequest<Tool extends object = object> {
  /** For `client.messages.create({ model, max_tokens, ...request })`: messages, and `system` and `tools` where they were passed. */
  readonly request: AnthropicRequest<Tool>;
  readonly plan: ReductionPlan;
  /** With `compaction: "provider"`, what Anthropic may summarize instead of the cut that `request` has. Missing where nothing was cut. */
  readonly compaction?: AnthropicCompaction<Tool>;
}

/** A request for a summary. */
export interface AnthropicCompaction<Tool extends object = object> {
  /** For `client.beta.messages.create({ model, max_tokens, ...request })`. */
  readonly request: AnthropicRequest<Tool> & { compaction: { type: "summarize" } };
  /** The id of the entry that the summary stands before. */
  readonly before: string;
}

/** What Anthropic answered to a compaction. */
export interface CompactedByAnthropic extends Pick<AnthropicCompaction, "before"> {
  readonly answer: AnthropicMessageLike;
}

/** On-demand compaction, and every request with its block: https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand */
const COMPACT_BETA = "compact-2026-09-04";

/**
 * Fits a conversation to the context window, as a request that Anthropic's Messages API takes. Pass the whole conversation at each call, longer each time, with the plan of
 * the call before: the prompt then only grows at its end until the window is full. `system` and tools count. Costs what is new.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if there is no reducer or no window, if the reducer answers with a promise, and on a tool or `system` of another shape;
 * `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts
 * import { fitAnthropicRequest } from "@agent-history/anthropic";
 * import { fitToWindow } from "@agent-history/reducer";
 * import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
 *
 * const exact = tiktokenCounter({ encoding: "o200k_base" });
 * const counter = estimatingCounter({ family: "claude", counter: exact });
 * const messages = [
 *   { role: "user", content: "Which flights go to Rome?" },
 *   { role: "assistant", content: "Two, at nine and at noon. ".repeat(20) },
 *   { role: "user", content: "Take the first." },
 * ];
 * const { request, plan } = fitAnthropicRequest(messages, {
 *   reducer: { name: "own", reduce: (entries, asked) => fitToWindow(entries, { counter, ...asked }) },
 *   window: { contextTokens: 60 },
 *   system: "You book flights.",
 * });
 * request;
 * // => { system: "You book flights.", messages: [{ role: "user", content: "Take the first." }] }
 * plan.totalTokens <= 60;
 * // => true
 * ```
 */
export function fitAnthropicRequest<Tool extends AnthropicTool = never>(
  messages: readonly AnthropicMessageLike[],
  options: FitAnthropicSyncOptions<Tool>,
): FittedAnthropicRequest<Tool> {
  return fitted(requireSync(fit(messages, options), "fitAnthropicRequestAsync"), options);
}

/** Like {@link fitAnthropicRequest}, for a reducer that may be asynchronous, such as `createReducer({ counter })`. */
export async function fitAnthropicRequestAsync<Tool extends AnthropicTool = never>(
  messages: readonly AnthropicMessageLike[],
  options: FitAnthropicOptions<Tool>,
): Promise<FittedAnthropicRequest<Tool>> {
  return fitted(await fit(messages, options), options);
}

/** Room for four breakpoints, each of which makes a text a block. */
const MARKS = { cache: "four breakpoints".padEnd(4 * 80) };

function fit(
  messages: readonly AnthropicMessageLike[],
  options: FitAnthropicOptions,
): Reduction | Promise<Reduction> {
  const { reducer, window, agent, view, previousPlan, signal, repair, compaction } =
    checkFitOptions(options);
  const { target, entries, tools } = read(messages, options);
  const viewer = viewerOf(agent);
  const compacted = readCompacted(options);
  const how = { previousPlan, signal, repair, compaction, compacted };
  const asked = { window, viewer, view, tools, ...how };
  const reduce = (all: typeof entries, request: ReductionRequest) => reducer.reduce(all, request);
  return fitForTarget(target, entries, asked, reduce);
}

/** Reads the answer to a compaction; `undefined` if it has no summary. */
function readCompacted({ compacted }: FitAnthropicOptions): Compacted | undefined {
  const [summary] = compacted === undefined ? [] : fromAnthropicMessages([compacted.answer]);
  if (compacted === undefined || summary?.type !== "summary") return undefined;
  return isCompaction(summary) ? { before: compacted.before, summary } : undefined;
}

type RequestOptions = Omit<FitAnthropicOptions, keyof FitOptions> & Pick<FitOptions, "agent">;

/** Reads what a request sends, and how it is written. */
function read(
  messages: readonly AnthropicMessageLike[],
  { agent, cache, ...sends }: RequestOptions,
): {
  readonly target: TargetFormat;
  readonly entries: readonly HistoryEntry[];
  readonly tools: readonly ToolDefinition[] | undefined;
} {
  refuseForeign(messages, "anthropic");
  const { system, tools } = sends;
  const stamp = agent === undefined ? {} : { agent };
  const viewer = viewerOf(agent);
  return {
    entries: sinceCompaction(fromAnthropicMessages(messages, { system, ...stamp })),
    tools: tools && toToolDefinitions(tools),
    target: {
      ...anthropicTarget({ ...sends, cache: cache ? {} : undefined }),
      // Breakpoints stand where the plan says that the prompt is stable.
      request: (sent) => ({
        ...toAnthropicRequest(sent, { ...sends, viewer }),
        ...(cache && MARKS),
      }),
    },
  };
}

/** A request to count, as `client.messages.create` takes it, and the counter. */
export interface AnthropicRequestToCount
  extends CountOptions, Omit<FitAnthropicOptions, keyof FitOptions | "previousPlan" | "signal"> {
  readonly messages: readonly AnthropicMessageLike[];
}

/**
 * Counts a request of Anthropic's Messages API before it is sent, by the count that {@link fitAnthropicRequest} fits with: tokens by part, bytes of its body, images. Linear.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` on a tool or `system` of another shape.
 *
 * @example
 * ```ts
 * import { countRequest } from "@agent-history/anthropic";
 * import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
 *
 * const exact = tiktokenCounter({ encoding: "o200k_base" });
 * const counter = estimatingCounter({ family: "claude", counter: exact });
 * const messages = [{ role: "user", content: "To Rome, please." }];
 * const { tokens, parts, estimate } = countRequest({ counter, system: "You book flights.", messages });
 * parts.instructions + parts.history === tokens;
 * // => true
 * estimate?.tokens === tokens;
 * // => true
 * ```
 */
export function countRequest({
  counter,
  messages,
  ...options
}: AnthropicRequestToCount): RequestCount {
  const { target, entries, tools } = read(messages, options);
  return countForTarget(target, entries, { counter, agent: options.agent, tools });
}

function fitted<Tool extends AnthropicTool>(
  { entries, plan, compaction }: Reduction,
  { agent, cache, ...options }: FitAnthropicOptions<Tool>,
): FittedAnthropicRequest<Tool> {
  const marks = cache === true ? {} : cache || undefined;
  const write = (sent: readonly HistoryEntry[], own?: AnthropicCacheOptions) => ({
    ...toAnthropicRequest(sent, { ...options, viewer: viewerOf(agent), cache: own }),
    ...(sent.some(isCompaction) && { betas: [COMPACT_BETA] }),
  });
  const request = write(entries, marks && { ...marks, plan });
  if (compaction === undefined) return { request, plan };
  const { before, entries: summarized } = compaction;
  const asked = { compaction: { type: "summarize" as const }, betas: [COMPACT_BETA] };
  return {
    request,
    plan,
    compaction: { before, request: { ...write(summarized, marks), ...asked } },
  };
}
