import type { CompressionTrigger } from "../compression-trigger.ts";

/**
 * Fires where one of the triggers does; without any, never.
 *
 * @example
 * ```ts
 * import { allOf, anyOf, betweenPhases, not, tokensExceed, turnsExceed } from "@agent-history/compression";
 *
 * const trigger = anyOf(tokensExceed(50_000), allOf(betweenPhases(), not(turnsExceed(2))));
 * trigger({ view: "thread", entries: [], members: [], tokens: 60_000 });
 * // => true
 * ```
 */
export function anyOf(...triggers: readonly CompressionTrigger[]): CompressionTrigger {
  return (situation) => triggers.some((trigger) => trigger(situation));
}

/** Fires where all of the triggers do; without any, always. */
export function allOf(...triggers: readonly CompressionTrigger[]): CompressionTrigger {
  return (situation) => triggers.every((trigger) => trigger(situation));
}

/** Fires where the trigger does not. */
export function not(trigger: CompressionTrigger): CompressionTrigger {
  return (situation) => !trigger(situation);
}
