import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** What a request asks for, or the status that refuses it. */
export type CheckedRequest =
  | { readonly path: "page" | "data" | "events"; readonly isHead: boolean }
  | { readonly status: number; readonly allow?: string };

const PATHS = new Map<string, "page" | "data" | "events">([
  ["/", "page"],
  ["/data", "data"],
  ["/events", "events"],
]);

/**
 * Returns what checks each request before anything is read. Host and Origin are those of the server, so that no name that was pointed here (DNS rebinding) and no page of another site gets
 * an answer; the token is compared in constant time; a path is one of three, as it is written.
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

/** A browser says where a request comes from; what is no browser says nothing. */
function isOwn(headers: NodeJS.Dict<string[]>, origin: string): boolean {
  const origins = headers["origin"] ?? [];
  const sites = headers["sec-fetch-site"] ?? [];
  return (
    origins.every((one) => one === origin) &&
    // `none` is an address that a person typed or a terminal opened.
    sites.every((site) => site === "same-origin" || site === "none")
  );
}

/** Of one length, whatever came. */
function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
