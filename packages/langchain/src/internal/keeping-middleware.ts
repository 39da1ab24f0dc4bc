import { object, optional, unknown } from "zod/mini";
import type { ZodMiniOptional } from "zod/mini";

import type { HistoryMiddleware, ModelRequestLike } from "../middleware.ts";

/** How a middleware changes what a model is sent. */
interface Keeping<Kept> {
  readonly name: string;
  /** Where its state stands in the agent's. It begins with `_`: neither in what an agent is given nor in what it gives. */
  readonly key: `_${string}`;
  /** Returns the messages to send, and what to keep for the next call. `kept` is what the call before gave; whatever a checkpointer made of it. */
  readonly change: (request: ModelRequestLike, kept: unknown) => Promise<Changed<Kept>>;
}

/** What is sent, and kept. */
export interface Changed<Kept> {
  readonly messages: readonly object[];
  /** Replaces the agent's for this call. Default: the agent's. */
  readonly systemMessage?: object | undefined;
  readonly kept: Kept;
}

/**
 * Makes a middleware that changes what each call of the model is sent, and never the agent's messages. What it keeps from call to call stands in the agent's
 * state.
 */
export function keepingMiddleware<Kept extends object>({
  name,
  key,
  change,
}: Keeping<Kept>): HistoryMiddleware {
  // From `wrapModelCall`, which cannot write state, to `afterModel`, which can: by the answer that stands in both.
  const keptOf = new WeakMap<object, Kept>();
  const middleware = {
    name,
    stateSchema: object({ [key]: anything() }),
    wrapModelCall: async <Request extends ModelRequestLike, Answer>(
      request: Request,
      handler: (request: Request) => Answer | Promise<Answer>,
    ): Promise<Answer> => {
      const { kept, ...changed } = await change(request, fieldOf(request.state, key));
      const answer = await handler({ ...request, ...changed });
      const message = messageOf(answer);
      if (message !== undefined) keptOf.set(message, kept);
      return answer;
    },
    afterModel: ({ messages }: { readonly messages: readonly object[] }) => {
      const answer = messages.findLast((message) => keptOf.has(message));
      const kept = answer && keptOf.get(answer);
      return kept && { [key]: kept };
    },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its state is nobody else's: no type tells of it
  return middleware as HistoryMiddleware;
}

/** Makes the schema of an optional field with the one method that LangChain calls of it. Schemas of `zod/mini` have none, and weigh a fifth of others. */
function anything(): ZodMiniOptional {
  const schema = optional(unknown());
  return Object.assign(schema, { optional: () => schema });
}

/** Returns the message that a model gave, also with a structured answer beside it. */
function messageOf(answer: unknown): object | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  const messages = fieldOf(answer, "messages");
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : answer;
  return typeof last === "object" && last !== null ? last : undefined;
}

function fieldOf(value: object | undefined, key: string): unknown {
  return value === undefined ? undefined : Reflect.get(value, key);
}
