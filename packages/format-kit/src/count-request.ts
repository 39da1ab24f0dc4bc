import { messageRole } from "@agent-history/core";
import type { Agent, HistoryEntry, ReductionRequest, TokenCounter } from "@agent-history/core";
import { addLoad, loadOf, loadOfTools, withoutReasoning } from "@agent-history/core/kit";

import { measuresOf, viewerOf } from "./fit-for-target.ts";
import type { TargetFormat } from "./fit-for-target.ts";
import { repairFor } from "./wire-rules.ts";

/** Options of every `countRequest`. */
export interface CountOptions {
  /** Counts tokens. Use the counter that the fit of the request uses. */
  readonly counter: TokenCounter;
  /** The agent whose request it is. */
  readonly agent?: Agent | undefined;
}

/** Size of a request. A fit of the same request has the same numbers in its plan: `totalTokens`, `totalBytes`, `totalImages`. */
export interface RequestCount {
  readonly tokens: number;
  /** The tokens by kind. They add up to `tokens`. */
  readonly parts: {
    /** System messages and instructions. */
    readonly instructions: number;
    /** Schemas of tools and of structured output. */
    readonly tools: number;
    /** All other messages, and the fixed overhead of a request. */
    readonly history: number;
    /** Images and files. */
    readonly media: number;
    readonly reasoning: number;
  };
  /** Bytes of messages, instructions and tools as sent; up to a third too high for formats that an SDK serializes. */
  readonly bytes: number;
  readonly images: number;
  /** Absent if the model's own tokenizer counts every token. */
  readonly estimate?: {
    /** Number of estimated tokens: all if the counter does not have the tokenizer, otherwise those of media of unknown size. */
    readonly tokens: number;
    /** By how many tokens the provider may count more, as observed by a calibrated counter. Absent for other counters. */
    readonly mayMiss?: number;
  };
}

/** Counts a request as {@link fitForTarget} does: after repairs, each entry as the format writes it. Linear. */
export function countForTarget(
  target: TargetFormat,
  given: readonly HistoryEntry[],
  { counter, agent, tools }: CountOptions & Pick<ReductionRequest, "tools">,
): RequestCount {
  const viewer = viewerOf(agent);
  const { entries } = repairFor(target, given, viewer);
  const { asWritten, bytesOf } = measuresOf(target, { viewer, tools });
  const counted = { counter, asWritten, viewer, tools };
  const { totalBytes, totalImages, estimatedMedia } = addLoad(
    loadOfTools(counted),
    loadOf(entries, counted),
  );
  const primer = counter.countRequest();
  const parts = {
    instructions: 0,
    tools: counter.countRequest(tools) - primer,
    history: primer,
    media: 0,
    reasoning: 0,
  };
  for (const entry of entries) {
    const written = asWritten(entry, viewer);
    const whole = counter.countEntry(written, viewer);
    const media = (counter.countMedia?.(written) ?? []).reduce((sum, one) => sum + one.tokens, 0);
    const reasoning = whole - counter.countEntry(withoutReasoning(written), viewer);
    parts.media += media;
    parts.reasoning += reasoning;
    const part = messageRole(entry, viewer) === "system" ? "instructions" : "history";
    parts[part] += whole - media - reasoning;
  }
  const tokens = Object.values(parts).reduce((sum, part) => sum + part, 0);
  const estimated = counter.isEstimate === true ? tokens : (estimatedMedia?.tokens ?? 0);
  const mayMiss = counter.errorOf?.(tokens);
  return {
    tokens,
    parts,
    bytes: bytesOf?.(entries) ?? totalBytes,
    images: totalImages,
    ...((estimated > 0 || mayMiss !== undefined) && {
      estimate: { tokens: estimated, ...(mayMiss !== undefined && { mayMiss }) },
    }),
  };
}
