// Measures what one more call of `historyForModelCall` costs on threads of 1,000, 10,000 and 100,000 entries, beside a bare read of the last 400.
// With REDIS_URL on Redis too. Load of the machine moves all figures; read the ratios. `--check` fails where a promise is broken.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { assistantMessage, userMessage } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { createHistoryManager } from "@agent-history/history-manager";
import type { HistoryManager, HistoryManagerOptions } from "@agent-history/history-manager";
import { createReducer } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";

import { counter } from "../test-support/character-counter.ts";
import { openTestStore } from "../test-support/open-test-store.ts";
import type { StoreAddress } from "../test-support/open-test-store.ts";

const PROMISES = { timesShortThread: 2, timesBareRead: 3 };
const LENGTHS = [1000, 10_000, 100_000];
const CALLS = 60;
const WINDOW = { contextTokens: 32_000 };
const CALL = { systemMessage: "You answer." };
const NEWEST = { clauses: [{}], view: "thread", maxEntries: 400 } as const;

const folder = mkdtempSync(join(tmpdir(), "history-manager-bench-"));
const redisUrl = process.env["REDIS_URL"];
const addresses: readonly StoreAddress[] = [
  { kind: "memory" },
  { kind: "sqlite", path: join(folder, "threads.db") },
  ...(redisUrl === undefined
    ? []
    : [{ kind: "redis", url: redisUrl, namespace: `bench-${process.pid}` } as const]),
];
const broken: string[] = [];

for (const address of addresses) {
  const { store, close } = await openTestStore(address);
  const medians: number[] = [];
  for (const length of LENGTHS) {
    const costs = await costsOf(store, length);
    medians.push(costs.call);
    print(
      `${address.kind}, ${length} entries: one more call ${ms(costs.call)}, mean with cuts ${ms(costs.mean)}, bare read of 400 ${ms(costs.bare)}; first call of a process ${ms(costs.first)}; with a scorer first question ${ms(costs.firstQuestion)}, later ${ms(costs.question)}, first step of a tool loop in another process ${ms(costs.step)}`,
    );
    promise(costs.call <= PROMISES.timesBareRead * costs.bare, `${address.kind}, ${length}: bare`);
  }
  const [short = 1, , long = 0] = medians;
  print(`${address.kind}: 100,000 entries cost ${(long / short).toFixed(2)} times what 1,000 cost`);
  promise(long <= PROMISES.timesShortThread * short, `${address.kind}: ${long / short}`);
  await close();
}
rmSync(folder, { recursive: true });
if (process.argv.includes("--check") && broken.length > 0) {
  process.stderr.write(`Broken promises: ${broken.join("; ")}.\n`);
  process.exitCode = 1;
}

interface Costs {
  readonly call: number;
  readonly mean: number;
  readonly bare: number;
  readonly first: number;
  readonly firstQuestion: number;
  readonly question: number;
  readonly step: number;
}

async function costsOf(store: HistoryStore, length: number): Promise<Costs> {
  const threadId = `thread-${length}`;
  await fill(store, threadId, length);
  const options = {
    store,
    threadId,
    counter,
    reducer: createReducer({ counter }),
    window: WINDOW,
  };
  const history = createHistoryManager(options);
  await history.historyForModelCall(CALL);
  const calls: number[] = [];
  const bare: number[] = [];
  for (let turn = 0; turn < CALLS; turn++) {
    await history.addUserMessage({ content: textOf(length + turn) });
    calls.push(await timeOf(async () => history.historyForModelCall(CALL)));
    bare.push(await timeOf(async () => store.read(threadId, { query: NEWEST })));
    await history.addAssistantMessage({ content: textOf(length + turn) });
  }
  const first = await timeOf(async () => another(options).historyForModelCall(CALL));
  const reducer = createReducer({ counter, scorer: lexicalScorer() });
  const asking = another({ ...options, reducer });
  const questions: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    if (turn > 0) await asking.addAssistantMessage({ content: "Nobody knows." });
    await asking.addUserMessage({ content: `Who painted number ${turn}?` });
    questions.push(await timeOf(async () => asking.historyForModelCall(CALL)));
  }
  const step = await timeOfStep(another({ ...options, reducer }));
  const [firstQuestion = 0, ...later] = questions;
  return {
    call: median(calls),
    mean: calls.reduce((sum, each) => sum + each, 0) / calls.length,
    bare: median(bare),
    first,
    firstQuestion,
    question: median(later),
    step,
  };
}

/** What a call costs over recall blocks that another process made, where nothing more is asked. */
async function timeOfStep(history: HistoryManager): Promise<number> {
  const toolCalls = [{ id: "c", name: "look", arguments: "{}" }];
  const { id: actionId } = await history.addToolCalls({ toolCalls });
  await history.addToolCallResults([{ callId: "c", toolName: "look", actionId, content: "Ann." }]);
  return timeOf(async () => history.historyForModelCall(CALL));
}

/** A manager as another process has it: it remembers nothing. */
function another(options: HistoryManagerOptions): HistoryManager {
  return createHistoryManager({ ...options, store: { ...options.store } });
}

async function fill(store: HistoryStore, threadId: string, length: number): Promise<void> {
  for (let from = 0; from < length; from += 500) {
    const batch = Array.from({ length: 500 }, (_, index) => {
      const [id, content] = [`e${from + index}`, textOf(from + index)];
      const made = { id, createdAtMs: 1, content };
      return index % 2 === 0 ? userMessage(made) : assistantMessage(made);
    });
    await store.append(threadId, batch);
  }
}

function textOf(number: number): string {
  return `Ann painted the garden, number ${number}, before it rained on the violin. `;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function promise(isKept: boolean, what: string): void {
  if (!isKept) broken.push(what);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
