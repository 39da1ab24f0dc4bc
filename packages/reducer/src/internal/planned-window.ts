import type { ModelWindow, PlannedWindow } from "@agent-history/core";

/** Writes a window as plain JSON, which has no infinite numbers. */
export function plannedWindow({ contextTokens, ...kept }: ModelWindow): PlannedWindow {
  return contextTokens === Infinity ? kept : { ...kept, contextTokens };
}

/** Returns whether a plan was made for this window. */
export function isPlannedFor(
  { contextTokens, outputReserveTokens, marginTokens }: ModelWindow,
  planned: PlannedWindow,
): boolean {
  return (
    planned.contextTokens === (contextTokens === Infinity ? undefined : contextTokens) &&
    planned.outputReserveTokens === outputReserveTokens &&
    planned.marginTokens === marginTokens
  );
}
