import { SocketClosedUnexpectedlyError } from "redis";

import type { RedisClusterClient, RedisNodeClient } from "../src/redis-client.ts";

/** A client whose commands are written down, and whose answers can be lost or held back. */
export interface FaultClient {
  readonly client: RedisNodeClient;
  /** Every command that was sent, with its arguments. */
  readonly sent: string[][];
  /** Carries out scripts, and loses the answer of the first that writes. */
  readonly loseNextAnswer: () => void;
  /** Carries out scripts, and holds the answers of those that write back for ever. */
  readonly freeze: (isFrozen: boolean) => void;
  /** Does something of its own before the next script is sent. */
  readonly beforeNextScript: (act: () => Promise<unknown>) => void;
  /** Does something of its own before the next command of this name, and those behind it, are sent. */
  readonly beforeNextCommand: (name: string, act: () => Promise<unknown>) => void;
}

/** Puts faults between the store and a client that is connected. */
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
