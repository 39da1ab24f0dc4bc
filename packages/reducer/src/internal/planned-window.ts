import type { ModelWindow, PlannedWindow } from "@agent-history/core";

/** Writes a window as plain JSON, which has no infinite numbers. */
export function plannedWindow({ contextTokens, ...kept }: ModelWindow): PlannedWindow {
  return contextTokens === Infinity ? kept : { ...kept, contextTokens };
}
