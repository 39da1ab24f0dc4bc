import type { TokenCounter } from "@agent-history/core";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
import { expect } from "vitest";

import { question, REQUESTS_OF_TURN, scriptedModel } from "../../src/loops/scripted-model.ts";
import { startStrictServer } from "../../src/servers/start-strict-server.ts";
import type { StrictServer, StrictServerOptions } from "../../src/servers/start-strict-server.ts";

export const TURNS = 50;
export const contextTokens = 8000;
export const instructions = "You book flights.";

const exact = tiktokenCounter({ encoding: "o200k_base" });
export const counters = {
  gpt: exact,
  claude: estimatingCounter({ family: "claude", counter: exact }),
  gemini: estimatingCounter({ family: "gemini", counter: exact }),
};

/** Options of a reducer, without and with recall. */
export const recalls: readonly { readonly how: string; readonly fit: object }[] = [
  { how: "", fit: {} },
  { how: " and recall blocks", fit: { scorer: lexicalScorer() } },
];

/** A conversation in turns through an SDK, with a strict server that knows the window. */
export interface Loop extends Pick<StrictServerOptions, "wire" | "reply"> {
  readonly counter: TokenCounter;
  /** Default {@link TURNS}. */
  readonly turns?: number;
  /** Begins the conversation with the server at an address; returns what asks a question and waits until it is answered. */
  readonly start: (origin: string) => (asked: string, turn: number) => Promise<unknown>;
  /** How many requests were sent; by default three for each turn, as the scripted model needs. */
  readonly requests?: number | "any";
}

/**
 * Runs a loop of turns with tools, and expects that no request was refused, and none over the window, which was used well.
 *
 * @returns What the server was sent.
 */
export async function runLoop({
  wire,
  counter,
  reply = scriptedModel,
  turns = TURNS,
  start,
  requests = turns * REQUESTS_OF_TURN,
}: Loop): Promise<Pick<StrictServer, "taken" | "tokens">> {
  const window = { contextTokens, countText: (text: string) => counter.countText(text) };
  await using server = await startStrictServer({ wire, reply, window });
  const ask = start(server.origin);
  for (let turn = 0; turn < turns; turn += 1) await ask(question(turn), turn);
  expect(server.refusals).toEqual([]);
  if (requests !== "any") expect(server.taken).toHaveLength(requests);
  expect(Math.max(...server.tokens)).toBeLessThanOrEqual(contextTokens);
  expect(Math.max(...server.tokens)).toBeGreaterThan(contextTokens / 2);
  const { taken, tokens } = server;
  return { taken, tokens };
}
