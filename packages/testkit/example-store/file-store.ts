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
import { memoryDriver, threadStore } from "@agent-history/store-kit";
import type { Change, ThreadDriver } from "@agent-history/store-kit";

/** How a file store is made. */
export interface FileStoreOptions {
  /** The file; it is created if it is missing. */
  readonly path: string;
}

interface OpenFile {
  readonly driver: ThreadDriver;
  readonly descriptor: number;
  handles: number;
}

const files = new Map<string, OpenFile>();

/**
 * Makes a store that outlives its process with the least code: threads are in memory, and each commit is a line of a file, on the disk before the call
 * resolves. Opening commits the lines again.
 *
 * One process at a time, and all threads must fit into memory.
 */
export function fileStore({ path }: FileStoreOptions): HistoryStore {
  const file = files.get(path) ?? openFile(path);
  files.set(path, file);
  file.handles += 1;
  const close = async (): Promise<void> => {
    file.handles -= 1;
    if (file.handles === 0 && files.delete(path)) closeSync(file.descriptor);
  };
  return threadStore(
    { ...file.driver, close },
    {
      scope: "file-store",
      system: "file",
      describe: async () => ({
        kind: "file",
        durability: "A call that is done is on the disk. One process at a time.",
        details: {},
      }),
    },
  );
}

function openFile(path: string): OpenFile {
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  // A process that died while it wrote leaves a line without an end: its call was never done.
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) truncateSync(path, Buffer.byteLength(whole));
  const memory = memoryDriver(new Map());
  const replayed = replay(memory, whole.split("\n").slice(0, -1));
  const descriptor = openSync(path, "a");
  // Whether memory has what the file lacks.
  let isTorn = false;
  const driver: ThreadDriver = {
    ...memory,
    read: async (...call) => replayed.then(() => memory.read(...call)),
    list: async (...call) => replayed.then(() => memory.list(...call)),
    commit: async (thread, change) => {
      await replayed;
      if (isTorn) throw unavailable("STORE_UNAVAILABLE");
      if (!(await memory.commit(thread, change))) return false;
      try {
        writeSync(descriptor, `${JSON.stringify([thread, change])}\n`);
        fsyncSync(descriptor);
      } catch (cause) {
        isTorn = true;
        throw unavailable("OUTCOME_UNKNOWN", cause);
      }
      return true;
    },
  };
  return { driver, descriptor, handles: 0 };
}

async function replay(memory: ThreadDriver, lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    const [thread, change]: readonly [string, Change] = JSON.parse(line);
    await memory.commit(thread, change);
  }
}

function unavailable(code: "STORE_UNAVAILABLE" | "OUTCOME_UNKNOWN", cause?: unknown): HistoryError {
  return new HistoryError(
    "The file could not be written. Open the store again when there is room.",
    { code, details: { reason: "file" }, cause },
  );
}
