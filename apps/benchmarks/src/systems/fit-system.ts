import type { ChatMessage } from "../messages/chat-message.ts";

/** Something that makes a conversation fit a window before a model is called. */
export interface FitSystem {
  readonly name: string;
  /** It tokenizes every message anew at every call: a conversation of a thousand turns is not waited for. */
  readonly isUncached?: true;
  /** It asks nothing of a window: what it leaves is not judged by one. */
  readonly hasNoWindow?: true;
  /** Takes a conversation over, in its own types. Not measured. */
  open(messages: readonly ChatMessage[], windowTokens: number): Conversation;
}

/** A conversation in the hands of one system. */
export interface Conversation {
  /** Adds messages, and counts them where the system remembers counts. Not measured. */
  append(messages: readonly ChatMessage[]): void;
  /** Takes the whole conversation again, parsed anew, as a web handler does. Without it, a conversation is opened anew. */
  handIn?(messages: readonly ChatMessage[]): void;
  /** Does what is done before each model call: this is what is measured. Gives what reads the result as messages again. */
  fit(): Fitted | Promise<Fitted>;
  /** How many tokens the tokenizer was made to give so far; missing where the system counts by estimates of its own. */
  tokenized?(): number;
  /** How many tokens a model was sent so far to summarize them; missing where none is asked. */
  summarized?(): number;
}

/** Reads a result as messages. Not measured. */
export type Fitted = () => readonly ChatMessage[];
