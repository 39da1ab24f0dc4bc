import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { mixedAudit } from "../../testkit/test-support/faults/mixed-writes.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { sqliteStore } from "./sqlite-store.ts";

const RUNS = 12;
/** Without the trap the system ends a process that passes its limit. */
const LIMITED = 'trap "" XFSZ; ulimit -f "$0"; exec "$@"';

describe("sqliteStore without room, in every verb", () => {
  it("says so where its files may be only so large; what it acknowledged is there, once and whole", async () => {
    const path = temporaryFile();
    const failures = await fillAgainAndAgain(path, (run) => {
      const size = existsSync(path) ? statSync(path).size : 0;
      const limit = Math.ceil(size / 1024) + 90 + 37 * run;
      return { command: ["bash", "-c", LIMITED, String(limit)], makeRoom: () => {} };
    });
    // A write that is too large fails as a broken disk does, at any place of a commit.
    expect(
      failures.filter((code) => !/^(?:OUTCOME_UNKNOWN|STORE_UNAVAILABLE)/u.test(code)),
    ).toEqual([]);
  }, 600_000);

  it.skipIf(process.getuid?.() !== 0)(
    "says so on a full disk; what it acknowledged is there, once and whole",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "agent-history-disk-"));
      const mount = (size: number, ...options: readonly string[]): void => {
        const given = [...options, `size=${size}k`].join(",");
        execFileSync("mount", ["-t", "tmpfs", "-o", given, "tmpfs", folder]);
      };
      mount(300);
      try {
        const failures = await fillAgainAndAgain(join(folder, "history.db"), (run) => {
          mount(300 + 200 * run, "remount");
          return { command: [], makeRoom: () => mount(100_000, "remount") };
        });
        expect(new Set(failures)).toEqual(new Set(["STORE_UNAVAILABLE full"]));
      } finally {
        spawnSync("umount", [folder]);
        rmSync(folder, { recursive: true });
      }
    },
    600_000,
  );
});

/** Lets processes write to one file until there is no room, and compares what is there with what they were told; returns what each ended with. */
async function fillAgainAndAgain(
  path: string,
  limit: (run: number) => { readonly command: readonly string[]; readonly makeRoom: () => void },
): Promise<readonly string[]> {
  const audit = mixedAudit();
  const failures: string[] = [];
  let [acknowledged, most] = [0, 0];
  for (let run = 0; run < RUNS; run += 1) {
    const { command, makeRoom } = limit(run);
    const { count, failure } = await writeUntilFull(path, acknowledged, command);
    makeRoom();
    failures.push(failure);
    acknowledged += count;
    most = Math.max(most, count);
    const store = sqliteStore({ path });
    const { violations } = await audit.compare(store, acknowledged);
    await store.close();
    expect(violations).toEqual([]);
    // What was refused was done again.
    acknowledged += 1;
  }
  expect(most).toBeGreaterThan(10);
  return failures;
}

/** Returns how many writes a process was told are done, and with what it ended. */
async function writeUntilFull(
  path: string,
  first: number,
  limit: readonly string[],
): Promise<{ readonly count: number; readonly failure: string }> {
  const script = fileURLToPath(new URL("../test-support/mixed-writer.ts", import.meta.url));
  const command = [...limit, process.execPath, ...process.execArgv, script, path, String(first)];
  const child = spawn(command[0] ?? "", command.slice(1), { stdio: ["ignore", "pipe", "pipe"] });
  let [count, text] = [0, ""];
  child.stdout.on("data", (piece: Buffer) => void (count += piece.length));
  child.stderr.on("data", (piece: Buffer) => void (text += String(piece)));
  await new Promise((resolve) => child.once("close", resolve));
  const code = /code: '([A-Z_]+)'/u.exec(text)?.[1] ?? text;
  return { count, failure: `${code} ${/reason: '([a-z-]+)'/u.exec(text)?.[1] ?? ""}` };
}
