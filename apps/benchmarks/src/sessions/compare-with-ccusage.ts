import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";

import { addUsage } from "@agent-history/transcripts";
import type { CallUsage, ModelCall } from "@agent-history/transcripts";
import { readTranscriptFile } from "@agent-history/transcripts/node";

import { fieldOf, listAt } from "../messages/json-fields.ts";

/**
 * Compares the tokens of sessions of Claude Code with those that ccusage counts, and ends with 1 where they differ: `node src/sessions/compare-with-ccusage.ts FOLDER`, a folder
 * of `*.jsonl` or `*.jsonl.gz`. ccusage is downloaded. It gets each session in a folder of its own, because it counts a message that stands in two once.
 */

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Expected a folder of sessions of Claude Code.");
const work = mkdtempSync(join(tmpdir(), "ccusage-"));
let different = 0;
let sum: readonly number[] = [0, 0, 0, 0];
try {
  execFileSync("npm", ["install", "--no-save", "--prefix", work, "ccusage@17"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const files = globSync("*.{jsonl,jsonl.gz}", { cwd: folder }).toSorted();
  for (const file of files) {
    const [ours, theirs] = [await ownTokens(join(folder, file)), ccusageTokens(join(folder, file))];
    sum = sum.map((tokens, index) => tokens + (ours[index] ?? 0));
    if (ours.join() === theirs.join()) continue;
    different += 1;
    console.log(`${file}: ours ${ours.join(" ")}, ccusage ${theirs.join(" ")}`);
  }
  console.log(
    `${files.length} sessions, ${different} differ; input, output, cache written, cache read: ${sum.join(" ")}`,
  );
} finally {
  rmSync(work, { recursive: true });
}
process.exitCode = different > 0 ? 1 : 0;

async function ownTokens(path: string): Promise<readonly number[]> {
  const calls: ModelCall[] = [];
  await readTranscriptFile(path, {
    entries: false,
    onItems: (items) => {
      for (const item of items) if (item.kind === "call") calls.push(item.call);
    },
  });
  const usage: CallUsage = addUsage(calls.map((call) => call.usage));
  return [usage.inputTokens, usage.outputTokens, usage.cacheWriteTokens, usage.cacheReadTokens];
}

function ccusageTokens(path: string): readonly number[] {
  const config = mkdtempSync(join(work, "config-"));
  const project = join(config, "projects/one/session");
  mkdirSync(project, { recursive: true });
  const bytes = readFileSync(path);
  const name = basename(path).replace(/\.gz$/, "");
  writeFileSync(join(project, name), path.endsWith(".gz") ? gunzipSync(bytes) : bytes);
  const bin = join(work, "node_modules/.bin/ccusage");
  const env = { ...process.env, CLAUDE_CONFIG_DIR: config };
  const args = ["session", "--json", "--offline"];
  const report: unknown = JSON.parse(execFileSync(bin, args, { env, encoding: "utf8" }));
  const keys = ["inputTokens", "outputTokens", "cacheCreationTokens", "cacheReadTokens"];
  const sessions = listAt(report, "sessions");
  return keys.map((key) =>
    sessions.reduce((total: number, session) => total + Number(fieldOf(session, key)), 0),
  );
}
