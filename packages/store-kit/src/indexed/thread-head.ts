import { HistoryError } from "@agent-history/core";
import type { PhaseId } from "@agent-history/core";

import type { Replacements } from "./replaced-entries.ts";
import { newTurnCursor } from "./turn-numbering.ts";
import type { TurnCursor } from "./turn-numbering.ts";

/** What the index of a thread continues. Small, whatever the length of the thread and the number of its agents. */
export interface ThreadHead {
  /** The version of this form. */
  readonly format: 1;
  /** How many entries the thread has. */
  version: number;
  /** A user has spoken. */
  hasUsers: boolean;
  /** The numbering of turns in a log with user messages. */
  turns: TurnHead;
  /** The same in a log without, until a user speaks. */
  plainTurns?: TurnHead | undefined;
  /** The position of the thread's last task. */
  task?: number;
  /** Up to here, tasks, and phases that come from them, may differ from what references say: a task was named before it was given. */
  taskDoubt: number;
  /** Up to here, which call an observation answers may differ from what references say. */
  pairDoubt: number;
  /** Calls of actions up to here may have been answered by another agent. */
  crossed: number;
  /** The last attachment whose message was not there. */
  stray: number;
  /** The last entry that belongs to a turn that another had followed. */
  late: number;
  /** Missing where no suffix was replaced. */
  replaced?: Replacements;
}

/** How far the numbering of turns has come, and what the newest turn holds. */
export interface TurnHead extends TurnCursor {
  /** The position of the first entry of the newest turn. */
  start: number;
  /** The phases of the newest turn and the positions where they began, in order. */
  phases: [id: PhaseId, position: number][];
  /** It has more phases than are kept. */
  isFull?: boolean;
}

/** How many phases of a turn are kept. */
export const MAX_PHASES = 32;

/** Begins the head of an empty thread. */
function newHead(): ThreadHead {
  const turns = (): TurnHead => ({ ...newTurnCursor(), start: 0, phases: [] });
  return {
    format: 1,
    version: 0,
    hasUsers: false,
    turns: turns(),
    plainTurns: turns(),
    taskDoubt: -1,
    pairDoubt: -1,
    crossed: -1,
    stray: -1,
    late: -1,
  };
}

/**
 * Reads a head; a new one where there is none.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` if it is no head. It quotes nothing.
 */
export function headOf(text: string | undefined): ThreadHead {
  if (text === undefined) return newHead();
  try {
    const head: ThreadHead = JSON.parse(text);
    if (Number.isSafeInteger(head.version) && head.version >= 0) return head;
  } catch {
    // Said below: the engine's own error quotes the text.
  }
  throw new HistoryError(
    "Expected the head of the thread to be what this package wrote. Restore a backup.",
    {
      code: "THREAD_CORRUPT",
      details: { reason: "head" },
    },
  );
}

/** The numbering that is in force. */
export function turnsOf(head: ThreadHead): TurnHead {
  return head.hasUsers ? head.turns : (head.plainTurns ?? head.turns);
}
