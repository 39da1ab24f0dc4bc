import { startProxy } from "./start-proxy.ts";
import type { Proxy } from "./start-proxy.ts";

/** A proxy that loses one request, and keeps the next try until others had their turn. */
export interface LosingProxy extends Proxy {
  /** Cuts the connection at its next request with this text, which the server never sees. Resolves once that has happened. */
  readonly lose: (text: string) => Promise<void>;
  /** Lets requests pass again. */
  readonly release: () => void;
}

/** Starts a proxy for the moment between a lost request and its next try. */
export async function startLosingProxy(target: number): Promise<LosingProxy> {
  let wanted: { readonly text: string; readonly lost: () => void } | undefined;
  let waiting: (() => void)[] | undefined;
  const proxy = await startProxy(target, ({ client, server }) => {
    server.on("data", (answer) => void client.write(answer));
    client.on("data", (request: Buffer) => {
      if (wanted !== undefined && request.includes(wanted.text)) {
        waiting = [];
        wanted.lost();
        wanted = undefined;
        client.destroy();
        server.destroy();
        return;
      }
      const pass = (): void => void server.write(request);
      if (waiting === undefined) pass();
      else waiting.push(pass);
    });
  });
  return {
    ...proxy,
    lose: (text) =>
      new Promise((lost) => {
        wanted = { text, lost };
      }),
    release: () => {
      const passing = waiting ?? [];
      waiting = undefined;
      for (const pass of passing) pass();
    },
  };
}
