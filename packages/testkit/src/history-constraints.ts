import type { TextConstraints } from "./arbitrary-text.ts";

/** Which of the entries that could carry a mark carry it: every one, some of them, none. */
export type Presence = "all" | "some" | "none";

/** What histories to generate. What is left out is mixed: mostly `all` for marks. */
export interface HistoryConstraints {
  /** From 0. Default 40. */
  readonly maxEntries?: number;
  /** Exactly this many turns, with something between their user messages. Default: from 0 to 4. */
  readonly turns?: number;
  /** `true`: chats with tools and one agent, no hierarchy. `false`: every turn may have phases. Default: both. */
  readonly flat?: boolean;
  /** `false`: no user speaks; each turn is begun by a `task` of the orchestrator that nobody gave. Default `true`. */
  readonly userMessages?: boolean;
  /** `true`: the newest turn ends with calls that nobody has answered yet. `false`: every call is answered. Default: both. */
  readonly running?: boolean;
  /** `true`: some calls make calls, whose results come before theirs. Default `false`. */
  readonly nestedCalls?: boolean;
  /** Which entries of a turn carry its id; system messages and summaries belong to none. */
  readonly withTurnIds?: Presence;
  /** Which entries of a phase carry its id. */
  readonly withPhaseIds?: Presence;
  /** Which entries under a task carry its id. */
  readonly withTaskIds?: Presence;
  /** Which entries that an agent wrote carry it. A `task` says in any case who does it and who gave it. */
  readonly withAgents?: Presence;
  /** Lets a provider's own compaction item stand in the log, as a `summary` without a view. Default `true`. */
  readonly summaries?: boolean;
  /** What texts are like; citations come on top. Default: at most 400 UTF-16 code units, lone surrogates included. */
  readonly text?: TextConstraints;
}
