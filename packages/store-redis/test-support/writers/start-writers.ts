import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { eventually } from "../eventually.ts";
import { ledger } from "../oracle/ledger.ts";
import type { Ledger } from "../oracle/ledger.ts";
import type { WriterOrders, WriterReport } from "./writer-orders.ts";

/** Writer processes and their ledger. */
export interface Writers {
  readonly ledger: Ledger;
  /** Number of errors by code and outcome. */
  readonly failures: ReadonlyMap<string, number>;
  /** An example message of each kind of error. */
  readonly messages: ReadonlyMap<string, string>;
  /** Number of batches that a retry found already written. */
  readonly duplicates: () => number;
  /** Number of version conflicts with other writers. */
  readonly conflicts: () => number;
  /** Waits until this many entries have been acknowledged. */
  readonly acknowledged: (entries: number) => Promise<void>;
  /** Waits until this many more entries have been acknowledged from now on. */
  readonly acknowledgedMore: (entries: number) => Promise<void>;
  /** Waits until every writer has written all its batches; with `stop`, stops the writers first. */
  readonly finish: (how?: "stop") => Promise<void>;
  readonly kill: () => void;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Starts one process for each of the orders. All begin to write after all are connected. */
export async function startWriters(orders: readonly WriterOrders[]): Promise<Writers> {
  const lines = ledger();
  const failures = new Map<string, number>();
  const messages = new Map<string, string>();
  let [duplicates, conflicts] = [0, 0];
  let ready = 0;
  const hear = (said: WriterReport): void => {
    if (said.kind === "ready") ready += 1;
    if (said.kind === "duplicate") duplicates += 1;
    if (said.kind === "conflict") conflicts += 1;
    if (said.kind === "sent") lines.sent(said.line);
    if (said.kind === "acknowledged" || said.kind === "duplicate") lines.acknowledged(said.line);
    if (said.kind !== "failed") return;
    const kind = said.outcome === undefined ? said.code : `${said.code} ${said.outcome}`;
    failures.set(kind, (failures.get(kind) ?? 0) + 1);
    messages.set(kind, said.message);
  };
  const writers = orders.map((order) => startWriter(order, hear));
  const kill = (): void => writers.forEach(({ child }) => child.kill("SIGKILL"));
  const allGone = Promise.all(writers.map(({ gone }) => gone));
  // `finish` reports failures; this avoids an unhandled rejection before that.
  allGone.catch(() => undefined);
  const orFailure = async (what: string, holds: () => boolean): Promise<void> => {
    let isOver = false;
    const over = allGone.finally(() => (isOver = true));
    await Promise.race([eventually(what, () => isOver || holds()), over]);
  };
  const tell = (message: "go" | "stop"): void => {
    for (const { child } of writers) if (child.connected) child.send(message);
  };
  const acknowledged = async (entries: number): Promise<void> => {
    await orFailure(
      `${entries} entries acknowledged`,
      () => lines.acknowledgedEntries() >= entries,
    );
    const reached = lines.acknowledgedEntries();
    if (reached >= entries) return;
    const why = [...messages.values()].join("; ");
    throw new Error(`All writers ended at ${reached} of ${entries} entries: ${why}`);
  };
  await orFailure("all writers are connected", () => ready === orders.length);
  tell("go");
  return {
    ledger: lines,
    failures,
    messages,
    duplicates: () => duplicates,
    conflicts: () => conflicts,
    acknowledged,
    acknowledgedMore: (entries) => acknowledged(lines.acknowledgedEntries() + entries),
    finish: async (how) => {
      if (how === "stop") tell("stop");
      await allGone;
    },
    kill,
    [Symbol.asyncDispose]: async () => {
      kill();
      await Promise.allSettled(writers.map(({ gone }) => gone));
    },
  };
}

interface Writer {
  readonly child: ChildProcess;
  readonly gone: Promise<void>;
}

function startWriter(orders: WriterOrders, hear: (said: WriterReport) => void): Writer {
  const program = join(import.meta.dirname, "writer-process.ts");
  const child = fork(program, [JSON.stringify(orders)], {
    execArgv: ["--conditions=@agent-history/source"],
  });
  let isDone = false;
  child.on("message", (said: WriterReport) => {
    if (said.kind === "done") isDone = true;
    hear(said);
  });
  const gone = awaitEnd();
  gone.catch(() => undefined);
  return { child, gone };

  async function awaitEnd(): Promise<void> {
    const [code] = await once(child, "close");
    if (!isDone) throw new Error(`Writer ${orders.writer} ended early with ${String(code)}`);
  }
}
