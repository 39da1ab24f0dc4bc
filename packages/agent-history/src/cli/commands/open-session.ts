import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { inspectorPage, inspectSession } from "@agent-history/inspector";
import { tiktokenCounter } from "@agent-history/tokens";

import type { CliContext } from "../cli-context.ts";
import { findSessions } from "../find-sessions.ts";
import { itemCollector, readSessions } from "../read-sessions.ts";

export interface OpenCommandOptions {
  readonly html?: string;
  readonly dir?: string;
  readonly whatIf?: boolean;
}

/** Writes a session, the newest where none is named, as an HTML page, and prints where. */
export async function openSession(
  context: CliContext,
  wanted: string | undefined,
  options: OpenCommandOptions,
): Promise<void> {
  const [session] = await findSessions(context, options, wanted);
  if (session === undefined) return;
  const main = { ...session, files: session.files.slice(0, 1) };
  const [read] = await readSessions(context, [main], { meter: itemCollector, entries: true });
  const counter = tiktokenCounter({ encoding: "o200k_base" });
  const ranks = options.whatIf ? await o200kRanks() : undefined;
  const page = inspectorPage(inspectSession(read?.results[0] ?? [], { counter }), { ranks });
  const name = session.sessionId.replaceAll(/[^\w-]+/g, "-");
  const path = options.html ?? join(tmpdir(), `agent-history-${name}.html`);
  // A session is for its owner's eyes.
  await writeFile(path, page, { mode: 0o600 });
  context.write(`${path}\n`);
}

/** The table is read only where it is wanted. */
async function o200kRanks(): Promise<string> {
  const { o200kBaseRanks } = await import("@agent-history/tokens/o200k-base");
  return o200kBaseRanks();
}
