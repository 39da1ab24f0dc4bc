import type { LangChainMessageLike } from "./langchain-message.ts";

/** What is used of the request that LangChain's `createAgent` makes of its model. */
export interface ModelRequestLike {
  readonly model?: unknown;
  readonly messages: readonly LangChainMessageLike[];
  readonly systemMessage?: LangChainMessageLike | undefined;
  readonly tools?: readonly unknown[] | undefined;
  readonly responseFormat?: unknown;
  readonly modelSettings?: unknown;
  readonly state?: object | undefined;
  readonly runtime?: object | undefined;
}

/** A middleware for `createAgent({ middleware })`, assignable to LangChain's `AgentMiddleware`. Its state is private to it, and checkpointers keep it. */
export interface HistoryMiddleware {
  name: string;
  wrapModelCall: <Request extends ModelRequestLike, Answer>(
    request: Request,
    handler: (request: Request) => Answer | Promise<Answer>,
  ) => Promise<Answer>;
}

/** Returns the signal of an agent's run. */
export function signalOf({ runtime }: ModelRequestLike): AbortSignal | undefined {
  const signal: unknown = runtime && "signal" in runtime ? runtime.signal : undefined;
  return signal instanceof AbortSignal ? signal : undefined;
}
