import { tmpdir } from "node:os";
import { join } from "node:path";

import { inspectSession } from "@agent-history/inspector";
import type { InspectorData } from "@agent-history/inspector";
import { writeInspectorPage } from "@agent-history/inspector/node";
import { tiktokenCounter } from "@agent-history/tokens";

import type { CliContext } from "../cli-context.ts";
import { findSessions } from "../find-sessions.ts";
import type { SessionFiles } from "../find-sessions.ts";
import { itemCollector, readSessions } from "../read-sessions.ts";
import { serveSession } from "./serve-session.ts";

export interface OpenCommandOptions {
  readonly html?: string;
  readonly dir?: string;
  readonly whatIf?: boolean;
  readonly serve?: boolean;
}

/** Writes a session, the newest where none is named, as an HTML page, and prints where; or serves the page while the session goes on. */
export async function openSession(
  context: CliContext,
  wanted: string | undefined,
  options: OpenCommandOptions,
): Promise<void> {
  const [session] = await findSessions(context, options, wanted);
  if (session === undefined) return;
  const ranks = options.whatIf ? await o200kRanks() : undefined;
  if (options.serve) {
    const data = async (): Promise<InspectorData> => readData(context, session);
    return serveSession(context, { path: session.files[0]?.path ?? "", data, ranks });
  }
  const name = session.sessionId.replaceAll(/[^\w-]+/g, "-");
  const path = options.html ?? join(tmpdir(), `agent-history-${name}.html`);
  await writeInspectorPage(path, await readData(context, session), { ranks });
  context.write(`${path}\n`);
}

async function readData(context: CliContext, session: SessionFiles): Promise<InspectorData> {
  const main = { ...session, files: session.files.slice(0, 1) };
  const [read] = await readSessions(context, [main], { meter: itemCollector, entries: true });
  const counter = tiktokenCounter({ encoding: "o200k_base" });
  return inspectSession(read?.results[0] ?? [], { counter });
}

/** The table is read only where it is wanted. */
async function o200kRanks(): Promise<string> {
  const { o200kBaseRanks } = await import("@agent-history/tokens/o200k-base");
  return o200kBaseRanks();
}
