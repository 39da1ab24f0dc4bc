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
