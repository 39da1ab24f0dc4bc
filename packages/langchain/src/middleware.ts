import { object, optional, unknown } from "zod/mini";
import type { ZodMiniOptional } from "zod/mini";

import { fieldOf, isObject, typeOf } from "./internal/message-fields.ts";
import type { LangChainMessageLike } from "./messages.ts";

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
  const signal = fieldOf(runtime, "signal");
  return signal instanceof AbortSignal ? signal : undefined;
}

/** How a middleware changes what a model is sent. */
interface Keeping<Kept> {
  readonly name: string;
  /** Where its state stands in the agent's. It begins with `_`: neither in what an agent is given nor in what it gives. */
  readonly key: `_${string}`;
  /** Returns what to send, and what to keep for the next call. `kept` is what was kept last; whatever a checkpointer made of it. */
  readonly change: (request: ModelRequestLike, kept: unknown) => Promise<Changed<Kept>>;
}

/** What is sent, and kept. */
interface Changed<Kept> {
  readonly messages: readonly object[];
  /** Replaces the agent's for this call. Default: the agent's. */
  readonly systemMessage?: object | undefined;
  /** Missing where what was kept before still holds. */
  readonly kept?: Kept | undefined;
}

/**
 * Makes a middleware that changes what each call of the model is sent, and never the agent's messages. What it keeps from call to call stands in the agent's
 * state, written by the command that a call gives beside its answer: a hook of its own would be a node, and a checkpoint more for each call.
 */
export function keepingMiddleware<Kept extends object>({
  name,
  key,
  change,
}: Keeping<Kept>): HistoryMiddleware {
  // Another middleware may call the model again: of a step the last call counts, and LangGraph takes one value.
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
      // LangChain keeps no command beside a structured answer: the next call then decides again.
      if (kept === undefined || !isAnswer(answer) || !isObject(step)) return answer;
      const update = { [key]: kept };
      newest.set(step, update);
      return command(update, () => newest.get(step) === update);
    },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its state is nobody else's: no type tells of it
  return middleware as object as HistoryMiddleware;
}

/** Makes a `Command` of LangGraph's, which knows them by this name: its class would have to be installed beside this package. */
function command(update: object, isNewest: () => boolean): object {
  const writes = (): readonly (readonly [string, unknown])[] =>
    isNewest() ? Object.entries(update) : [];
  return { lg_name: "Command", goto: [], update, _updateAsTuples: writes };
}

/** Makes the schema of an optional field with the one method that LangChain calls of it. Schemas of `zod/mini` have none, and weigh a fifth of others. */
function anything(): ZodMiniOptional {
  const schema = optional(unknown());
  return Object.assign(schema, { optional: () => schema });
}

function isAnswer(answer: unknown): boolean {
  return isObject(answer) && typeOf(answer) === "ai";
}
