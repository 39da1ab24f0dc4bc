import { statSync } from "node:fs";

import type { InspectorSource } from "@agent-history/inspector";
import { serveInspector } from "@agent-history/inspector/node";

import type { CliContext } from "../cli-context.ts";

const LOOK_MS = 500;

/** A session that may go on. */
export interface ServedSession extends Pick<InspectorSource, "data"> {
  /** The file that it is read from. */
  readonly path: string;
  readonly ranks: string | undefined;
}

/** Serves the page of a session until the user stops it; the page follows the session's file. */
export async function serveSession(
  { write, tell, stopSignal }: Pick<CliContext, "write" | "tell" | "stopSignal">,
  { path, data, ranks }: ServedSession,
): Promise<void> {
  const onChange = (listener: () => void): (() => void) => onGrowth(path, listener);
  const server = await serveInspector({ data, onChange }, { ranks, signal: stopSignal?.() });
  write(`${server.url}\n`);
  tell("Open this address in a browser on this machine. Ctrl-C ends it.\n");
  await server.closed;
}

/** Looks at size and time of a file, since a watch misses changes on some file systems. */
function onGrowth(path: string, listener: () => void): () => void {
  const stamp = (): string => {
    const found = statSync(path, { throwIfNoEntry: false });
    return `${found?.mtimeMs} ${found?.size}`;
  };
  let known = stamp();
  const look = (): void => {
    const now = stamp();
    if (now !== known) listener();
    known = now;
  };
  const timer = setInterval(look, LOOK_MS);
  return () => clearInterval(timer);
}
