import { request as httpRequest } from "node:http";
import { connect } from "node:net";

/** What a server answered. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Asks as a program that may write any header and any path. */
export async function ask(
  url: string,
  {
    path,
    method = "GET",
    headers = {},
  }: { path?: string; method?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const { port, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path: path ?? `${pathname}${search}`, method };
    const sent = httpRequest({ ...options, headers, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (part) => (body += part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    sent.on("error", reject).end();
  });
}

/** Returns whether somebody listens there. */
export async function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

/** A stream of versions. */
export interface Listening {
  /** The next version; `NaN` where the stream has ended. */
  readonly next: () => Promise<number>;
  readonly end: () => void;
}

/** Opens the stream of versions of a server. */
export async function listen(url: string): Promise<Listening> {
  const stopping = new AbortController();
  const { search, origin } = new URL(url);
  const response = await fetch(`${origin}/events${search}`, { signal: stopping.signal });
  if (response.headers.get("content-type") !== "text/event-stream")
    throw new Error("Expected a stream.");
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const seen: number[] = [];
  const next = async (): Promise<number> => {
    while (seen.length === 0) {
      const read = await reader?.read().catch(() => undefined);
      if (read === undefined || read.done) return NaN;
      for (const [, version] of read.value.matchAll(/data: \{"version":(\d+)\}\n\n/g))
        seen.push(Number(version));
    }
    return seen.shift() ?? NaN;
  };
  return { next, end: () => stopping.abort() };
}
