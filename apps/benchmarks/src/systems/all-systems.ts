import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { JsonObject } from "@agent-history/core";

import type { ChatMessage } from "../messages/chat-message.ts";
import { messageCounter } from "../messages/count-messages.ts";
import type { MessageCounter } from "../messages/count-messages.ts";
import type { StoreSystem } from "../stores/store-system.ts";
import { agentHistory, agentHistoryCall } from "./agent-history.ts";
import { bareWalk } from "./bare-walk.ts";
import type { FitSystem } from "./fit-system.ts";
import { recencyTurns } from "./recency-turns.ts";

/** Where the peers live: a workspace of their own, installed when they are measured. */
export const peersFolder: string = fileURLToPath(new URL("../../peers/", import.meta.url));

/** What the peers' entry gives. It is JavaScript, as its types are there only where it is installed. */
interface PeersModule {
  readonly systemNames: readonly string[];
  readonly loadSystem: (
    name: string,
    given: { readonly messageCounter: typeof messageCounter },
  ) => Promise<FitSystem | undefined>;
  readonly loadStores: () => Promise<readonly ((url: string) => StoreSystem)[]>;
  readonly loadSummaries: () => Promise<Readonly<Record<string, PeerSummary>>>;
  readonly loadReasoningWays: () => Promise<readonly ReasoningWay[]>;
}

/** How a conversation with thinking is trimmed: from all its messages to those of the next request. */
export type ReasoningWay = readonly [name: string, open: (given: ReasoningGiven) => Trim];

/** What a way is given: how much a request may hold, and what counts a message. */
export interface ReasoningGiven {
  readonly limit: number;
  readonly count: (message: JsonObject) => number;
}

/** Trims a conversation, called before each model call. */
export type Trim = (
  messages: readonly JsonObject[],
) => readonly JsonObject[] | Promise<readonly JsonObject[]>;

/** How a peer summarizes: the text that replaces messages. */
export type PeerSummary = (given: {
  readonly messages: readonly ChatMessage[];
  readonly ask: (prompt: string) => string;
  readonly counter: MessageCounter;
}) => Promise<string>;

/** Ours, and what one writes by hand. */
function ownSystems(): readonly FitSystem[] {
  return [agentHistory({ keepsPlan: true }), agentHistory({ keepsPlan: false }), recencyTurns()];
}

/** The names of all that is fitted with, in the order of the tables. */
export async function systemNames(options: {
  readonly withPeers: boolean;
}): Promise<readonly string[]> {
  const own = [bareWalk(), ...ownSystems()].map(({ name }) => name);
  return options.withPeers ? [...own, ...((await peersModule())?.systemNames ?? [])] : own;
}

/** Loads the system of a name. */
export async function systemCalled(name: string): Promise<FitSystem | undefined> {
  const own = [bareWalk(), ...ownSystems()].find((system) => system.name === name);
  return own ?? (await peersModule())?.loadSystem(name, { messageCounter });
}

/** Loads all that can be held to the rules: ours, and the peers where they are asked for. */
export async function allSystems(options: {
  readonly withPeers: boolean;
}): Promise<readonly FitSystem[]> {
  const peers = options.withPeers ? await peersModule() : undefined;
  if (peers === undefined) return ownSystems();
  const load = (name: string): Promise<FitSystem | undefined> =>
    peers.loadSystem(name, { messageCounter });
  const loaded = await Promise.all(peers.systemNames.map(load));
  return [...ownSystems(), ...loaded.flatMap((system) => system ?? [])];
}

/** Loads what is measured from messages in to messages out: ours, and the peers that keep a window and remember counts. */
export async function callSystems(options: {
  readonly withPeers: boolean;
}): Promise<readonly FitSystem[]> {
  const [, , ...others] = await allSystems(options);
  const peers = others.filter(
    ({ name, isUncached, hasNoWindow }) =>
      isUncached !== true && hasNoWindow !== true && !name.includes("fake model"),
  );
  return [agentHistoryCall(), bareWalk(), ...peers];
}

/** Loads the peers' stores on a server of Redis. */
export async function peerStores(url: string): Promise<readonly StoreSystem[]> {
  const stores = (await (await peersModule())?.loadStores()) ?? [];
  return stores.map((open) => open(url));
}

/** Loads how the peers summarize. */
export async function peerSummaries(): Promise<Readonly<Record<string, PeerSummary>>> {
  return (await (await peersModule())?.loadSummaries()) ?? {};
}

/** Loads how the peers trim a conversation with thinking. */
export async function peerReasoningWays(): Promise<readonly ReasoningWay[]> {
  return (await (await peersModule())?.loadReasoningWays()) ?? [];
}

/** Nothing where the peers are not installed. */
async function peersModule(): Promise<PeersModule | undefined> {
  if (!existsSync(`${peersFolder}node_modules`)) return undefined;
  return import(new URL("../../peers/src/index.js", import.meta.url).href);
}
