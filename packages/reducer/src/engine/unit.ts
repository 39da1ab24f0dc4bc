import type { DecisionAction, EntryEdit, HistoryEntry, MessageRole } from "@agent-history/core";

import type { ReductionMember, ReductionUnit } from "../reduction-step.ts";

/** The step that made a change, and why. */
export interface Because {
  readonly step: string;
  readonly reason: string;
}

/** The edit of an entry, and why it was made. */
export interface Edited {
  readonly edit: EntryEdit;
  readonly because: Because;
}

/** An entry of a unit, in its original and its current form. */
export interface Member extends ReductionMember {
  readonly unit: Unit;
  current: HistoryEntry;
  /** Tokens of the current form; 0 until it is counted. */
  tokens: number;
  /** Tokens of the original. */
  whole: number;
  edited: Edited | undefined;
  /** How the previous plan edited it. */
  wasEdited: Edited | undefined;
  /** Whether `whole` is estimated from the ends of the text. */
  isGuessed: boolean;
}

/** A tool exchange, or an entry outside any: kept, shortened or dropped as one. */
export interface Unit extends ReductionUnit {
  readonly members: Member[];
  /** The index of its first entry. */
  readonly position: number;
  /** Why it must stay; `undefined` if it need not. */
  protectedAs: string | undefined;
  /** Precedes a unit that must stay, so that the prompt begins with a user message: it may be shortened, not dropped. */
  isLead: boolean;
  readonly opens: MessageRole;
  readonly closes: MessageRole;
  /** Whether it belongs to no turn, e.g. system messages, memories and summaries. */
  isAside: boolean;
  isRequest: boolean;
  isOfThisTurn: boolean;
  mayGoFirst: boolean;
  /** The number of its block. */
  turn: number;
  /** The number of its turn, by turn id if there are any. */
  named: number;
  /** The consecutive requests that it follows, within its block. */
  row: readonly Unit[];
  tokens: number;
  score?: number;
  /** The score for its length; infinite without a score. */
  worth: number;
  isDropped: boolean;
  /** Never restored: it precedes the first user message, or is too far back to be counted. */
  isOut: boolean;
  because?: Because;
  summary?: {
    readonly action: DecisionAction;
    readonly tokensAfter: number;
    readonly isFirst: boolean;
  };
  block: Block;
  piece: Piece;
}

/** Units that are kept or dropped together. */
export interface Piece {
  readonly units: Unit[];
  /** Dropped with any of these, and restored only if all of them are kept. */
  readonly needs: Piece[];
  /** Pieces that need it. */
  readonly dependents: Piece[];
  /** Contains requests and last answers. */
  readonly isCore: boolean;
  /** If above 0, dropped only if nothing else is left, lowest first. */
  last: number;
}

/** Whole turns that can be kept or dropped without any other. */
export interface Block {
  readonly units: Unit[];
  readonly number: number;
  readonly isAside: boolean;
  /** Whether it is being answered. */
  isOpen: boolean;
}
