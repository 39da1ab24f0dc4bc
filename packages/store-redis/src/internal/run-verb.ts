import { throwIfAborted } from "@agent-history/core";
import { requireName } from "@agent-history/core/schema";
import type { VerbCounts } from "@agent-history/store-kit/indexed";

import { TORN } from "./look-up-presence.ts";
import { withDeadline } from "./operation.ts";
import type { Operation } from "./operation.ts";
import type { StoreContext } from "./store-context.ts";
import { storeClosed, threadCorrupt } from "./thread-errors.ts";
import { countRetry, traceVerb } from "./trace-verb.ts";

/** What a verb is given when it runs. */
export interface VerbRun {
  readonly operation: Operation;
  readonly counts: VerbCounts;
}

/** What every verb begins with: the caller's signal, whether the store is open, the thread's id. */
export function requireCall(
  context: StoreContext,
  call: { readonly threadId?: string; readonly signal?: AbortSignal | undefined },
): void {
  throwIfAborted(call.signal);
  if (context.isClosed()) throw storeClosed();
  if ("threadId" in call) requireName("threadId", call.threadId);
}

/** Runs a verb: traced, under its deadline, on a server that was found valid. */
export function runVerb<T>(
  context: StoreContext,
  call: {
    readonly verb: string;
    readonly threadId?: string;
    readonly signal?: AbortSignal | undefined;
  },
  run: (given: VerbRun) => Promise<T>,
): Promise<T> {
  return traceVerb(call.verb, async (counts) => {
    requireCall(context, call);
    return inTime(context, call.signal, (operation) => run({ operation, counts }));
  });
}

/** Runs work under the deadline of a call, on a server that was found valid. */
export function inTime<T>(
  context: StoreContext,
  signal: AbortSignal | undefined,
  run: (operation: Operation) => Promise<T>,
): Promise<T> {
  const { timeoutMs } = context;
  return withDeadline({ timeoutMs, signal }, async (operation) => {
    await context.requireServer(operation);
    return whileTorn(() => run(operation));
  });
}

/** Runs work once more for as long as the thread went in the middle of it. */
export async function whileTorn<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < MAX_TORN; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (error !== TORN) throw error;
      countRetry();
    }
  }
  // Nobody deletes and begins a thread that often: its keys disagree for good.
  throw threadCorrupt("ids");
}

const MAX_TORN = 20;
