import { isHistoryError } from "@agent-history/core";
import type { JsonObject } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import type { ReductionPlan } from "agent-history/openai";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { reasoningDoors } from "../test-support/reasoning-doors.ts";
import type { Asked, ReasoningDoor } from "../test-support/reasoning-doors.ts";

/** What happens to a conversation before the next request. `at` and `size` choose where and how much, each by its own measure. */
interface Event {
  readonly kind: (typeof KINDS)[number];
  readonly at: number;
  readonly size: number;
}

const KINDS = [
  ...(["ask", "ask", "ask", "ask", "work", "work", "work", "work"] as const),
  ...(["edit", "rewrite", "fork", "regenerate", "switch", "interrupt", "late"] as const),
  ...(["window", "system", "tools", "resume"] as const),
];

const events: fc.Arbitrary<readonly Event[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    at: fc.nat(1000),
    size: fc.integer({ min: 1, max: 60 }),
  }),
  { minLength: 5, maxLength: 40 },
);
const WINDOWS = [1500, 3000, 6000, 20_000];

describe.each(reasoningDoors)("reasoning through $name", (door) => {
  it("stands behind what it was made after in every request, whatever is edited, forked or switched", () => {
    fc.assert(
      fc.property(events, fc.constantFrom(...WINDOWS), (happened, window) => {
        expect(faultsOf(door, happened, window)).toEqual([]);
      }),
      { numRuns: lawRuns(60) },
    );
  });
});

/** Runs a conversation; names each request of it that the server would refuse, or whose reasoning it would drop for its prefix. */
function faultsOf(
  door: ReasoningDoor,
  happened: readonly Event[],
  contextTokens: number,
): readonly string[] {
  const faults: string[] = [];
  const talk = newTalk(door, contextTokens);
  for (const [index, event] of [{ kind: "ask" as const, at: 0, size: 9 }, ...happened].entries()) {
    change(talk, event, `${index}`);
    for (let round = 0; round < rounds(event); round += 1) {
      const isLast = round === rounds(event) - 1;
      const fault = request(talk, { name: `${index}-${round}`, size: event.size, isLast });
      if (fault !== undefined) faults.push(`${event.kind} ${index}.${round}: ${fault}`);
    }
  }
  return faults;
}

interface Talk extends Omit<Asked, "previousPlan"> {
  readonly door: ReasoningDoor;
  model: string;
  contextTokens: number;
  system: string;
  tools: readonly string[];
  messages: readonly JsonObject[];
  previousPlan: ReductionPlan | undefined;
}

function newTalk(door: ReasoningDoor, contextTokens: number): Talk {
  const [model = ""] = door.models;
  const [messages, previousPlan] = [[], undefined];
  return {
    door,
    model,
    contextTokens,
    system: "Be brief.",
    tools: ["look"],
    messages,
    previousPlan,
  };
}

/** How many requests follow an event: an edit is followed by one, work by up to six. */
function rounds({ kind, at }: Event): number {
  return kind === "work" ? 1 + (at % 6) : kind === "interrupt" ? 0 : 1;
}

function change(talk: Talk, { kind, at, size }: Event, name: string): void {
  const { door, messages } = talk;
  const questions = messages.flatMap((message, index) => (isQuestion(message) ? [index] : []));
  const chosen = questions[at % Math.max(1, questions.length)] ?? 0;
  const asked = door.asks(`Question ${name}: ${"where to, ".repeat(size)}`);
  switch (kind) {
    case "ask":
      talk.messages = [...messages, asked];
      break;
    case "work":
      // A loop goes on behind an answer where somebody says so.
      talk.messages = isAnswered(talk) ? [...messages, asked] : messages;
      break;
    case "edit":
      talk.messages = messages.with(chosen, asked);
      break;
    case "rewrite":
      talk.messages = [...messages.slice(0, chosen), asked];
      break;
    case "fork":
      talk.messages = messages.slice(0, chosen + 1);
      break;
    case "regenerate": {
      const last = questions.at(-1) ?? 0;
      talk.messages = messages.slice(0, last + 1);
      break;
    }
    case "switch":
      talk.model = door.models[at % door.models.length] ?? talk.model;
      break;
    case "interrupt":
      interrupt(talk, name);
      break;
    case "late":
      answerLate(talk, size);
      break;
    case "window":
      talk.contextTokens = WINDOWS[at % WINDOWS.length] ?? 6000;
      break;
    case "system":
      talk.system = `Be brief, ${at % 3}.`;
      break;
    case "tools":
      talk.tools = [["look"], ["look", "find"], ["find", "look"]][at % 3] ?? ["look"];
      break;
    case "resume":
      talk.messages = JSON.parse(JSON.stringify(messages));
      talk.previousPlan = talk.previousPlan && JSON.parse(JSON.stringify(talk.previousPlan));
      break;
  }
  if (isAnswered(talk)) talk.messages = [...talk.messages, door.asks(`And ${name}?`)];
}

function isQuestion(message: JsonObject): boolean {
  return message["role"] === "user" && typeof message["content"] === "string";
}

/** Whether the model was the last to speak: then there is nothing to ask it. */
function isAnswered({ messages, door }: Talk): boolean {
  const last = messages.at(-1);
  return (
    last !== undefined && !isQuestion(last) && door.calls(last).length === 0 && !isResult(last)
  );
}

function isResult(message: JsonObject): boolean {
  return (
    JSON.stringify(message).includes('"tool_result"') || message["type"] === "function_call_output"
  );
}

/** The model calls something, and the process ends before the result is there. */
function interrupt(talk: Talk, name: string): void {
  request(talk, { name, size: 3, isLast: false, isInterrupted: true });
}

/** The result of a call that has none arrives after all, at its place. */
function answerLate(talk: Talk, size: number): void {
  const { door, messages } = talk;
  const all = JSON.stringify(messages.filter(isResult));
  const index = messages.findLastIndex((message) =>
    door.calls(message).some((id) => !all.includes(`"${id}"`)),
  );
  const [id] = door.calls(messages[index] ?? {});
  if (id === undefined) return;
  const late = door.result(id, `Late: ${"at noon, ".repeat(size)}`);
  talk.messages = messages.toSpliced(index + 1, 0, late);
}

interface Step {
  readonly name: string;
  readonly size: number;
  readonly isLast: boolean;
  readonly isInterrupted?: boolean;
}

/** Sends one request, adds its answer and the results of its calls. */
function request(talk: Talk, step: Step): string | undefined {
  const { door } = talk;
  const fitted = unlessTooSmall(() => door.fit(talk.messages, talk));
  if (fitted === undefined) return undefined;
  const { body, plan } = fitted;
  talk.previousPlan = plan;
  const thoughts = door.wire.thoughts?.(body) ?? [];
  const failed = thoughts.filter(({ reason = "" }) => reason.startsWith("prefix"));
  const faults = [
    ...door.wire.problems(body),
    ...failed.map(({ path, isGap }) => `${path} ${isGap ? "gap" : "prefix"}`),
  ];
  const thinking = `Thought ${step.name}: ${"so at nine, ".repeat(step.size)}`;
  const id = `c${step.name}`;
  const reply = step.isLast
    ? { thinking, text: `Answer ${step.name}.` }
    : { thinking, calls: [{ id, name: "look", arguments: "{}" }] };
  const results =
    step.isLast || step.isInterrupted
      ? []
      : [door.result(id, `Result ${step.name}: ${"two seats, ".repeat(5 * step.size)}`)];
  const answer = door.answered(door.wire.write(reply, `r${step.name}`, body));
  talk.messages = [...talk.messages, ...answer, ...results];
  return faults.length === 0 ? undefined : faults.join(", ");
}

function unlessTooSmall<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}
