import { respReader } from "./read-resp.ts";
import type { RespValue } from "./read-resp.ts";
import { startProxy } from "./start-proxy.ts";
import type { Proxy } from "./start-proxy.ts";

/** A command with its answer. */
export interface Exchange {
  readonly command: readonly string[];
  readonly answer: RespValue;
  /** The number of round trips up to this command: the answers that had to arrive before it was sent, plus one. */
  readonly roundTrip: number;
}

/** A proxy that records commands and answers. For RESP2 clients. */
export interface CountingProxy extends Proxy {
  /** Returns the exchanges since the last call. */
  readonly take: () => readonly Exchange[];
  /** Number of commands so far, answered or not. */
  readonly commands: () => number;
}

/**
 * Starts a proxy that counts commands and round trips.
 *
 * Commands sent before the next answer share a round trip.
 */
export async function startCountingProxy(target: number): Promise<CountingProxy> {
  let exchanges: Exchange[] = [];
  let finished = 0;
  let commands = 0;
  const proxy = await startProxy(target, ({ client, server }) => {
    const [readCommands, readAnswers] = [respReader(), respReader()];
    const waiting: Omit<Exchange, "answer">[] = [];
    client.on("data", (chunk: Buffer) => {
      for (const value of readCommands(chunk)) {
        commands += 1;
        waiting.push({ command: texts(value), roundTrip: finished + 1 });
      }
      server.write(chunk);
    });
    server.on("data", (chunk: Buffer) => {
      for (const answer of readAnswers(chunk)) {
        const asked = waiting.shift();
        if (asked === undefined) continue;
        finished = Math.max(finished, asked.roundTrip);
        exchanges.push({ ...asked, answer });
      }
      client.write(chunk);
    });
  });
  const take = (): readonly Exchange[] => {
    const taken = exchanges;
    exchanges = [];
    finished = 0;
    return taken;
  };
  return { ...proxy, take, commands: () => commands };
}

/** Returns the length of the longest chain of commands that each waited for the previous one. */
export function roundTrips(exchanges: readonly Exchange[]): number {
  return Math.max(0, ...exchanges.map(({ roundTrip }) => roundTrip));
}

function texts(value: RespValue): string[] {
  return Array.isArray(value) ? value.map(String) : [String(value)];
}
