import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { messageCounter } from "../messages/count-messages.ts";
import { agentHistory } from "./agent-history.ts";
import { bareWalk } from "./bare-walk.ts";
import type { FitSystem } from "./fit-system.ts";
import { recencyTurns } from "./recency-turns.ts";

/** Where the peers live: a workspace of their own, installed when they are measured. */
export const peersFolder: string = fileURLToPath(new URL("../../peers/", import.meta.url));

/** What the peers' entry gives. It is JavaScript, as its types are there only where it is installed. */
interface PeersModule {
  readonly peerSystems: (given: {
    readonly messageCounter: typeof messageCounter;
  }) => readonly FitSystem[];
}

/** Ours, and what stands for the least that can be done. */
export function ownSystems(): readonly FitSystem[] {
  return [agentHistory({ keepsPlan: true }), agentHistory({ keepsPlan: false }), recencyTurns()];
}

/** Everything that is measured; the peers where they are installed. */
export async function allSystems(): Promise<readonly FitSystem[]> {
  return [bareWalk(), ...ownSystems(), ...(await peerSystems())];
}

/** The peers, where they are installed; nothing otherwise. */
export async function peerSystems(): Promise<readonly FitSystem[]> {
  if (!existsSync(`${peersFolder}node_modules`)) return [];
  const peers: PeersModule = await import(new URL("../../peers/src/index.js", import.meta.url).href);
  return peers.peerSystems({ messageCounter });
}
