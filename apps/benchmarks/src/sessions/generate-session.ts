import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

import { claudeCodeLog } from "@agent-history/testkit/transcripts";

import { seededRandom } from "../messages/random.ts";

/** Generates the lines of a session of Claude Code, some turns at a time: calls of tools with results of 200 to 40,000 characters, a compaction every 150 calls, pauses. */
export function* generateSession(seed: number, sessionId = `session-${seed}`): Generator<string> {
  const { below } = seededRandom(seed);
  const log = claudeCodeLog({ sessionId, cwd: `/home/ada/project-${seed % 7}` });
  let prompt = 18_000;
  for (let call = 1; ; call += 1) {
    if (call % 12 === 1)
      log.request(`Step ${call}: change file-${below(200)}.ts and run its tests.`);
    if (below(40) === 0) log.wait(400_000);
    const text = `export const value${below(1000)} = ${below(10_000)};\n`.repeat(5 + below(900));
    const input = { file_path: `/home/ada/project-${seed % 7}/src/file-${below(200)}.ts` };
    const usage = {
      input: 4,
      read: prompt,
      written: Math.ceil(text.length / 4),
      output: below(400),
    };
    log.answer({
      text: "I look.",
      calls: [{ id: `${sessionId}-${call}`, name: "Read", input }],
      usage,
    });
    log.result(`${sessionId}-${call}`, text);
    prompt += Math.ceil(text.length / 4);
    if (call % 150 === 0 || prompt > 160_000) {
      log.compaction(`Changed file-${below(200)}.ts. `.repeat(200), prompt);
      prompt = 18_000;
    }
    yield* log.take();
  }
}

/** Writes a generated session of at least so many bytes. */
export async function writeSession(path: string, bytes: number, seed: number): Promise<void> {
  const file = createWriteStream(path);
  let written = 0;
  for (const line of generateSession(seed)) {
    written += line.length + 1;
    if (!file.write(`${line}\n`)) await once(file, "drain");
    if (written >= bytes) break;
  }
  file.end();
  await finished(file);
}
