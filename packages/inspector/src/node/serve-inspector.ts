import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";

import { countOption, HistoryError, throwIfAborted } from "@agent-history/core";

import { inspectorPage } from "../inspector-page.ts";
import type { InspectorPageOptions } from "../inspector-page.ts";
import type { InspectorSource } from "../plan-recorder.ts";
import { requestGuard } from "./request-guard.ts";
import { HEADERS, versionStreams } from "./version-streams.ts";

/** Options of {@link serveInspector}. */
export interface ServeInspectorOptions extends InspectorPageOptions {
  /** Port on 127.0.0.1. Default: a free one. */
  readonly port?: number | undefined;
  /** Interval in ms at which data is read to detect changes while a page is open. For a source without `onChange`, such as a store. Default: never. */
  readonly pollMs?: number | undefined;
  /** Closes the server when it fires. */
  readonly signal?: AbortSignal | undefined;
}

/** A running server of one page. */
export interface InspectorServer {
  /** The URL of the page, including the token. Anyone who has it can read the conversation. */
  readonly url: string;
  /** Closes all connections and the server. Repeated calls do nothing. */
  readonly close: () => Promise<void>;
  /** Resolves once the server is closed. */
  readonly closed: Promise<void>;
}

const MOST_CONNECTIONS = 64;
/** Idle connections are closed, so that they do not block pages. */
const LIMITS = {
  headersTimeout: 5000,
  requestTimeout: 5000,
  connectionsCheckingInterval: 1000,
} as const;

/**
 * Serves the page and its data to browsers on this machine: on 127.0.0.1 only, only with the token of the URL, and not to pages of another origin. It writes nothing and answers
 * only `GET` and `HEAD`. It keeps the process running until it is closed.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if an option is invalid or the port cannot be used, `ABORTED` if the signal has fired.
 *
 * @example
 * ```ts
 * import { planRecorder } from "@agent-history/inspector";
 * import { serveInspector } from "@agent-history/inspector/node";
 *
 * const recorder = planRecorder();
 * const server = await serveInspector(recorder);
 * (await fetch(server.url)).status;
 * // => 200
 * await server.close();
 * ```
 */
export async function serveInspector(
  source: InspectorSource,
  { port: wanted = 0, pollMs = Infinity, signal, ranks }: ServeInspectorOptions = {},
): Promise<InspectorServer> {
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > 65_535)
    throw invalid(
      "port",
      `Expected \`port\` to be an integer from 0 to 65535; got ${wanted}. 0 selects a free port.`,
    );
  if (countOption("pollMs", pollMs) === 0)
    throw invalid(
      "pollMs",
      "Expected `pollMs` to be at least 1; got 0. Omit it to turn polling off.",
    );
  throwIfAborted(signal);
  const token = randomBytes(32).toString("base64url");
  const streams = versionStreams(source, pollMs);
  let guard: ReturnType<typeof requestGuard> | undefined;
  const server = createServer(LIMITS, (request, response) => {
    // Discard the body of the request.
    request.resume();
    const checked = guard?.(request) ?? { status: 503 };
    if ("status" in checked) return refuse(response, checked);
    if (checked.path === "events" && !checked.isHead) return streams.open(response);
    void answer(response, checked, source, ranks);
  });
  server.maxConnections = MOST_CONNECTIONS;
  const port = await listen(server, wanted);
  guard = requestGuard(port, token);
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  let isClosing = false;
  const close = async (): Promise<void> => {
    if (!isClosing) {
      isClosing = true;
      signal?.removeEventListener("abort", onAbort);
      streams.close();
      server.close();
      server.closeAllConnections();
    }
    return closed;
  };
  const onAbort = (): void => void close();
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted === true) {
    await close();
    throwIfAborted(signal);
  }
  const url = `http://127.0.0.1:${port}/?token=${token}`;
  return { url, close, closed };
}

async function listen(server: ReturnType<typeof createServer>, wanted: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const what = `Cannot listen on port ${wanted}. Pass another \`port\`, or omit it to use a free one.`;
    server.on("error", (cause) => reject(invalid("port", what, cause)));
    server.listen({ host: "127.0.0.1", port: wanted, exclusive: true }, resolve);
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function refuse(
  response: ServerResponse,
  { status, allow }: { readonly status: number; readonly allow?: string },
): void {
  response.writeHead(status, { ...HEADERS, ...(allow && { allow }), connection: "close" });
  response.end();
}

async function answer(
  response: ServerResponse,
  { path, isHead }: { readonly path: keyof typeof TYPES; readonly isHead: boolean },
  source: InspectorSource,
  ranks: string | undefined,
): Promise<void> {
  try {
    const data = path === "events" || isHead ? undefined : await source.data();
    const text = path === "page" && data ? inspectorPage(data, { ranks }) : JSON.stringify(data);
    response.writeHead(200, { ...HEADERS, "content-type": TYPES[path] });
    response.end(text);
  } catch {
    // Send no details, because an error may quote the conversation or a path.
    refuse(response, { status: 500 });
  }
}

const TYPES = {
  page: "text/html; charset=utf-8",
  data: "application/json; charset=utf-8",
  events: "text/event-stream",
} as const;

function invalid(option: string, message: string, cause?: unknown): HistoryError {
  return new HistoryError(message, { code: "INVALID_OPTION", details: { option }, cause });
}
