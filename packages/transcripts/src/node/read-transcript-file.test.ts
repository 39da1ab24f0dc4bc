import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { claudeCodeLog, codexLog } from "../../test-support/session-logs.ts";
import type { TranscriptItem } from "../transcript-item.ts";
import { readTranscriptFile, transcriptLines } from "./read-transcript-file.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "transcripts-"))));
afterAll(() => rm(folder, { recursive: true }));

async function write(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function read(path: string) {
  const items: TranscriptItem[] = [];
  let chunks = 0;
  const onItems = (some: readonly TranscriptItem[]): void => {
    chunks += 1;
    items.push(...some);
  };
  const format = await readTranscriptFile(path, { onItems });
  return { format, items, chunks };
}

async function collect(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const collected: string[] = [];
  for await (const line of lines) collected.push(line);
  return collected;
}

describe("transcriptLines", () => {
  it("gives the lines of a file whose characters and lines span chunks", async () => {
    const lines = ["é".repeat(200_001), "", "日本語 🙂".repeat(60_000), "last"];
    const path = await write("long.jsonl", lines.join("\n"));
    expect(await collect(transcriptLines(path))).toEqual(lines);
    const ended = await write("ended.jsonl", `${lines.join("\n")}\n`);
    expect(await collect(transcriptLines(ended))).toEqual(lines);
  });

  it("rejects with what the file system says, for packed files too", async () => {
    for (const name of ["none.jsonl", "none.jsonl.gz"]) {
      const lines = collect(transcriptLines(join(folder, name)));
      await expect(lines).rejects.toThrow("ENOENT");
    }
    const broken = await write("broken.jsonl.gz", "no gzip");
    await expect(collect(transcriptLines(broken))).rejects.toThrow("incorrect header");
  });

  it("ends with the reason of its signal", async () => {
    const path = await write("aborted.jsonl", "{}\n");
    const signal = AbortSignal.abort();
    await expect(collect(transcriptLines(path, { signal }))).rejects.toThrow("abort");
  });
});

describe("readTranscriptFile", () => {
  it("tells the format by the first lines that say it", async () => {
    const log = claudeCodeLog();
    log.request("Hello.");
    const lines = ['{"type":"file-history-snapshot"}', "", ...log.take()];
    const claude = await read(await write("claude.jsonl", lines.join("\n")));
    expect(claude.format).toBe("claude-code");
    expect(claude.items.at(-1)).toMatchObject({ kind: "entry", line: 3 });

    const codex = await write("codex.jsonl.gz", gzipSync(codexLog().take().join("\n")));
    expect((await read(codex)).format).toBe("codex");

    const other = await read(await write("other.jsonl", '{"a":1}\n[2]\n'));
    expect(other).toMatchObject({ format: undefined, items: [] });
  });

  it("reads a file with a byte order mark and with line ends of Windows", async () => {
    const log = claudeCodeLog();
    log.request("Hello.");
    const { format, items } = await read(
      await write("windows.jsonl", `\uFEFF${log.take().join("\r\n")}`),
    );
    expect(format).toBe("claude-code");
    expect(items.filter(({ kind }) => kind === "problem")).toEqual([]);
  });

  it("hands items over chunk by chunk", async () => {
    const log = claudeCodeLog();
    for (let turn = 0; turn < 20; turn += 1) log.request("word ".repeat(10_000));
    const { items, chunks } = await read(await write("big.jsonl", log.take().join("\n")));
    expect(items.filter(({ kind }) => kind === "entry")).toHaveLength(20);
    expect(chunks).toBeGreaterThan(3);
  });
});
