import { createHash, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
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
  /** Interval in ms at which an open page asks for new data. Default 1000. */
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

const POLL_MS = 1000;
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
  { port: wanted = 0, pollMs = POLL_MS, signal, ranks }: ServeInspectorOptions = {},
): Promise<InspectorServer> {
  if (countOption("pollMs", pollMs) === 0)
    throw invalid("pollMs", "Expected `pollMs` to be at least 1; got 0.");
  throwIfAborted(signal);
  const token = randomBytes(32).toString("base64url");
  let guard: ReturnType<typeof requestGuard> | undefined;
  const server = createServer(LIMITS, (request, response) => {
    // Discard the body of the request.
    request.resume();
    const checked = guard?.(request) ?? { status: 503 };
    if ("status" in checked) return refuse(response, checked);
    const known = request.headers["if-none-match"];
    void answer(response, { path: checked.path, known, ranks }, source);
  });
  server.maxConnections = MOST_CONNECTIONS;
  const port = await listen(server, wanted);
  guard = requestGuard(port, token);
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    return closed;
  };
  signal?.addEventListener("abort", () => void close(), { once: true });
  if (signal?.aborted === true) await close();
  throwIfAborted(signal);
  const url = `http://127.0.0.1:${port}/?token=${token}${pollMs === POLL_MS ? "" : `&pollMs=${pollMs}`}`;
  return { url, close, closed };
}

async function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  try {
    server.listen({ host: "127.0.0.1", port, exclusive: true });
    await once(server, "listening");
  } catch (cause) {
    const what = `Cannot listen on port ${port}. Pass another \`port\`, or omit it to use a free one.`;
    throw invalid("port", what, cause);
  }
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

/** Answers with the page or its data; with 304 if the page already has that data, which its tag shows. */
async function answer(
  response: ServerResponse,
  { path, known, ranks }: AnsweredRequest,
  source: InspectorSource,
): Promise<void> {
  try {
    const version = source.version?.();
    const isSame = version !== undefined && known === `"${version}"`;
    const data = isSame ? undefined : await source.data();
    const json = data === undefined ? "" : JSON.stringify(data);
    const etag = `"${version ?? hash("sha256", json)}"`;
    const isKnown = path === "data" && known === etag;
    const text = path === "page" && data ? inspectorPage(data, { ranks }) : json;
    response.writeHead(isKnown ? 304 : 200, { ...HEADERS, etag, "content-type": TYPES[path] });
    response.end(isKnown ? undefined : text);
  } catch {
    // Send no details, because an error may quote the conversation or a path.
    refuse(response, { status: 500 });
  }
}

interface AnsweredRequest extends InspectorPageOptions {
  readonly path: keyof typeof TYPES;
  /** The tag of the data that the page has. */
  readonly known: string | undefined;
}

const TYPES = {
  page: "text/html; charset=utf-8",
  data: "application/json; charset=utf-8",
} as const;

function invalid(option: string, message: string, cause?: unknown): HistoryError {
  return new HistoryError(message, { code: "INVALID_OPTION", details: { option }, cause });
}

/** The requested path, or the status that refuses the request. */
type CheckedRequest =
  | { readonly path: keyof typeof TYPES }
  | { readonly status: number; readonly allow?: string };

const PATHS = new Map<string, keyof typeof TYPES>([
  ["/", "page"],
  ["/data", "data"],
]);

/**
 * Returns a function that checks each request before anything is read. Host and Origin must be the server's, so that neither DNS rebinding nor a page of another site gets
 * an answer; the token is compared in constant time; the path must be exactly one of two.
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
    return found === undefined ? { status: 404 } : { path: found };
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
