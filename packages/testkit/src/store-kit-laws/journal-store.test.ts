import { mkdtempSync, rmSync } from "node:fs";
import { appendFile, readFile, readdir, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { journalStore } from "@agent-history/store-kit";
import type { Journal } from "@agent-history/store-kit";
import { afterAll } from "vitest";

import { describeHistoryStore } from "../store/index.ts";

const folder = mkdtempSync(join(tmpdir(), "journal-store-"));
afterAll(() => rmSync(folder, { recursive: true }));

describeHistoryStore("journalStore on files", (location) => journalStore(files(location)), {
  runs: 10,
});

/** A file for each thread, a record for each line. */
function files(location: string): Journal {
  const fileOf = (log: string): string => join(folder, `${location}.${log}`);
  const linesOf = (records: readonly string[]): string =>
    records.map((record) => `\n${record}\n`).join("");
  return {
    append: async (log, records) => appendFile(fileOf(log), linesOf(records)),
    read: async (log, from) => {
      const text = await readFile(fileOf(log), "utf8").catch(() => "");
      return text.split("\n").slice(0, -1).filter(Boolean).slice(from);
    },
    rewrite: async (log, records) => {
      const other = `${fileOf(log)}.${crypto.randomUUID()}.new`;
      await writeFile(other, linesOf(records));
      await rename(other, fileOf(log));
    },
    list: async () =>
      (await readdir(folder))
        .filter((name) => name.startsWith(`${location}.`) && !name.endsWith(".new"))
        .map((name) => name.slice(location.length + 1)),
  };
}
