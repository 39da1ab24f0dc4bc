import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { inspectSession } from "@agent-history/inspector";
import type { InspectorData } from "@agent-history/inspector";
import { serveInspector, writeInspectorPage } from "@agent-history/inspector/node";
import { tiktokenCounter } from "@agent-history/tokens";

import { invalidOption } from "../cli-context.ts";
import type { CliContext } from "../cli-context.ts";
import { findSessions, itemMeter, mainFiles, readSessions } from "../sessions.ts";

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
  { html, whatIf, serve, open, ...options }: OpenCommandOptions,
): Promise<void> {
  const [session] = (await findSessions(context, options, wanted)).map(mainFiles);
  if (session === undefined) return;
  const counter = tiktokenCounter({ encoding: "o200k_base" });
  const meter = () => itemMeter((items) => inspectSession(items, { counter }));
  const data = async (): Promise<InspectorData> => {
    const [read] = await readSessions(context, [session], meter);
    return read?.results[0] ?? inspectSession([], { counter });
  };
  const ranks = whatIf ? await o200kRanks() : undefined;
  if (serve) {
    const version = (): string => {
      const found = statSync(session.files[0]?.path ?? "", { throwIfNoEntry: false });
      return `${found?.mtimeMs} ${found?.size}`;
    };
    const signal = context.stopSignal?.();
    const server = await serveInspector({ data, version }, { ranks, signal });
    context.write(`${server.url}\n`);
    context.tell("The page updates while the session grows. To stop, press Ctrl-C.\n");
    if (open) await context.openBrowser?.(server.url);
    return server.closed;
  }
  const name = session.sessionId.replaceAll(/[^\w-]+/g, "-");
  const path = html ?? join(tmpdir(), `agent-history-${name}.html`);
  const drawn = await data();
  if (drawn.calls.length === 0)
    throw invalidOption(
      "session",
      `${session.sessionId} records no model calls, so there is nothing to show. To see its tokens, run agent-history tokens.`,
    );
  await writeInspectorPage(path, drawn, { ranks });
  context.write(`${path}\n`);
  if (open) await context.openBrowser?.(path);
}

/** Loads the table only if it is needed. */
async function o200kRanks(): Promise<string> {
  const { o200kBaseRanks } = await import("@agent-history/tokens/o200k-base");
  return o200kBaseRanks();
}
