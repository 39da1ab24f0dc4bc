/** The parts of a summary, in the order in which they stand in it. */
export const SUMMARY_PARTS = [
  "earlier",
  "user",
  "open",
  "changed",
  "read",
  "mentioned",
  "others",
  "commands",
  "made",
  "failures",
  "records",
  "agent",
  "tools",
  "names",
  "words",
] as const;

export type SummaryPart = (typeof SUMMARY_PARTS)[number];

/** The smallest thing that is in a summary or not: a sentence, a path, a field of a record. */
export interface SummaryItem {
  /** As it will stand there: one line, quoted as data. */
  readonly text: string;
  /** The facts of one word that it states. */
  readonly says: ReadonlySet<string>;
  /** What it is worth beside the facts in it, in tokens of facts. */
  readonly worth: number;
  /** Where in the history it stood: the position of its entry. */
  readonly index: number;
  /** Of names and files: the chance that an agent comes back to it, from 0 to 1. */
  readonly chance?: number;
}

/** Items that belong together: they stand on one line of the summary, behind one head. */
export interface SummaryLine {
  readonly part: SummaryPart;
  /** What the line begins with, a space included. */
  readonly head: string;
  /** What stands between two items, and behind the last. */
  readonly joint: string;
  readonly end: string;
  /** In the order in which they stand there. */
  readonly items: readonly SummaryItem[];
  /** Each item needs the one before it: the sentences of one message. */
  readonly isSequence?: boolean;
  /** Tells of one thing what a result had of it: its fields are worth more beside it than alone. */
  readonly isRecord?: boolean;
  /** Facts that the head states. */
  readonly says?: ReadonlySet<string>;
}

/** Which items of a line were chosen. */
export interface ChosenLine {
  readonly line: SummaryLine;
  readonly items: readonly SummaryItem[];
}
