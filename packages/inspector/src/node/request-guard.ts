import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The requested path, or the status that refuses the request. */
export type CheckedRequest =
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
export function requestGuard(
  port: number,
  token: string,
): (request: IncomingMessage) => CheckedRequest {
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
