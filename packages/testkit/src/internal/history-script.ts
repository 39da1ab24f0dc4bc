import type { Content, EntryBase, Outcome, PhaseId, Source, ToolCall } from "@agent-history/core";

/** What happens in a history and how it is noted down: all that chance decides, before it is laid out as entries. */
export interface HistoryScript extends NotationScript {
  readonly opening: readonly AsideScript[];
  readonly turns: readonly TurnScript[];
  /** Set where the newest turn still runs. */
  readonly running: RunningScript | undefined;
}

/** How what happens is noted down. */
export interface NotationScript {
  /** Odd ids; the same one may name a turn, an agent and an entry. */
  readonly names: readonly string[];
  /** How far each entry's clock is off, in milliseconds; used in rotation. */
  readonly clockErrorsMs: readonly number[];
  /** The thread's evidence, each with a number of its own. */
  readonly sources: readonly Source[];
  readonly marks: Marks;
}

/** Which entries carry a mark, by the order they are written in; each list is used in rotation. */
export interface Marks {
  readonly turnId: readonly boolean[];
  readonly phaseId: readonly boolean[];
  readonly taskId: readonly boolean[];
  readonly agent: readonly boolean[];
}

export interface RunningScript {
  /** What the newest turn ends with: nobody answers it. */
  readonly exchange: ExchangeScript;
  /** The log ends at one of the places where a call is open: at this one, counted in rotation. */
  readonly cut: number;
}

export interface TurnScript {
  /** What the user asks; none where a task begins the turn. */
  readonly asks: readonly AskScript[];
  /** What begins a turn without a user message: work for the orchestrator, given by nobody. */
  readonly task: NoteScript;
  readonly asides: readonly AsideScript[];
  readonly plan: NoteScript | undefined;
  /** What the orchestrator does itself. */
  readonly steps: readonly StepScript[];
  readonly phases: readonly PhaseScript[];
  readonly phaseIds: readonly PhaseId[];
  /** All phases at once, not one after the other. */
  readonly concurrent: boolean;
  /** What becomes known to all while the first phases run. */
  readonly broadcasts: readonly NoteScript[];
  readonly answer: NoteScript;
  readonly isAnswered: boolean;
  /** Whose turn it is to write where several work at once; used in rotation. Empty: one after the other. */
  readonly order: readonly number[];
}

export interface PhaseScript {
  readonly manager: number;
  readonly task: NoteScript;
  readonly delegation: NoteScript | undefined;
  readonly steps: readonly StepScript[];
  readonly workers: readonly WorkerScript[];
  readonly synthesis: NoteScript | undefined;
  readonly final: NoteScript | undefined;
}

export interface WorkerScript {
  readonly worker: number;
  readonly task: NoteScript;
  readonly delegation: NoteScript | undefined;
  readonly steps: readonly StepScript[];
  readonly final: NoteScript | undefined;
}

/** One thing that an agent does. */
export type StepScript =
  | {
      readonly kind: "exchange";
      readonly script: ExchangeScript;
      /** What the call that is answered last calls itself, one action after the other. */
      readonly inner?: readonly ExchangeScript[];
    }
  | { readonly kind: "error" | "global_observation"; readonly script: NoteScript };

export interface ExchangeScript {
  readonly content: Content | undefined;
  readonly calls: readonly CallScript[];
  readonly extras: Extras;
}

export interface CallScript {
  readonly call: ToolCall;
  /** Keeps an id that other exchanges use too. */
  readonly reusesId: boolean;
  readonly outcome: Outcome;
  readonly result: NoteScript;
  readonly namesAction: boolean;
  /** Parallel calls are answered by rising rank. */
  readonly rank: number;
}

/** What stands in a log beside the work. */
export interface AsideScript extends NoteScript {
  readonly kind: "system_message" | "memory" | "summary";
  /** Whose it is, counted among all agents; nobody's where it is missing. */
  readonly owner: number | undefined;
}

export interface AskScript extends NoteScript {
  readonly rendered: Content | undefined;
  readonly attachments: readonly NoteScript[];
}

export interface NoteScript {
  readonly content: Content;
  /** Places in the thread's evidence, counted in rotation. An answer cites them. */
  readonly sources: readonly number[] | undefined;
  readonly extras: Extras;
}

/** What any entry may carry besides. */
export interface Extras extends Pick<EntryBase, "pinned" | "metadata"> {
  /** The message format that the entry came in, as a message of its own. */
  readonly format?: string;
}
