import { SocketClosedUnexpectedlyError } from "redis";

import type { RedisClusterClient, RedisNodeClient } from "../src/redis-client.ts";

/** A client that records commands, and whose answers can be lost or delayed. */
export interface FaultClient {
  readonly client: RedisNodeClient;
  /** All commands sent, with their arguments. */
  readonly sent: string[][];
  /** Executes scripts, but loses the answer of the first one that writes. */
  readonly loseNextAnswer: () => void;
  /** Executes scripts, but never returns the answers of those that write. */
  readonly freeze: (isFrozen: boolean) => void;
  /** Runs `act` before the next script is sent. */
  readonly beforeNextScript: (act: () => Promise<unknown>) => void;
  /** Runs `act` before the next command of this name and the commands after it are sent. */
  readonly beforeNextCommand: (name: string, act: () => Promise<unknown>) => void;
}

/** Injects faults between the store and a connected client. */
export function faultClient(inner: Exclude<RedisNodeClient, RedisClusterClient>): FaultClient {
  const sent: string[][] = [];
  let losesNext = false;
  let isFrozen = false;
  let beforeNext: (() => Promise<unknown>) | undefined;
  let awaited: { readonly name: string; readonly act: () => Promise<unknown> } | undefined;
  let gate: Promise<unknown> | undefined;
  const sendCommand: RedisNodeClient["sendCommand"] = async (args, options) => {
    sent.push(args);
    if (awaited !== undefined && awaited.name === args[0]) {
      gate = awaited.act();
      awaited = undefined;
    }
    if (gate !== undefined) await gate;
    const before = beforeNext;
    if (args[0]?.startsWith("EVAL") === true) {
      beforeNext = undefined;
      await before?.();
    }
    const answer = await inner.sendCommand(args, options);
    if (args[0]?.startsWith("EVAL") !== true) return answer;
    if (!isWritten(answer)) return answer;
    if (isFrozen) return new Promise(() => {});
    if (!losesNext) return answer;
    losesNext = false;
    throw new SocketClosedUnexpectedlyError();
  };
  return {
    client: { sendCommand },
    sent,
    loseNextAnswer: () => {
      losesNext = true;
    },
    beforeNextScript: (act) => {
      beforeNext = act;
    },
    beforeNextCommand: (name, act) => {
      awaited = { name, act };
    },
    freeze: (frozen) => {
      isFrozen = frozen;
    },
  };
}

function isWritten(answer: unknown): boolean {
  return Array.isArray(answer) && answer.length === 2 && answer[0] === 1;
}
