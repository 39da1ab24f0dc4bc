import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
} from "node:fs";

import type { HistoryStore } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";

/** How a file store is made. */
export interface FileStoreOptions {
  /** The file; it is made where it is not there. */
  readonly path: string;
}

/** The calls that change something; all others read. */
type Change =
  | "append"
  | "replaceSuffix"
  | "commitCompaction"
  | "expand"
  | "setState"
  | "setMetadata"
  | "fork"
  | "delete";

interface OpenFile {
  readonly memory: HistoryStore;
  readonly descriptor: number;
  readonly ready: Promise<void>;
  handles: number;
  /** Whether memory has what the file lacks. */
  isTorn: boolean;
}

const files = new Map<string, OpenFile>();

/**
 * Makes a store that outlives its process with the least code: threads are in memory, and each call that changes them is a line of a
 * file, on the disk before the call is done. Opening runs the lines again.
 *
 * One process at a time, and all threads must fit into memory. When a thread began and changed is, once the file is opened again, when that was.
 */
export function fileStore({ path }: FileStoreOptions): HistoryStore {
  const file = files.get(path) ?? openFile(path);
  files.set(path, file);
  file.handles += 1;
  const handle = memoryStore({ sharing: file.memory });
  const changes: readonly Change[] = [
    "append",
    "replaceSuffix",
    "commitCompaction",
    "expand",
    "setState",
    "setMetadata",
    "fork",
    "delete",
  ];
  return {
    ...handle,
    ...Object.fromEntries(changes.map((name) => [name, kept(file, handle, name)])),
    read: async (...call) => file.ready.then(() => handle.read(...call)),
    getMetadata: async (...call) => file.ready.then(() => handle.getMetadata(...call)),
    getState: async (...call) => file.ready.then(() => handle.getState(...call)),
    listSummaries: async (...call) => file.ready.then(() => handle.listSummaries(...call)),
    listState: async (...call) => file.ready.then(() => handle.listState(...call)),
    list: async (...call) => file.ready.then(() => handle.list(...call)),
    describe: async () => ({
      ...(await handle.describe()),
      kind: "file",
      durability: "A call that is done is on the disk. One process at a time.",
    }),
    close: async () => {
      await handle.close();
      file.handles -= 1;
      if (file.handles === 0 && files.delete(path)) closeSync(file.descriptor);
    },
  };
}

function openFile(path: string): OpenFile {
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  // A process that died while it wrote leaves a line without an end: its call was never done.
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) truncateSync(path, Buffer.byteLength(whole));
  const memory = memoryStore();
  const lines = whole.split("\n").filter((line) => line !== "");
  return {
    memory,
    descriptor: openSync(path, "a"),
    ready: replay(memory, lines),
    handles: 0,
    isTorn: false,
  };
}

async function replay(memory: HistoryStore, lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    const [name, call]: [Change, readonly unknown[]] = JSON.parse(line, (_, value) =>
      Array.isArray(value?.map) ? new Map(value.map) : value,
    );
    // What was refused then is refused again.
    await Reflect.apply(memory[name], memory, call).catch(() => undefined);
  }
}

function kept(
  file: OpenFile,
  handle: HistoryStore,
  name: Change,
): (...call: unknown[]) => Promise<unknown> {
  return async (...call) => {
    await file.ready;
    const line = lineOf(name, call);
    if (file.isTorn) throw unavailable("not-sent");
    const result = await Reflect.apply(handle[name], handle, call);
    try {
      if (line instanceof Error) throw line;
      writeSync(file.descriptor, `${line}\n`);
      fsyncSync(file.descriptor);
    } catch (cause) {
      file.isTorn = true;
      throw unavailable("unknown", cause);
    }
    return result;
  };
}

/** Gives a call as a line. What is no JSON gives an error, which nobody sees: memory refuses it in its own words. */
function lineOf(name: Change, call: readonly unknown[]): string | Error {
  try {
    return JSON.stringify([name, call], (key, value) =>
      key === "signal" ? undefined : value instanceof Map ? { map: [...value] } : value,
    );
  } catch (cause) {
    return new Error("No JSON.", { cause });
  }
}

function unavailable(outcome: "not-sent" | "unknown", cause?: unknown): HistoryError {
  return new HistoryError(
    "The file could not be written. Open the store again when there is room.",
    {
      code: outcome === "unknown" ? "OUTCOME_UNKNOWN" : "STORE_UNAVAILABLE",
      details: { outcome },
      cause,
    },
  );
}
