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

/** Where Anthropic caches the prompt. */
export interface AnthropicCacheOptions {
  /** The plan of the fit: says up to where the prompt is stable. Without it, breakpoints stand behind tools and `system`, and at the end. */
  readonly plan?: ReductionPlan | undefined;
  /** How long the cached messages live. Default `5m`. */
  readonly ttl?: CacheTtl | undefined;
  /** How long cached tools and `system` live; not shorter than `ttl`. Default: as `ttl`. */
  readonly prefixTtl?: CacheTtl | undefined;
}

/** How a request is made of entries. */
export interface ToAnthropicRequestOptions<
  Tool extends object = object,
> extends AnthropicRuleOptions {
  /** Whose prompt it is. Default: nobody's. */
  readonly viewer?: Viewer | undefined;
  /** Places at most four `cache_control` breakpoints, which replace those that came with messages. Default: those that came. */
  readonly cache?: AnthropicCacheOptions | undefined;
  /** The tools of the request: given back, without a `system` the last one with a breakpoint where `cache` is set. Default: none. */
  readonly tools?: readonly Tool[] | undefined;
}

/** What `client.messages.create` takes beside the model and `max_tokens`. Fields that are not there are left out. */
export interface AnthropicRequest<Tool extends object = object> {
  system?: string | AnthropicTextBlock[];
  messages: AnthropicMessage[];
  tools?: Tool[];
  /** What a compaction on demand needs: for `client.beta.messages`. */
  betas?: string[];
}

/**
 * Makes a request of entries that Anthropic's Messages API takes. Linear.
 *
 * Messages that came from Anthropic, and that the API takes, are given back as they came. Where it would refuse: results stand first in their message, neighbors are joined where one was made by
 * a fit or came from another format, blank texts are left out, a conversation that begins with an answer gets a short user's message before it, system messages stand where they may. What
 * stands before the last `compaction` block, which stands for it, is not sent. Thinking and its signatures are never changed.
 *
 * Repaired histories (`repairHistory`, or a fit) are taken; a request ends with a user's message if the history does.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `cache` has a lifetime that Anthropic does not know, or a `prefixTtl` shorter than its `ttl`.
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
  if (!isLifetime(ttl) || !isLifetime(prefixTtl)) throw oddLifetime("to be `5m` or `1h`");
  if (ttl === "1h" && prefixTtl === "5m") {
    throw oddLifetime(
      "not to be shorter than `cache.ttl` in `cache.prefixTtl`: Anthropic takes longer lifetimes only before shorter ones",
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

interface WireRequest {
  readonly system: JsonValue | undefined;
  readonly messages: readonly JsonObject[];
}

function writeRequest(
  entries: readonly HistoryEntry[],
  { viewer = {}, cache, systemInMessages }: ToAnthropicRequestOptions,
): WireRequest {
  const { ttl = "5m", prefixTtl = ttl } = cache ?? {};
  const stable = cache?.plan === undefined ? [] : stableCounts(entries, cache.plan);
  const indexes = new Map(entries.map((entry, index) => [entry, index]));
  const write = (some: readonly HistoryEntry[]): readonly RequestMessage[] =>
    requestMessages(some, viewer, (entry) => indexes.get(entry) ?? -1);
  const beside = write(entries.filter(isRequestSystem).map(asSystemMessage));
  const written = write(entries);
  const begin = written.findIndex(({ role }) => role !== "system");
  const isTop = ({ role, blocks, isOwn }: RequestMessage, index: number): boolean =>
    role === "system" && blocks.length > 0 && (index < begin || !(systemInMessages ?? isOwn));
  const joined = joinTurns(written.filter((message, index) => !isTop(message, index)));
  const messages = cache === undefined ? joined : markMessages(joined, stable, ttl);
  return {
    system: systemOf([...beside, ...written.filter(isTop)], cache && prefixTtl),
    messages: messages.map(writtenMessage),
  };
}

/** Returns the `system` of a request as a system message. */
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
  const blocks = messages
    .flatMap((message) => message.blocks.map(({ block }) => block))
    .filter(({ type }) => type === "text");
  if (blocks.length === 0) return undefined;
  if (ttl !== undefined) return markLast(blocks.map(unmarked), ttl);
  const text = messages.length === 1 && messages[0]?.isText ? bareText(blocks[0]) : undefined;
  return text ?? blocks;
}

/** A tool that is loaded later is no part of what is cached. */
function markTools(tools: readonly object[], ttl: CacheTtl | undefined): readonly object[] {
  const isLoaded = (tool: object): boolean =>
    !("defer_loading" in tool && tool.defer_loading === true);
  const last = tools.findLastIndex(isLoaded);
  return tools.map((tool, index) => {
    const { cache_control: _, ...bare }: { readonly cache_control?: unknown } = tool;
    return index === last && ttl !== undefined ? { ...bare, ...breakpoint(ttl) } : bare;
  });
}

function isLifetime(ttl: unknown): boolean {
  return ttl === "5m" || ttl === "1h";
}

function oddLifetime(expected: string): HistoryError {
  return new HistoryError(`Expected the lifetimes of \`cache\` ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option: "cache" },
  });
}
