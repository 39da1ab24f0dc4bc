import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { inspectSession } from "@agent-history/inspector";
import type { InspectorData } from "@agent-history/inspector";
import { serveInspector, writeInspectorPage } from "@agent-history/inspector/node";
import { tiktokenCounter } from "@agent-history/tokens";
import type { TranscriptItem } from "@agent-history/transcripts";
import { readTranscriptFile } from "@agent-history/transcripts/node";

import { invalidOption } from "../cli-context.ts";
import type { CliContext } from "../cli-context.ts";
import { findSessions } from "../sessions.ts";

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
  const [file] = (await findSessions(context, options, wanted)).flatMap(({ files }) => files);
  if (file === undefined) return;
  const counter = tiktokenCounter({ encoding: "o200k_base" });
  const data = async (): Promise<InspectorData> => {
    const items: TranscriptItem[] = [];
    const onItems = (some: readonly TranscriptItem[]) => some.forEach((one) => items.push(one));
    await readTranscriptFile(file.path, { entries: true, format: file.format, onItems });
    return inspectSession(items, { counter });
  };
  const ranks = whatIf ? await o200kRanks() : undefined;
  if (serve) {
    const version = (): string => {
      const found = statSync(file.path, { throwIfNoEntry: false });
      return `${found?.mtimeMs} ${found?.size}`;
    };
    const server = await serveInspector({ data, version }, { ranks, signal: context.signal });
    context.write(`${server.url}\n`);
    context.tell("The page updates while the session grows. To stop, press Ctrl-C.\n");
    if (open) await context.openBrowser?.(server.url);
    return server.closed;
  }
  const name = file.sessionId.replaceAll(/[^\w-]+/g, "-");
  const path = html ?? join(tmpdir(), `agent-history-${name}.html`);
  const drawn = await data();
  if (drawn.calls.length === 0)
    throw invalidOption(
      "session",
      `${file.sessionId} records no model calls, so there is nothing to show. To see its tokens, run agent-history tokens.`,
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
