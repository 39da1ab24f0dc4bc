import type { ChatMessage } from "../messages/chat-message.ts";

/** Something that makes a conversation fit a window before a model is called. */
export interface FitSystem {
  readonly name: string;
  /** The longest history it is tried on: what takes more than some ten seconds for one call is not waited for. Default: any. */
  readonly maxMessages?: number;
  /** It asks nothing of a window: what it leaves is not judged by one. */
  readonly hasNoWindow?: true;
  /** Takes a conversation over, in its own types. Not measured. */
  open(messages: readonly ChatMessage[], windowTokens: number): Conversation;
}

/** A conversation in the hands of one system. */
export interface Conversation {
  /** Adds messages. Not measured. */
  append(messages: readonly ChatMessage[]): void;
  /** Does what is done before each model call: this is what is measured. Gives what reads the result as messages again. */
  fit(): Fitted | Promise<Fitted>;
  /** How many tokens the tokeniser was made to give so far; missing where the system counts by estimates of its own. */
  tokenised?(): number;
  /** Forgets every count, where it can. */
  forgetCounts?(): void;
}

/** Reads a result as messages. Not measured. */
export type Fitted = () => readonly ChatMessage[];
