import { object, optional, unknown } from "zod/mini";
import type { ZodMiniOptional } from "zod/mini";

import { fieldOf, isObject, typeOf } from "./internal/message-fields.ts";
import type { LangChainMessageLike } from "./messages.ts";

/** The fields that are used of a model request of LangChain's `createAgent`. */
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

/** A middleware for `createAgent({ middleware })`, assignable to LangChain's `AgentMiddleware`. Its state is private, and checkpointers save it. */
export interface HistoryMiddleware {
  name: string;
  wrapModelCall: <Request extends ModelRequestLike, Answer>(
    request: Request,
    handler: (request: Request) => Answer | Promise<Answer>,
  ) => Promise<Answer>;
}

/** Returns the signal of an agent's run. */
export function signalOf({ runtime }: ModelRequestLike): AbortSignal | undefined {
  const signal = fieldOf(runtime, "signal");
  return signal instanceof AbortSignal ? signal : undefined;
}

/** Options of {@link keepingMiddleware}. */
interface Keeping<Kept> {
  readonly name: string;
  /** The key of its state in the agent's state. The leading `_` keeps it out of the agent's input and output. */
  readonly key: `_${string}`;
  /** Returns what to send, and the state for the next call. `kept` is the last stored state; validate it, because a checkpointer may return anything. */
  readonly change: (request: ModelRequestLike, kept: unknown) => Promise<Changed<Kept>>;
}

/** The changes of a request, and the new state. */
interface Changed<Kept> {
  readonly messages: readonly object[];
  /** Overrides the agent's system message for this call. Default: the agent's. */
  readonly systemMessage?: object | undefined;
  /** Missing if the stored state still holds. */
  readonly kept?: Kept | undefined;
}

/**
 * Creates a middleware that changes what each model call is sent, and never the agent's messages. Its state is stored in the agent's
 * state by a command that is returned beside the answer: a separate hook would add a node, and so one more checkpoint for each call.
 */
export function keepingMiddleware<Kept extends object>({
  name,
  key,
  change,
}: Keeping<Kept>): HistoryMiddleware {
  // Another middleware may call the model again. Only the last call of a step counts, because LangGraph takes one value.
  const newest = new WeakMap<object, object>();
  const middleware = {
    name,
    stateSchema: object({ [key]: anything() }),
    wrapModelCall: async <Request extends ModelRequestLike, Answer>(
      request: Request,
      handler: (request: Request) => Answer | Promise<Answer>,
    ): Promise<Answer | object> => {
      const { kept, ...changed } = await change(request, fieldOf(request.state, key));
      const answer = await handler({ ...request, ...changed });
      const step: unknown = request.messages.at(-1);
      // LangChain drops commands beside a structured answer, so the next call decides again.
      if (kept === undefined || !isAnswer(answer) || !isObject(step)) return answer;
      const update = { [key]: kept };
      newest.set(step, update);
      return command(update, () => newest.get(step) === update);
    },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the state is private, so no type contains it
  return middleware as object as HistoryMiddleware;
}

/** Creates a LangGraph `Command`, which is recognized by this name. Importing its class would require another package. */
function command(update: object, isNewest: () => boolean): object {
  const writes = (): readonly (readonly [string, unknown])[] =>
    isNewest() ? Object.entries(update) : [];
  return { lg_name: "Command", goto: [], update, _updateAsTuples: writes };
}

/** Creates the schema of an optional field, with the one method that LangChain calls. Schemas of `zod/mini` lack it, but are a fifth of the size. */
function anything(): ZodMiniOptional {
  const schema = optional(unknown());
  return Object.assign(schema, { optional: () => schema });
}

function isAnswer(answer: unknown): boolean {
  return isObject(answer) && typeOf(answer) === "ai";
}
