import type { DecisionAction, EntryEdit, HistoryEntry, MessageRole } from "@agent-history/core";

import type { ReductionMember, ReductionUnit } from "../reduction-step.ts";

/** Which step did something, and why. */
export interface Because {
  readonly step: string;
  readonly reason: string;
}

/** How an entry is made smaller. */
export interface Edited {
  readonly edit: EntryEdit;
  readonly because: Because;
}

/** An entry of a unit, as it came and as it is now. */
export interface Member extends ReductionMember {
  readonly unit: Unit;
  current: HistoryEntry;
  /** Tokens as it is now; 0 until it is counted. */
  tokens: number;
  /** Tokens as it came. */
  whole: number;
  edited: Edited | undefined;
  /** How the previous plan edited it. */
  wasEdited: Edited | undefined;
  /** `whole` is a guess by the ends of the text. */
  isGuessed: boolean;
}

/** An exchange, or an entry outside any: kept, shortened or dropped as one. */
export interface Unit extends ReductionUnit {
  readonly members: Member[];
  /** The index of its first entry. */
  readonly position: number;
  /** Why it must stay. */
  protectedAs: string | undefined;
  /** Stands before what must stay, so that the prompt begins with a user's message: it may be shortened only. */
  isLead: boolean;
  readonly opens: MessageRole;
  readonly closes: MessageRole;
  /** Belongs to no turn. */
  isAside: boolean;
  isRequest: boolean;
  isOfThisTurn: boolean;
  mayGoFirst: boolean;
  /** The number of its block. */
  turn: number;
  /** The number of its turn, by name if there are names. */
  named: number;
  /** The requests in a row behind which it stands, within its block. */
  row: readonly Unit[];
  tokens: number;
  score?: number;
  /** The score for its length; infinite without a score. */
  worth: number;
  isDropped: boolean;
  /** Never comes back: it stands before the first user's message, or too far back to be counted. */
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

/** Units that stay or go together. */
export interface Piece {
  readonly units: Unit[];
  /** Goes with any of these, and comes back only beside all of them. */
  readonly needs: Piece[];
  /** Pieces that need it. */
  readonly dependents: Piece[];
  /** Holds requests and last answers. */
  readonly isCore: boolean;
  /** Above 0: goes only if nothing else is left to give, the lowest first. */
  last: number;
}

/** Whole turns that stay or go without any other. */
export interface Block {
  readonly units: Unit[];
  readonly number: number;
  readonly isAside: boolean;
  /** Is being answered. */
  isOpen: boolean;
}
