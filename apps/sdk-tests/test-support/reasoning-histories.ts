import { isHistoryError } from "@agent-history/core";
import type { JsonObject } from "@agent-history/core";
import type { ReductionPlan } from "agent-history/openai";
import * as fc from "fast-check";

import type { Asked, ReasoningDoor } from "./reasoning-doors.ts";

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

export const events: fc.Arbitrary<readonly Event[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    at: fc.nat(1000),
    size: fc.integer({ min: 1, max: 60 }),
  }),
  { minLength: 5, maxLength: 40 },
);
export const WINDOWS = [1500, 3000, 6000, 20_000];

/** What a server found in the requests of a conversation. */
export interface Judgement {
  /** The requests that it would refuse, or whose reasoning it would drop for its prefix, or of which the plan counts other reasoning than they have. */
  readonly faults: readonly string[];
  /** Blocks of valid reasoning in the last request. */
  readonly valid: number;
}

/** Runs a conversation and judges each request. */
export async function judgeRequests(
  door: ReasoningDoor,
  happened: readonly Event[],
  contextTokens: number,
): Promise<Judgement> {
  const faults: string[] = [];
  const talk = newTalk(door, contextTokens);
  for (const [index, event] of [{ kind: "ask" as const, at: 0, size: 9 }, ...happened].entries()) {
    await change(talk, event, `${index}`);
    for (let round = 0; round < rounds(event); round += 1) {
      const isLast = round === rounds(event) - 1;
      const fault = await request(talk, { name: `${index}-${round}`, size: event.size, isLast });
      if (fault !== undefined) faults.push(`${event.kind} ${index}.${round}: ${fault}`);
    }
  }
  return { faults, valid: talk.valid };
}

interface Talk extends Omit<Asked, "previousPlan"> {
  readonly door: ReasoningDoor;
  model: string;
  contextTokens: number;
  system: string;
  tools: readonly string[];
  messages: readonly JsonObject[];
  previousPlan: ReductionPlan | undefined;
  valid: number;
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
    valid: 0,
  };
}

/** How many requests follow an event: an edit is followed by one, work by up to six. */
function rounds({ kind, at }: Event): number {
  return kind === "work" ? 1 + (at % 6) : kind === "interrupt" ? 0 : 1;
}

async function change(talk: Talk, { kind, at, size }: Event, name: string): Promise<void> {
  const { door, messages } = talk;
  const questions = messages.flatMap((message, index) => (door.isQuestion(message) ? [index] : []));
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
      await interrupt(talk, name);
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

/** Whether the model was the last to speak: then there is nothing to ask it. */
function isAnswered({ messages, door }: Talk): boolean {
  const last = messages.at(-1);
  return (
    last !== undefined &&
    !door.isQuestion(last) &&
    door.calls(last).length === 0 &&
    !door.isResult(last)
  );
}

/** The model calls something, and the process ends before the result is there. */
async function interrupt(talk: Talk, name: string): Promise<void> {
  await request(talk, { name, size: 3, isLast: false, isInterrupted: true });
}

/** The result of a call that has none arrives after all, at its place. */
function answerLate(talk: Talk, size: number): void {
  const { door, messages } = talk;
  const all = JSON.stringify(messages.filter(door.isResult));
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
async function request(talk: Talk, step: Step): Promise<string | undefined> {
  const { door } = talk;
  const { name, size, isLast } = step;
  const thinking = `Thought ${name}: ${"so at nine, ".repeat(size)}`;
  const id = `c${name}`;
  const reply = isLast
    ? { thinking, text: `Answer ${name}.` }
    : { thinking, calls: [{ id, name: "look", arguments: "{}" }] };
  const sent = await unlessTooSmall(async () => door.send(talk.messages, talk, reply, `r${name}`));
  if (sent === undefined) return undefined;
  const { body, plan, answered } = sent;
  const thoughts = door.wire.thoughts?.(body) ?? [];
  const failed = thoughts.filter(({ reason = "" }) => reason.startsWith("prefix"));
  talk.valid = thoughts.filter(({ fate }) => fate === "valid").length;
  const counted = plan.reasoning?.valid.blocks;
  const faults = [
    ...door.wire.problems(body),
    ...failed.map(({ path, isGap }) => `${path} ${isGap ? "gap" : "prefix"}`),
    ...(counted === thoughts.length ? [] : [`plan counts ${counted} of ${thoughts.length}`]),
  ];
  const result = `Result ${name}: ${"two seats, ".repeat(5 * size)}`;
  const results = isLast || step.isInterrupted ? [] : [door.result(id, result)];
  talk.previousPlan = plan;
  talk.messages = [...talk.messages, ...answered, ...results];
  return faults.length === 0 ? undefined : faults.join(", ");
}

async function unlessTooSmall<Result>(run: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await run();
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}
