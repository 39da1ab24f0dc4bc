import { createHash, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";

import { countOption, HistoryError, throwIfAborted } from "@agent-history/core";

import { inspectorPage } from "../inspector-page.ts";
import type { InspectorPageOptions } from "../inspector-page.ts";
import type { InspectorSource } from "../plan-recorder.ts";

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

/** The requested path, or the status that refuses the request. */
type CheckedRequest =
  | { readonly path: "page" | "data" | "events"; readonly isHead: boolean }
  | { readonly status: number; readonly allow?: string };

const PATHS = new Map<string, "page" | "data" | "events">([
  ["/", "page"],
  ["/data", "data"],
  ["/events", "events"],
]);

/**
 * Returns a function that checks each request before anything is read. Host and Origin must be the server's, so that neither DNS rebinding nor a page of another site gets
 * an answer; the token is compared in constant time; the path must be exactly one of three.
 */
function requestGuard(port: number, token: string): (request: IncomingMessage) => CheckedRequest {
  const host = `127.0.0.1:${port}`;
  const wanted = digestOf(token);
  return ({ method, url = "", headers, headersDistinct }) => {
    const isHere = headersDistinct["host"]?.length === 1 && headers.host === host;
    if (!isHere || !isOwn(headersDistinct, `http://${host}`)) return { status: 403 };
    if (method !== "GET" && method !== "HEAD") return { status: 405, allow: "GET, HEAD" };
    const [path = "", query = "", ...rest] = url.split("?");
    const given = new URLSearchParams(query).getAll("token");
    const [one = ""] = given;
    const isKnown = timingSafeEqual(digestOf(one), wanted) && given.length === 1;
    if (!isKnown || rest.length > 0) return { status: 403 };
    const found = PATHS.get(path);
    return found === undefined ? { status: 404 } : { path: found, isHead: method === "HEAD" };
  };
}

/** Returns whether a request is from the server's own page or not from a browser. Only browsers send these headers. */
function isOwn(headers: NodeJS.Dict<string[]>, origin: string): boolean {
  const origins = headers["origin"] ?? [];
  const sites = headers["sec-fetch-site"] ?? [];
  return (
    origins.every((one) => one === origin) &&
    // `none`: a person typed the address or a terminal opened it.
    sites.every((site) => site === "same-origin" || site === "none")
  );
}

/** Hashes a text to a fixed length, for comparison in constant time. */
function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Headers of every response. */
const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // The address contains the token.
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

const MOST_STREAMS = 16;

/** Creates the streams. Slow readers get only the newest version. The source is observed only while a page is open. */
function versionStreams(source: InspectorSource, pollMs: number) {
  const open = new Set<ServerResponse>();
  let version = 1;
  let end: (() => void) | undefined;
  const changed = (): void => {
    version += 1;
    for (const response of open) tell(response);
  };
  const tell = (response: ServerResponse): void => {
    if (open.has(response) && !response.writableNeedDrain)
      response.write(`data: {"version":${version}}\n\n`);
  };
  const begin = (): (() => void) => {
    const leave = source.onChange?.(changed);
    const stop = pollMs === Infinity ? undefined : poll(source, pollMs, changed);
    return () => {
      leave?.();
      stop?.();
    };
  };
  return {
    open: (response: ServerResponse) => {
      if (open.size >= MOST_STREAMS) {
        response.writeHead(503, { connection: "close" }).end();
        return;
      }
      open.add(response);
      end ??= begin();
      // Writing to a closed page fails.
      response.on("error", () => open.delete(response));
      response.on("drain", () => tell(response));
      response.on("close", () => {
        open.delete(response);
        if (open.size > 0) return;
        end?.();
        end = undefined;
      });
      response.writeHead(200, { ...HEADERS, "content-type": "text/event-stream" });
      // The data may have changed while no page was open.
      version += 1;
      tell(response);
    },
    close: () => {
      end?.();
      end = undefined;
      const left = [...open];
      open.clear();
      for (const response of left) response.end();
    },
  };
}

/** Reads data at intervals, one read at a time, and reports changes. Failed reads are ignored. */
function poll({ data }: InspectorSource, pollMs: number, changed: () => void): () => void {
  let known: string | undefined;
  let isReading = false;
  const read = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      const now = hash("sha256", JSON.stringify(await data()));
      if (known !== undefined && known !== now) changed();
      known = now;
    } catch {
      // The next successful read reports the change.
    } finally {
      isReading = false;
    }
  };
  void read();
  const timer = setInterval(() => void read(), pollMs);
  return () => clearInterval(timer);
}
