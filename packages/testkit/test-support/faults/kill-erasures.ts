import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { action, isHistoryError, observation, summary, userMessage } from "@agent-history/core";

import { erase } from "./eraser.ts";
import type { Erasure } from "./eraser.ts";

/** Where erasures are killed. */
export interface ErasedServer {
  /** The module that opens a store by `openStore(address)`, in another process too. */
  readonly opener: string;
  readonly address: object;
  readonly store: HistoryStore;
  /** How often a text lies in what the engine keeps. */
  readonly found: (text: string) => Promise<number>;
  /** The same in its files, once they were cleared as the receipt says. */
  readonly foundInFiles: (text: string) => Promise<number>;
}

/** What became of erasures. */
export interface KilledErasures {
  /** Killed before they were done, of all. */
  readonly killed: number;
  readonly erasures: number;
  /** Writes and reads of others meanwhile. */
  readonly writes: number;
  readonly reads: number;
  readonly violations: readonly string[];
}

/** What all that goes contains. */
const MARKER = "Zoraya-Quillfeather";

/** Kills processes that erase at random moments, while others write and read, and erases once more: nothing may be left, and nothing else lost. */
export async function killErasures(server: ErasedServer, kills: number): Promise<KilledErasures> {
  const { store, found, foundInFiles } = server;
  const violations: string[] = [];
  await plant(store, "of bob", "bob", 30);
  const before = await exportOf(store, "of bob");
  const others = liveOthers(store, violations);
  let [killed, erasures, longestMs] = [0, 0, 200];
  let next = startEraser(server);
  for (; killed < kills && erasures < 2 * kills; erasures += 1) {
    const eraser = await next;
    next = startEraser(server);
    const erasure = await erasureOf(store, erasures);
    others.follow(erasure);
    // The first one is not killed, to learn how long they take.
    const delayMs = erasures === 0 ? Infinity : Math.random() * longestMs;
    const tookMs = await eraseAndKill(eraser, erasure, delayMs);
    if (tookMs === undefined) killed += 1;
    else longestMs = (longestMs + tookMs) / 2;
    await erase(store, erasure);
    const rest = await found(`${MARKER}-${erasures}-`);
    if (rest > 0) violations.push(`${erasure.verb}: ${rest} left`);
    violations.push(...(await lateWrites(store, erasure)));
    if (erasure.verb === "eraseEntries") await store.delete(erasure.name, { includeForks: true });
  }
  (await next).kill("SIGKILL");
  const done = await others.end();
  const rest = await foundInFiles(MARKER);
  if (rest > 0) violations.push(`${rest} left in files`);
  if ((await exportOf(store, "of bob")) !== before) violations.push("of others something is lost");
  if ((await foundInFiles("bob says")) === 0) violations.push("the search finds nothing at all");
  return { killed, erasures, ...done, violations };
}

async function startEraser({ opener, address }: ErasedServer): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("eraser.ts", import.meta.url));
  const child = fork(script, [opener, JSON.stringify(address)], { execArgv: process.execArgv });
  await once(child, "message");
  return child;
}

/** Returns how long it took; nothing if it was killed before it was done. */
async function eraseAndKill(
  child: ChildProcess,
  erasure: Erasure,
  delayMs: number,
): Promise<number | undefined> {
  const ended = once(child, "exit");
  const begun = once(child, "message");
  child.send(erasure);
  await begun;
  const beginMs = performance.now();
  const done = once(child, "message").then(() => "done");
  const first = await (delayMs === Infinity ? done : Promise.race([done, sleep(delayMs)]));
  child.kill("SIGKILL");
  await ended;
  return first === "done" ? performance.now() - beginMs : undefined;
}

/** Writes what is to be erased: by its user, with its forks, or some of its entries. */
async function erasureOf(store: HistoryStore, nth: number): Promise<Erasure> {
  const verb = (["eraseUser", "delete", "eraseEntries"] as const)[nth % 3] ?? "delete";
  const person = `${MARKER}-${nth}-`;
  // Some are longer than what is removed at once.
  const turns = nth % 30 === 1 ? 800 : 10 + (nth % 20);
  const isNamed = verb !== "eraseEntries";
  const name = isNamed ? `chat of ${person}` : `chat ${nth}`;
  const ids = await plant(store, name, person, turns, isNamed);
  if (verb === "eraseUser") await plant(store, `${name} again`, person, 3);
  return { verb, name: verb === "eraseUser" ? person : name, ids: ids.slice(0, 500) };
}

/** Writes a chat with a fork, calls, summaries, a replaced end and state, which all say who it is of. */
async function plant(
  store: HistoryStore,
  name: string,
  person: string,
  turns: number,
  isNamed = true,
): Promise<readonly string[]> {
  const log = Array.from({ length: turns }, (_, nth) => turnOf(person, nth)).flat();
  for (let from = 0; from < log.length; from += 300)
    await store.append(name, log.slice(from, from + 300));
  const who = isNamed ? person : "somebody";
  await store.setMetadata(name, { user: who, title: `${person} says 0`, tags: [who] });
  await store.setState(
    name,
    `plan of ${who}`,
    { quote: `${person} says 1` },
    { expectedRevision: 0 },
  );
  await store.fork(name, { at: "o2", as: `edit of ${who}` });
  await store.commitCompaction(name, {
    view: "thread",
    summary: summary({ id: "z", content: `${person} says much`, strategy: "all", trust: "user" }),
    covers: [{ from: "u0", to: "o1" }],
    expectedViewRevision: 0,
  });
  const replacement = [userMessage({ id: "new", content: `${person} says it again` })];
  const edit = { from: `u${turns - 1}`, expectedVersion: "any", operationId: "edit" } as const;
  await store.replaceSuffix(name, { ...edit, replacement });
  return [...log.map(({ id }) => id), "new", "z"];
}

function turnOf(person: string, nth: number): readonly HistoryEntry[] {
  const agent = { id: "w", role: "worker" } as const;
  const call = { id: `c${nth}`, name: "find", arguments: JSON.stringify({ name: person }) };
  const fields = { createdAtMs: nth };
  const result = {
    callId: call.id,
    toolName: "find",
    outcome: "success",
    content: person,
  } as const;
  return [
    userMessage({ ...fields, id: `u${nth}`, content: `${person} says ${nth}` }),
    action({ ...fields, id: `a${nth}`, agent, toolCalls: [call] }),
    observation({ ...fields, id: `o${nth}`, agent, ...result }),
  ];
}

/** Others that write to threads of their own, send once more what is being erased, and read all of it, as long as it takes. */
function liveOthers(
  store: HistoryStore,
  violations: string[],
): {
  readonly follow: (erasure: Erasure) => void;
  readonly end: () => Promise<{ readonly writes: number; readonly reads: number }>;
} {
  let [writes, reads] = [0, 0];
  const ending = new AbortController();
  let name = "of bob";
  const allowed = (error: unknown): void => {
    if (isHistoryError(error, "THREAD_DELETED") || isHistoryError(error, "ENTRY_ERASED")) return;
    violations.push(`others: ${String(error)}`);
  };
  const writing = (async () => {
    for (; !ending.signal.aborted; writes += 1) {
      await store.append("of others", [userMessage({ id: `m${writes}`, content: "Hello" })]);
      // A retry of what was there never brings it back.
      if (name !== "of bob") await store.append(name, retryOf(name)).catch(allowed);
      await sleep(2);
    }
  })();
  const reading = (async () => {
    for (; !ending.signal.aborted; reads += 1) {
      const read = await store.read(name).catch(allowed);
      if (read !== undefined && read.problems.length > 0)
        violations.push("rows that cannot be read");
      const { threads } = await store.list({ user: "bob" });
      if (threads.length !== 2) violations.push(`${threads.length} threads of bob`);
      await sleep(2);
    }
  })();
  return {
    follow: (erasure) => {
      name = erasure.verb === "eraseUser" ? `chat of ${erasure.name}` : erasure.name;
    },
    end: async () => {
      ending.abort();
      await Promise.all([writing, reading]);
      const { entries } = await store.read("of others");
      if (entries.length !== writes) violations.push(`${writes - entries.length} entries lost`);
      return { writes, reads };
    },
  };
}

function retryOf(name: string): readonly HistoryEntry[] {
  return turnOf(/Zoraya.*/u.exec(name)?.[0] ?? `${MARKER}-${name.slice(5)}-`, 0);
}

async function lateWrites(
  store: HistoryStore,
  { verb, name }: Erasure,
): Promise<readonly string[]> {
  const thread = verb === "eraseUser" ? `chat of ${name}` : name;
  const expected = verb === "eraseEntries" ? "ENTRY_ERASED" : "THREAD_DELETED";
  const late: unknown = await store
    .append(thread, retryOf(thread))
    .catch((error: unknown) => error);
  return isHistoryError(late, expected) ? [] : [`${verb}: a late write was taken`];
}

async function exportOf(store: HistoryStore, name: string): Promise<string> {
  let text = "";
  for await (const line of store.exportThread(name)) text += line;
  return text;
}
