import { HistoryError } from "@agent-history/core";
import type { ModelWindow } from "@agent-history/core";
import type { RoleWindows } from "@agent-history/history-manager";

/** The part of a window that is kept free for the reply. */
const OUTPUT_SHARE = 1 / 8;
const ROLES = ["orchestrator", "manager", "worker"] as const;
/** What a role has of the largest window, where only that is given. */
const SHARES = [1, 1 / 2, 3 / 8];

/** Small on purpose, so that there is something to leave out: 8,000 tokens for the orchestrator, 4,000 for a manager, 3,000 for a worker. */
export const DEFAULT_WINDOWS: RoleWindows = roleWindows([8_000]);

/**
 * Makes the windows of the roles, an eighth of each kept free for the reply.
 *
 * @param tokens - One number is the orchestrator's: a manager has half of it, a worker three eighths. Three are one for each role.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if these are not one or three positive whole numbers.
 */
export function roleWindows(tokens: readonly number[]): RoleWindows {
  const [largest = 0] = tokens;
  const all = tokens.length === 1 ? SHARES.map((share) => Math.floor(largest * share)) : tokens;
  if (all.length !== ROLES.length || !all.every(isPositive)) {
    throw new HistoryError(
      "Expected a window in tokens, or three: orchestrator, manager, worker. For example 8000, or 8000,4000,3000.",
      { code: "INVALID_OPTION", details: { option: "window" } },
    );
  }
  const [orchestrator = 0, manager = 0, worker = 0] = all;
  return {
    orchestrator: windowOf(orchestrator),
    manager: windowOf(manager),
    worker: windowOf(worker),
  };
}

function windowOf(contextTokens: number): ModelWindow {
  const outputReserveTokens =
    contextTokens === Infinity ? 0 : Math.floor(contextTokens * OUTPUT_SHARE);
  return { contextTokens, outputReserveTokens };
}

function isPositive(count: number): boolean {
  return count === Infinity || (Number.isInteger(count) && count > 0);
}
