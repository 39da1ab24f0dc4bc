import type { JsonObject, JsonValue } from "@agent-history/core";

import { withoutMarks } from "./bound-reasoning.ts";
import { has, isObject, objectAt, objectsAt, textIn } from "./read-wire.ts";
import type { Wire } from "./wire.ts";

/** How an API names the parts of a conversation that its server keeps. */
interface Holding {
  /** The field of the messages. */
  readonly list: "input" | "messages";
  /** Returns the id of the answer that a request continues from. */
  readonly previousOf: (body: JsonObject) => string | undefined;
  readonly isHeld: (body: JsonObject) => boolean;
  readonly answerOf: (answer: JsonObject) => readonly JsonObject[];
  /** Fields that the first request sets for all. */
  readonly fixed: readonly string[];
  /** Names the rules of kept conversations that a request breaks. */
  readonly problems: (body: JsonObject) => readonly string[];
}

const THREADS = "message-threads-2026-08-12";

/** OpenAI: "Conversation state", `previous_response_id`. Anthropic: the types of its SDK, `BetaMessageThread`: "`system` and `tools` cannot change once a turn has created the thread". */
const holdings = {
  responses: {
    list: "input",
    previousOf: (body) => textIn(body["previous_response_id"]) || undefined,
    isHeld: ({ store }) => store !== false,
    answerOf: (answer) => objectsAt(answer, "output"),
    fixed: [],
    problems: () => [],
  },
  threads: {
    list: "messages",
    previousOf: (body) => textIn(objectAt(body, "thread")["previous_message_id"]) || undefined,
    isHeld: (body) => has(body, "thread"),
    answerOf: ({ content = [] }) => [{ role: "assistant", content }],
    fixed: ["system", "tools"],
    problems: (body) => {
      const { thread, betas, system, tools } = body;
      const isContinued = objectAt(body, "thread")["type"] === "continue";
      const hasBeta = Array.isArray(betas) && betas.includes(THREADS);
      return [
        ...(thread !== undefined && !hasBeta ? ["thread-without-beta"] : []),
        ...(isContinued && (system !== undefined || tools !== undefined) ? ["thread-fixed"] : []),
      ];
    },
  },
} satisfies Record<string, Holding>;

/** A wire of a server that keeps conversations. */
export interface HoldingWire extends Wire {
  /** What it was sent, as it was sent. */
  readonly received: readonly JsonObject[];
  /** How often it was asked for a conversation that it does not have. */
  readonly forgotten: () => number;
}

/**
 * Makes a wire whose server keeps what it is sent and its answers, judges each request as a whole, and answers 404 for a conversation that it does not know.
 *
 * @param forgets - Whether the conversation has expired that a request asks for; `index` counts these requests, from 0.
 */
export function holdingWire(
  wire: Wire,
  kind: keyof typeof holdings,
  forgets: (index: number) => boolean,
): HoldingWire {
  const { list, previousOf, isHeld, answerOf, fixed, problems }: Holding = holdings[kind];
  const held = new Map<string, JsonValue>();
  const received: JsonObject[] = [];
  const broken = new Map<JsonObject, readonly string[]>();
  let asked = 0;
  let forgotten = 0;
  return {
    ...wire,
    received,
    forgotten: () => forgotten,
    whole: (body) => {
      received.push(body);
      const id = previousOf(body);
      if (id !== undefined && forgets(asked++)) held.delete(id);
      const before = id === undefined ? {} : held.get(id);
      if (!isObject(before)) {
        forgotten += 1;
        return undefined;
      }
      const { thread: _, previous_response_id: __, ...sent } = body;
      const kept = Object.fromEntries(
        Object.entries(before).filter(([key]) => fixed.includes(key)),
      );
      const whole = {
        ...sent,
        ...kept,
        [list]: [...objectsAt(before, list), ...objectsAt(body, list)],
      };
      broken.set(whole, problems(body));
      return whole;
    },
    problems: (body) => [...wire.problems(body), ...(broken.get(body) ?? [])],
    hold: (body, whole, answer) => {
      if (!isHeld(body)) return;
      const all = [...objectsAt(whole, list), ...answerOf(answer)];
      // Marks are of one request: which of a thread's count is not documented.
      held.set(textIn(answer["id"]), withoutMarks({ ...whole, [list]: all }));
    },
  };
}
