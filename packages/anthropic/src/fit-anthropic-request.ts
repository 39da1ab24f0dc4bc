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
import { anthropicTarget, fromAnthropicMessages } from "./anthropic-messages.ts";
import type { FromAnthropicOptions } from "./anthropic-messages.ts";
import { isCompaction } from "./anthropic-rules.ts";
import type { AnthropicRuleOptions } from "./anthropic-rules.ts";
import { toAnthropicRequest } from "./to-anthropic-request.ts";
import type { AnthropicCacheOptions, AnthropicRequest } from "./to-anthropic-request.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";
import type { AnthropicTool } from "./to-tool-definitions.ts";

/** Options of {@link fitAnthropicRequestAsync}. */
export interface FitAnthropicOptions<Tool extends AnthropicTool = AnthropicTool>
  extends FitOptions, Pick<FromAnthropicOptions, "system">, Omit<AnthropicRuleOptions, "cache"> {
  /** The tools of the request. Their schemas are counted. Default: none. */
  readonly tools?: readonly Tool[] | undefined;
  /** Places breakpoints at the stable boundaries of the plan; `true` uses the default lifetimes. Default: existing breakpoints of messages are kept. */
  readonly cache?: Omit<AnthropicCacheOptions, "plan"> | boolean | undefined;
  /** The plan of the previous call. */
  readonly previousPlan?: ReductionPlan | undefined;
  /**
   * `provider`: if the window is full, {@link FittedAnthropicRequest.compaction} is a request for a summary by Anthropic, to be used instead of the cut, so that thinking after it stays
   * valid. Default: no compaction.
   */
  readonly compaction?: "provider" | undefined;
  /** The response to a compaction, for a second fit with the same `previousPlan`. A failed one is ignored, and the cut is made. */
  readonly compacted?: CompactedByAnthropic | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link fitAnthropicRequest}, which needs a synchronous reducer. */
export interface FitAnthropicSyncOptions<
  Tool extends AnthropicTool = AnthropicTool,
> extends FitAnthropicOptions<Tool> {
  /** A synchronous reducer: `{ name, reduce: (entries, request) => fitToWindow(entries, { counter, ...request }) }`. */
  readonly reducer: SyncReducer;
}

/** The request to send, and the plan for the next call. */
export interface FittedAnthropicRequest<Tool extends object = object> {
  /** For `client.messages.create({ model, max_tokens, ...request })`: messages, and `system` and `tools` if passed. */
  readonly request: AnthropicRequest<Tool>;
  readonly plan: ReductionPlan;
  /** With `compaction: "provider"`, the request for a summary that can replace the cut in `request`. Absent if nothing was cut. */
  readonly compaction?: AnthropicCompaction<Tool>;
}

/** A request for a summary. */
export interface AnthropicCompaction<Tool extends object = object> {
  /** For `client.beta.messages.create({ model, max_tokens, ...request })`. */
  readonly request: AnthropicRequest<Tool> & { compaction: { type: "summarize" } };
  /** Id of the entry that the summary precedes. */
  readonly before: string;
}

/** Anthropic's response to a compaction. */
export interface CompactedByAnthropic extends Pick<AnthropicCompaction, "before"> {
  readonly answer: AnthropicMessageLike;
}

/** Beta header of on-demand compaction, needed for every request with its block: https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand */
const COMPACT_BETA = "compact-2026-09-04";

/**
 * Fits a conversation to the context window, as a request that Anthropic's Messages API accepts. Pass the full conversation at each call, with new messages at the end, with the plan of
 * the previous call: the prompt then only grows at its end until the window is full. `system` and tools are counted. Cost: proportional to the new messages.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if there is no reducer or no window, if the reducer returns a promise, and on a tool or `system` of another shape;
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

/** Reserves bytes for four breakpoints, each of which may turn a text into a block. */
const MARKS = { cache: "four breakpoints".padEnd(4 * 80) };

function fit(
  messages: readonly AnthropicMessageLike[],
  options: FitAnthropicOptions,
): Reduction | Promise<Reduction> {
  const { reducer, window, agent, view, previousPlan, signal, repair, compaction } =
    checkFitOptions(options);
  const { target, entries, tools } = read(messages, options);
  const how = { previousPlan, signal, repair, compaction, compacted: readCompacted(options) };
  const asked = { window, viewer: viewerOf(agent), view, tools, ...how };
  return fitForTarget(target, entries, asked, (all, request: ReductionRequest) =>
    reducer.reduce(all, request),
  );
}

/** Reads the response to a compaction; `undefined` if it has no summary. */
function readCompacted({ compacted }: FitAnthropicOptions): Compacted | undefined {
  const [summary] = compacted === undefined ? [] : fromAnthropicMessages([compacted.answer]);
  if (compacted === undefined || summary?.type !== "summary") return undefined;
  return isCompaction(summary) ? { before: compacted.before, summary } : undefined;
}

type RequestOptions = Omit<FitAnthropicOptions, keyof FitOptions> & Pick<FitOptions, "agent">;

/** Reads the messages and tools of a request, and returns them with the target. */
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
      // `MARKS` stands for the breakpoints, which depend on the plan.
      request: (sent) => ({
        ...toAnthropicRequest(sent, { ...sends, viewer }),
        ...(cache && MARKS),
      }),
    },
  };
}

/** A request to count, in the form of `client.messages.create`, and the counter. */
export interface AnthropicRequestToCount
  extends CountOptions, Omit<FitAnthropicOptions, keyof FitOptions | "previousPlan" | "signal"> {
  readonly messages: readonly AnthropicMessageLike[];
}

/**
 * Counts a request of Anthropic's Messages API before it is sent, as {@link fitAnthropicRequest} does: tokens by kind, bytes of its body, images. Linear.
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
