import type { TextConstraints } from "./arbitrary-text.ts";

/** How many of the entries that may have a mark have it: all, some or none. */
export type Presence = "all" | "some" | "none";

/** Which histories to generate. Without an option, histories of all kinds are mixed; most have all marks. */
export interface HistoryConstraints {
  /** From 0. Default 40. */
  readonly maxEntries?: number;
  /** Exactly this many turns, with something between their user messages. Default: from 0 to 4. */
  readonly turns?: number;
  /** `true`: chats with tools and one agent, no hierarchy. `false`: every turn may have phases. Default: both. */
  readonly flat?: boolean;
  /** `true`: the newest turn ends with calls that have no results yet. `false`: every call is answered. Default: both. */
  readonly running?: boolean;
  /** `true`: some calls make calls, whose results come before theirs. Default `false`. */
  readonly nestedCalls?: boolean;
  /** Which entries of a turn have its id; system messages and summaries belong to no turn. */
  readonly withTurnIds?: Presence;
  /** Which entries of a phase have its id. */
  readonly withPhaseIds?: Presence;
  /** Which entries of a task have its id. */
  readonly withTaskIds?: Presence;
  /** Which entries name the agent that wrote them. A `task` always names its agent and who gave it. */
  readonly withAgents?: Presence;
  /** The texts, without citations. Default: at most 400 UTF-16 code units, lone surrogates included. */
  readonly text?: TextConstraints;
}
