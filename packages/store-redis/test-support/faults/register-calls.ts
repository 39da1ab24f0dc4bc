import { isHistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";

import type { OpenStore } from "../open-store.ts";
import type { RegisterCall, RegisterOutcome } from "../oracle/is-linearizable.ts";
import type { CuttingProxy } from "../proxies/start-cutting-proxy.ts";

const CALLS_OF_A_CLIENT = 6;
/** Only two, so that clients write values that others have written. */
const VALUES = ["held", "free"];

/** Options of `registerCalls`. */
interface CallOptions {
  readonly key: string;
  readonly random: () => number;
  /** One proxy for each client; they cut half of the calls. */
  readonly proxies: readonly CuttingProxy[];
  /** A text that every request that may write contains. */
  readonly writing: string;
  readonly beforeCall: () => void;
}

/** All clients make some calls concurrently. Each reads or guesses the revision that it expects. */
export async function registerCalls(
  stores: readonly OpenStore[],
  { key, random, proxies, writing, beforeCall }: CallOptions,
): Promise<readonly RegisterCall[]> {
  const calls: RegisterCall[] = [];
  let moment = 0;
  const run = async ({ store }: OpenStore, nth: number): Promise<void> => {
    for (let count = 0; count < CALLS_OF_A_CLIENT; count += 1) {
      beforeCall();
      if (random() < 0.5) proxies[nth]?.cut(random() < 0.5 ? "before" : "after", writing);
      const newest = calls.reduce((most, { outcome }) => Math.max(most, revisionOf(outcome)), 0);
      const begunAt = (moment += 1);
      const outcome = await callOf(store, { key, random, newest });
      // Calls that were certainly not applied are left out.
      if (outcome === undefined) continue;
      const endedAt = outcome.kind === "unknown" ? Infinity : (moment += 1);
      calls.push({ begunAt, endedAt, outcome });
    }
  };
  await Promise.all(stores.map(run));
  return calls;
}

function revisionOf(outcome: RegisterOutcome): number {
  if (outcome.kind === "read") return outcome.revision;
  return outcome.kind === "refused" ? 0 : outcome.expected + 1;
}

async function callOf(
  store: HistoryStore,
  {
    key,
    random,
    newest,
  }: { readonly key: string; readonly random: () => number; readonly newest: number },
): Promise<RegisterOutcome | undefined> {
  if (random() < 0.25) {
    const found = await store.getState("thread", key).catch(() => null);
    if (found === null) return undefined;
    const { revision, value } = found ?? { revision: 0, value: "" };
    return { kind: "read", revision, value: typeof value === "string" ? value : "no text" };
  }
  const expected = Math.max(0, newest - (random() < 0.2 ? 1 : 0));
  const value = VALUES[Math.floor(random() * VALUES.length)] ?? "";
  try {
    const { revision } = await store.setState("thread", key, value, { expectedRevision: expected });
    return revision === expected + 1
      ? { kind: "written", expected, value }
      : { kind: "read", revision, value: "a revision that it did not write" };
  } catch (error) {
    if (isHistoryError(error, "VERSION_CONFLICT")) return { kind: "refused", expected };
    if (isHistoryError(error, "OUTCOME_UNKNOWN")) return { kind: "unknown", expected, value };
    if (isHistoryError(error, "STORE_UNAVAILABLE")) return undefined;
    throw error;
  }
}
