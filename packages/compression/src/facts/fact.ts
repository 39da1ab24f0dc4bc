/**
 * What a fact is, least destructive loss last: `question`, `decision`, `error` and `command` are whole sentences or lines, as they
 * stand in the entry; the others are single words.
 */
export type FactKind =
  | "question"
  | "decision"
  | "error"
  | "command"
  | "url"
  | "path"
  | "file"
  | "email"
  | "date"
  | "identifier"
  | "number";

/** Something that an agent cannot guess again once it is gone, word for word as an entry has it. */
export interface Fact {
  readonly kind: FactKind;
  /** One line, without control characters; a substring of an entry that carries it. */
  readonly text: string;
  /** The entries that carry it, each once, in their order. */
  readonly entryIds: readonly string[];
  /** How often it stands there. From 1. */
  readonly count: number;
}
