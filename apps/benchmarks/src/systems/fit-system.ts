import type { ChatMessage } from "../messages/chat-message.ts";

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
