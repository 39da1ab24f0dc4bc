import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { inspectSession } from "@agent-history/inspector";
import type { InspectorData } from "@agent-history/inspector";
import { serveInspector, writeInspectorPage } from "@agent-history/inspector/node";
import { tiktokenCounter } from "@agent-history/tokens";

import { invalidOption } from "../cli-context.ts";
import type { CliContext } from "../cli-context.ts";
import { findSessions, itemCollector, readSessions } from "../sessions.ts";
import type { SessionFiles } from "../sessions.ts";

export interface OpenCommandOptions {
  readonly html?: string;
  readonly dir?: string;
  readonly whatIf?: boolean;
  readonly serve?: boolean;
  /** `false` if `--no-open` is set. */
  readonly open: boolean;
}

/** Writes a session (by default the newest) as an HTML page and opens it in a browser, or serves the page while the session runs. */
export async function openSession(
  context: CliContext,
  wanted: string | undefined,
  options: OpenCommandOptions,
): Promise<void> {
  const [session] = await findSessions(context, options, wanted);
  if (session === undefined) return;
  const ranks = options.whatIf ? await o200kRanks() : undefined;
  const data = async (): Promise<InspectorData> => readData(context, session);
  if (options.serve) {
    const path = session.files[0]?.path ?? "";
    const version = (): string => {
      const found = statSync(path, { throwIfNoEntry: false });
      return `${found?.mtimeMs} ${found?.size}`;
    };
    const signal = context.stopSignal?.();
    const server = await serveInspector({ data, version }, { ranks, signal });
    context.write(`${server.url}\n`);
    context.tell("The page updates while the session grows. To stop, press Ctrl-C.\n");
    if (options.open) await context.openBrowser?.(server.url);
    await server.closed;
    return;
  }
  const name = session.sessionId.replaceAll(/[^\w-]+/g, "-");
  const path = options.html ?? join(tmpdir(), `agent-history-${name}.html`);
  const drawn = await data();
  if (drawn.calls.length === 0)
    throw invalidOption(
      "session",
      `${session.sessionId} records no model calls, so there is nothing to show. To see its tokens, run agent-history tokens.`,
    );
  await writeInspectorPage(path, drawn, { ranks });
  context.write(`${path}\n`);
  if (options.open) await context.openBrowser?.(path);
}

async function readData(context: CliContext, session: SessionFiles): Promise<InspectorData> {
  const main = { ...session, files: session.files.slice(0, 1) };
  const [read] = await readSessions(context, [main], { meter: itemCollector, entries: true });
  const counter = tiktokenCounter({ encoding: "o200k_base" });
  return inspectSession(read?.results[0] ?? [], { counter });
}

/** Loads the table only if it is needed. */
async function o200kRanks(): Promise<string> {
  const { o200kBaseRanks } = await import("@agent-history/tokens/o200k-base");
  return o200kBaseRanks();
}
