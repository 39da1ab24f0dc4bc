import { isHistoryError } from "@agent-history/core";
import { AbortError, ClientClosedError, SimpleError, SocketClosedUnexpectedlyError } from "redis";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { withDeadline } from "./operation.ts";
import type { Limits, Operation } from "./operation.ts";

type Send = (signal: AbortSignal) => Promise<string>;

/** What a call with these sendings comes to: its value, or its error's code and details. */
async function outcomeOf(
  sends: readonly Send[],
  { kind = "write", ...limits }: Partial<Limits> & { readonly kind?: "write" | "read" } = {},
): Promise<unknown> {
  let sent = 0;
  const run = (operation: Operation): Promise<string> =>
    operation[kind]((signal) => (sends[sent++] ?? never)(signal));
  const outcome = withDeadline({ timeoutMs: 30, ...limits }, run).then(
    (value) => [value, sent],
    (error: unknown) => {
      if (!isHistoryError(error)) throw error;
      return [error.code, error.details["outcome"] ?? error.details["reason"], sent];
    },
  );
  await vi.runAllTimersAsync();
  return await outcome;
}

const never: Send = () => new Promise(() => {});
const answers: Send = async () => "answer";
const fails =
  (error: Error): Send =>
  async () => {
    throw error;
  };
const disconnects = fails(new SocketClosedUnexpectedlyError());
const isBusy = fails(new SimpleError("LOADING"));
/** A command that waits in the client's queue until it is taken back; a pool says so a few ticks later. */
const waitsUnsent: Send = async (signal) => await inQueue(signal).finally(() => {});
const inQueue: Send = (signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new AbortError()));
  });

// Pauses and deadlines pass in their order, however busy the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe("withDeadline", () => {
  it("gives each answered read the whole time again, so that a long log can be read in rounds", async () => {
    const answerLate: Send = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return "answer";
    };
    const rounds = withDeadline({ timeoutMs: 30 }, async (operation) => {
      for (let round = 0; round < 9; round += 1) await operation.read(answerLate);
      return operation.read(async () => "all");
    });
    const frozen = withDeadline({ timeoutMs: 30 }, async (operation) => {
      await operation.read(answerLate);
      return operation.read(never);
    }).catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    expect(await rounds).toBe("all");
    expect(await frozen).toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  it("sends again after what passes", async () => {
    expect(await outcomeOf([isBusy, disconnects, answers])).toEqual(["answer", 3]);
  });

  it("says that nothing was sent where the client took the command back", async () => {
    expect(await outcomeOf([waitsUnsent])).toEqual(["STORE_UNAVAILABLE", "not-sent", 1]);
  });

  it("says that the outcome is unknown where a write was sent and not answered", async () => {
    expect(await outcomeOf([never])).toEqual(["OUTCOME_UNKNOWN", "timeout", 1]);
  });

  it("says so too where only an earlier attempt may have landed", async () => {
    expect(await outcomeOf([disconnects, waitsUnsent])).toEqual(["OUTCOME_UNKNOWN", "timeout", 2]);
    expect(await outcomeOf([disconnects, fails(new SimpleError("NOPERM"))])).toEqual([
      "OUTCOME_UNKNOWN",
      "no-permission",
      2,
    ]);
  });

  it("says of a read that nothing was written", async () => {
    expect(await outcomeOf([never], { kind: "read" })).toEqual([
      "STORE_UNAVAILABLE",
      "not-sent",
      1,
    ]);
  });

  it("does not send again what was rejected, or over a closed client", async () => {
    const rejected = fails(new SimpleError("OOM command not allowed when used memory"));

    expect(await outcomeOf([rejected])).toEqual(["STORE_UNAVAILABLE", "rejected", 1]);
    expect(await outcomeOf([fails(new ClientClosedError())])).toEqual([
      "STORE_UNAVAILABLE",
      "not-sent",
      1,
    ]);
  });

  it("says of a rejection that passed too late that it was rejected", async () => {
    const sends = Array.from({ length: 100 }, () => isBusy);

    expect(await outcomeOf(sends)).toEqual(["STORE_UNAVAILABLE", "rejected", expect.any(Number)]);
  });

  it("ends with its caller's signal: aborted before the command is written, unknown after", async () => {
    const controllers = [new AbortController(), new AbortController()];
    const outcomes = controllers.map(({ signal }, index) =>
      outcomeOf([index === 0 ? waitsUnsent : never], { signal, timeoutMs: Infinity }),
    );
    for (const controller of controllers) controller.abort();

    expect(await Promise.all(outcomes)).toEqual([
      ["ABORTED", undefined, 1],
      ["OUTCOME_UNKNOWN", "timeout", 1],
    ]);
  });

  it("sends nothing once it is over", async () => {
    const late = withDeadline({ timeoutMs: 1 }, async (operation) => {
      await operation.write(never).catch(() => {});
      return operation.write(answers);
    });

    const outcome = late.catch((error: unknown) => error);
    await vi.runAllTimersAsync();

    expect(await outcome).toMatchObject({ code: "OUTCOME_UNKNOWN" });
  });
});
