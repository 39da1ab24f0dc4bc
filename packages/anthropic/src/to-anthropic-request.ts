import { HistoryError, overReadable } from "@agent-history/core";
import type {
  HistoryEntry,
  JsonObject,
  JsonValue,
  ReductionPlan,
  Viewer,
} from "@agent-history/core";
import { repairFor, sinceCompaction, stableCounts } from "@agent-history/format-kit";

import type { AnthropicMessage, AnthropicTextBlock } from "./anthropic-message.ts";
import { anthropicTarget } from "./anthropic-messages.ts";
import type { AnthropicRuleOptions } from "./anthropic-rules.ts";
import { breakpoint, markLast, markMessages, unmarked } from "./internal/mark-breakpoints.ts";
import type { CacheTtl } from "./internal/mark-breakpoints.ts";
import { isRequestSystem } from "./internal/write-anthropic.ts";
import { bareText, joinTurns, requestMessages, writtenMessage } from "./internal/write-request.ts";
import type { RequestMessage } from "./internal/write-request.ts";

/** Placement and lifetimes of cache breakpoints. */
export interface AnthropicCacheOptions {
  /** The plan of the fit, which determines how far the prompt is stable. Without it, breakpoints are after tools and `system`, and at the end. */
  readonly plan?: ReductionPlan | undefined;
  /** Lifetime of cached messages. Default `5m`. */
  readonly ttl?: CacheTtl | undefined;
  /** Lifetime of cached tools and `system`; not shorter than `ttl`. Default: `ttl`. */
  readonly prefixTtl?: CacheTtl | undefined;
}

/** Options of {@link toAnthropicRequest}. */
export interface ToAnthropicRequestOptions<
  Tool extends object = object,
> extends AnthropicRuleOptions {
  /** The reader of the prompt. Default: none. */
  readonly viewer?: Viewer | undefined;
  /** Places at most four `cache_control` breakpoints, which replace those of the messages. Default: existing breakpoints are kept. */
  readonly cache?: AnthropicCacheOptions | undefined;
  /** The tools of the request. Returned unchanged; if `cache` is set, their breakpoints are replaced, with one on the last tool if there is no `system`. Default: none. */
  readonly tools?: readonly Tool[] | undefined;
}

/** Fields for `client.messages.create` besides the model and `max_tokens`. Absent fields are omitted. */
export interface AnthropicRequest<Tool extends object = object> {
  system?: string | AnthropicTextBlock[];
  messages: AnthropicMessage[];
  tools?: Tool[];
  /** Beta headers that on-demand compaction needs, for `client.beta.messages`. */
  betas?: string[];
}

/**
 * Converts entries to a request that Anthropic's Messages API accepts. Linear.
 *
 * Messages that were read from Anthropic messages and that the API accepts are returned unchanged. Otherwise repairs them: results come first in their message, neighbors are merged if one was made by
 * a fit or is from another format, blank texts are removed, a conversation that begins with an answer gets a short user message before it, system messages move to allowed places. Entries
 * before the last `compaction` block, which replaces them, are not sent. Thinking and its signatures are never changed.
 *
 * Expects a repaired history (`repairHistory`, or a fit); a request ends with a user message if the history does.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `cache` has a lifetime that Anthropic does not support, or a `prefixTtl` shorter than its `ttl`.
 *
 * @example
 * ```ts
 * import { observation, userMessage } from "@agent-history/core";
 * import { fromAnthropicMessages, toAnthropicRequest } from "@agent-history/anthropic";
 *
 * const calls = [{ type: "tool_use", id: "c1", name: "find", input: { to: "Rome" } }];
 * const entries = fromAnthropicMessages(
 *   [{ role: "user", content: "To Rome, please." }, { role: "assistant", content: calls }],
 *   { system: "You book flights." },
 * );
 * const found = observation({ callId: "c1", toolName: "find", outcome: "success", content: "Two." });
 * const request = toAnthropicRequest([...entries, found, userMessage({ content: "Quickly!" })]);
 * request.system;
 * // => "You book flights."
 * request.messages[2];
 * // => {
 * //   role: "user",
 * //   content: [
 * //     { type: "tool_result", tool_use_id: "c1", content: "Two." },
 * //     { type: "text", text: "Quickly!" },
 * //   ],
 * // }
 * ```
 */
export function toAnthropicRequest<Tool extends object = never>(
  entries: readonly HistoryEntry[],
  options: ToAnthropicRequestOptions<Tool> = {},
): AnthropicRequest<Tool> {
  const { ttl = "5m", prefixTtl = ttl } = options.cache ?? {};
  const areLifetimes = [ttl, prefixTtl].every((one) => one === "5m" || one === "1h");
  // Anthropic takes longer lifetimes only before shorter ones.
  if (!areLifetimes || (ttl === "1h" && prefixTtl === "5m")) {
    throw new HistoryError(
      "Expected `cache.ttl` and `cache.prefixTtl` to be `5m` or `1h`, and `prefixTtl` not to be shorter.",
      { code: "INVALID_OPTION", details: { option: "cache" } },
    );
  }
  const { cache, tools = [] } = options;
  const target = anthropicTarget(options);
  const { system, messages } = overReadable(entries, (readable) =>
    writeRequest(repairFor(target, sinceCompaction(readable), options.viewer).entries, options),
  );
  const wire = {
    ...(system !== undefined && { system }),
    messages,
    ...(tools.length > 0 && {
      // `system` follows tools in the prompt: its breakpoint covers them.
      tools: cache ? markTools(tools, system === undefined ? prefixTtl : undefined) : [...tools],
    }),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message or a tool goes out as one, whatever its provider put there
  return wire as AnthropicRequest<Tool>;
}

function writeRequest(
  entries: readonly HistoryEntry[],
  { viewer = {}, cache, systemInMessages }: ToAnthropicRequestOptions,
): { readonly system: JsonValue | undefined; readonly messages: readonly JsonObject[] } {
  const { ttl = "5m", prefixTtl = ttl, plan } = cache ?? {};
  const write = (some: readonly HistoryEntry[]) => {
    const written = requestMessages(some, viewer);
    const begin = written.findIndex(({ role }) => role !== "system");
    const isTop = ({ role, blocks, isOwn }: RequestMessage, index: number): boolean =>
      role === "system" && blocks.length > 0 && (index < begin || !(systemInMessages ?? isOwn));
    const joined = joinTurns(written.filter((message, index) => !isTop(message, index)));
    return { top: written.filter(isTop), joined };
  };
  const beside = requestMessages(entries.filter(isRequestSystem).map(asSystemMessage), viewer);
  const { top, joined } = write(entries);
  const stable = plan === undefined ? [] : stableCounts(entries, plan);
  const counts = stable.map((count) => blocksIn(write(entries.slice(0, count)).joined).length);
  const messages = cache === undefined ? joined : markMessages(joined, counts, ttl);
  return {
    system: systemOf([...beside, ...top], cache && prefixTtl),
    messages: messages.map(writtenMessage),
  };
}

function blocksIn(messages: readonly RequestMessage[]): readonly JsonObject[] {
  return messages.flatMap(({ blocks }) => blocks);
}

/** Removes the mark of the request's `system`, so that the entry is written as a system message. */
function asSystemMessage(entry: HistoryEntry): HistoryEntry {
  const { origin } = entry;
  if (origin === undefined) return entry;
  const { extra: _, ...bare } = origin;
  return { ...entry, origin: bare };
}

function systemOf(
  messages: readonly RequestMessage[],
  ttl: CacheTtl | undefined,
): JsonValue | undefined {
  const blocks = blocksIn(messages).filter(({ type }) => type === "text");
  if (blocks.length === 0) return undefined;
  if (ttl !== undefined) return markLast(blocks.map(unmarked), ttl);
  const text = messages.length === 1 && messages[0]?.isText ? bareText(blocks[0]) : undefined;
  return text ?? blocks;
}

/** Skips deferred tools, which are not part of the cached prefix. */
function markTools(tools: readonly object[], ttl: CacheTtl | undefined): readonly object[] {
  const isLoaded = (tool: object): boolean =>
    !("defer_loading" in tool && tool.defer_loading === true);
  const last = tools.findLastIndex(isLoaded);
  return tools.map((tool, index) => {
    const { cache_control: _, ...bare }: { readonly cache_control?: unknown } = tool;
    return index === last && ttl !== undefined ? { ...bare, ...breakpoint(ttl) } : bare;
  });
}
