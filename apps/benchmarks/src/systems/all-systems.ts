import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { JsonObject } from "@agent-history/core";

import { messageCounter } from "../messages/count-messages.ts";
import type { StoreSystem } from "../stores/store-systems.ts";
import type { FitSystem } from "./fit-system.ts";
import { agentHistory, bareWalk } from "./own-systems.ts";

/** Where the peers live: a workspace of their own, installed when they are measured. */
export const peersFolder: string = fileURLToPath(new URL("../../peers/", import.meta.url));

/** The peers' entry. It is JavaScript, as its types are there only where it is installed. */
interface PeersModule {
  readonly systemNames: readonly string[];
  readonly loadSystem: (
    name: string,
    given: { readonly messageCounter: typeof messageCounter },
  ) => Promise<FitSystem>;
  readonly loadStores: () => Promise<readonly ((url: string) => StoreSystem)[]>;
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

function ownSystems(): readonly FitSystem[] {
  return [agentHistory({ isIncremental: true }), agentHistory({ isIncremental: false })];
}

/** The names of all that is fitted with, in the order of the tables. */
export async function systemNames(withPeers: boolean): Promise<readonly string[]> {
  const own = [...ownSystems(), bareWalk()].map(({ name }) => name);
  return withPeers ? [...own, ...((await peersModule())?.systemNames ?? [])] : own;
}

/** Loads the system of a name. */
export async function systemCalled(name: string): Promise<FitSystem> {
  const own = [...ownSystems(), bareWalk()].find((system) => system.name === name);
  const system = own ?? (await (await peersModule())?.loadSystem(name, { messageCounter }));
  if (system === undefined) throw new Error(`There is no system called ${name}.`);
  return system;
}

/** Loads all that can be held to the rules: ours, and the peers where they are asked for. */
export async function allSystems(withPeers: boolean): Promise<readonly FitSystem[]> {
  const names = await systemNames(withPeers);
  return Promise.all(names.filter((name) => name !== bareWalk().name).map(systemCalled));
}

/** Loads the peers' stores on a server of Redis. */
export async function peerStores(url: string): Promise<readonly StoreSystem[]> {
  const stores = (await (await peersModule())?.loadStores()) ?? [];
  return stores.map((open) => open(url));
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
