import { fileURLToPath } from "node:url";

import type { JsonObject, ReductionPlan } from "@agent-history/core";
import { fromChatMessages, toChatMessages } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";

import { messageCounter } from "../messages/chat-message.ts";
import type { ChatMessage } from "../messages/chat-message.ts";
import type { StoreSystem } from "../stores/store-systems.ts";

/** Something that makes a conversation fit a window before a model is called. */
export interface FitSystem {
  readonly name: string;
  /** What its figures do not hold, or it does not do: the tables say so. */
  readonly leavesOut: string;
  /** It asks nothing of a window: what it leaves is not judged by one. */
  readonly hasNoWindow?: true;
  /** Takes a conversation over, in its own types. Not measured. */
  open(messages: readonly ChatMessage[], windowTokens: number): Conversation;
}

/** A conversation in the hands of one system. */
export interface Conversation {
  /** Adds messages, and counts them where the system remembers counts. Not measured. */
  append(messages: readonly ChatMessage[]): void;
  /** Does what is done before each model call: this is what is measured. Returns what reads the result as messages. */
  fit(): Fitted | Promise<Fitted>;
  /** Tokens that a model was sent so far to summarize them; missing where none is asked. */
  summarized?(): number;
}

/** Reads a result as messages. Not measured. */
export type Fitted = () => readonly ChatMessage[];

/** Where the peers live: a workspace of their own, installed when they are measured. */
export const peersFolder: string = fileURLToPath(new URL("../../peers/", import.meta.url));

/** The peers' entry. It is JavaScript, as its types are there only where it is installed. */
interface PeersModule {
  readonly systemNames: readonly string[];
  readonly loadSystem: (
    name: string,
    given: { readonly messageCounter: typeof messageCounter },
  ) => Promise<FitSystem>;
  readonly loadStores: (given: {
    readonly url: string;
    /** How many messages a prompt is made of. */
    readonly newest: number;
  }) => Promise<readonly StoreSystem[]>;
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

const OWN = [agentHistory({ isIncremental: true }), agentHistory({ isIncremental: false })];

/** The names of all that is fitted with, in the order of the tables. */
export async function systemNames(withPeers: boolean): Promise<readonly string[]> {
  const own = OWN.map(({ name }) => name);
  return withPeers ? [...own, ...(await loadPeers()).systemNames] : own;
}

/** Loads the system of a name. */
export async function systemCalled(name: string): Promise<FitSystem> {
  const own = OWN.find((system) => system.name === name);
  return own ?? (await loadPeers()).loadSystem(name, { messageCounter });
}

/** Loads ours, and the peers where they are asked for. */
export async function allSystems(withPeers: boolean): Promise<readonly FitSystem[]> {
  return Promise.all((await systemNames(withPeers)).map(systemCalled));
}

/** Loads what is measured beside ours, where it is installed. */
export async function loadPeers(): Promise<PeersModule> {
  return import(new URL("../../peers/src/index.js", import.meta.url).href);
}

/** Ours: with the previous plan, or stateless at every call. */
function agentHistory(options: { readonly isIncremental: boolean }): FitSystem {
  return {
    name: options.isIncremental ? "agent-history, incremental" : "agent-history, stateless",
    leavesOut: "conversion of messages",
    open: (messages, contextTokens) => {
      const counter = tiktokenCounter({ encoding: "o200k_base" });
      // Reads its tables: `cold` measures that.
      counter.countText("Hello");
      const log = [...fromChatMessages(messages)];
      let previousPlan: ReductionPlan | undefined;
      return {
        append: (added) => {
          let index = log.length;
          const more = fromChatMessages(added, { newId: () => `appended-${(index += 1)}` });
          for (const entry of more) counter.countEntry(entry);
          log.push(...more);
        },
        fit: () => {
          const { entries, plan } = fitToWindow(log, {
            window: { contextTokens },
            counter,
            ...(previousPlan !== undefined && { previousPlan }),
          });
          if (options.isIncremental) previousPlan = plan;
          // Where all fits it is the log itself, which grows.
          const { length } = entries;
          return () => JSON.parse(JSON.stringify(toChatMessages(entries.slice(0, length))));
        },
      };
    },
  };
}
