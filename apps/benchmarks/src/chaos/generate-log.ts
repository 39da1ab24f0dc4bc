import type { Agent, Content, HistoryEntry, Source } from "@agent-history/core";

import type { Draw } from "./draw.ts";

/** A log, and those who may look at it: nobody in particular, or one of its agents. */
export interface GeneratedLog {
  readonly entries: readonly HistoryEntry[];
  readonly viewers: readonly [string | undefined, ...(string | undefined)[]];
  readonly kind: string;
}

/** Writes a log of one kind, and returns who may look at it. */
type Kind = (write: Writer, draw: Draw) => readonly (string | undefined)[];

const KINDS: Readonly<Record<string, Kind>> = {
  chat,
  tools,
  coding,
  worker,
  agents,
  speakers,
};

/** Generates a history of one of the kinds that agents write, broken in one of ten. */
export function generateLog(draw: Draw): GeneratedLog {
  const kind = draw.pick(["chat", "tools", "tools", "coding", "worker", "agents", "speakers"]);
  const write = writerOf(draw);
  if (draw.chance(0.7)) write.say("system_message");
  if (draw.chance(0.05)) write.say("assistant_message");
  const [first, ...others] = KINDS[kind]?.(write, draw) ?? [];
  const entries = draw.chance(0.1) ? broken(write.log, draw) : write.log;
  return { entries, viewers: [first, ...others], kind };
}

function chat(write: Writer, draw: Draw): readonly undefined[] {
  const hasIds = draw.chance(0.3);
  const turns = 1 + draw.below(16);
  for (let turn = 0; turn < turns; turn++) {
    const marks = hasIds ? { turnId: `t${turn}` } : {};
    if (draw.chance(0.03)) write.say("system_message", marks);
    const asked = write.say("user_message", marks);
    if (draw.chance(0.08)) write.upload(asked, marks);
    if (draw.chance(0.05)) write.say("memory", marks);
    if (draw.chance(0.08)) write.say("user_message", marks);
    if (turn + 1 < turns || draw.chance(0.3)) write.say("assistant_message", marks);
    if (draw.chance(0.05)) write.say("assistant_message", marks);
  }
  return [undefined];
}

function tools(write: Writer, draw: Draw): readonly undefined[] {
  const hasIds = draw.chance(0.3);
  const turns = 1 + draw.below(8);
  for (let turn = 0; turn < turns; turn++) {
    const marks = hasIds ? { turnId: `t${turn}` } : {};
    const asked = write.say("user_message", marks);
    for (let file = draw.chance(0.1) ? draw.below(4) : 0; file > 0; file--)
      write.upload(asked, marks);
    loop(write, draw, marks);
    if (draw.chance(0.05)) write.say("error", marks);
    if (turn + 1 < turns ? draw.chance(0.9) : draw.chance(0.3))
      write.say("assistant_message", marks);
  }
  return [undefined];
}

/** Rounds of calls, with words in between now and then. */
function loop(write: Writer, draw: Draw, marks: Marks): void {
  for (let round = draw.below(5); round > 0; round--) {
    write.work(marks, draw.chance(0.03));
    if (draw.chance(0.08)) write.say("assistant_message", marks);
  }
}

/** A coding agent whose observations come as user messages: one task statement, then action and observation by turns. */
function coding(write: Writer, draw: Draw): readonly undefined[] {
  write.say("user_message");
  for (let round = 2 + draw.below(14); round > 0; round--) {
    if (draw.chance(0.5)) write.work();
    write.say("assistant_message");
    write.say("user_message");
  }
  return [undefined];
}

/** One worker's own trace, task by task. */
function worker(write: Writer, draw: Draw): readonly string[] {
  const agent = { id: "w1", role: "worker" } as const;
  const from: Agent = { id: "m1", role: "manager" };
  for (let task = 1 + draw.below(4); task > 0; task--) {
    const taskId = write.give(agent, draw.chance(0.8) ? from : undefined);
    loop(write, draw, { agent, taskId });
    if (task > 1 || draw.chance(0.4)) write.say("final", { agent, taskId });
  }
  return [agent.id];
}

/** An orchestrator, a manager and two workers in one unfiltered log. */
function agents(write: Writer, draw: Draw): readonly (string | undefined)[] {
  const [boss, manager]: readonly [Agent, Agent] = [
    { id: "o", role: "orchestrator" },
    { id: "m1", role: "manager" },
  ];
  const workers: readonly [Agent, Agent] = [
    { id: "w1", role: "worker" },
    { id: "w2", role: "worker" },
  ];
  const hasUser = draw.chance(0.6);
  for (let turn = 1 + draw.below(3); turn > 0; turn--) {
    if (hasUser) write.say("user_message");
    if (draw.chance(0.7)) write.say("strategic_plan", { agent: boss });
    const taskId = write.give(manager, hasUser ? boss : undefined);
    for (let job = 1 + draw.below(3); job > 0; job--) {
      const agent = draw.pick(workers);
      const given = write.give(agent, manager, { taskId });
      loop(write, draw, { agent, taskId: given });
      if (draw.chance(0.9)) write.say("final", { agent, taskId: given });
      if (draw.chance(0.1)) write.say("global_observation", { agent });
    }
    if (draw.chance(0.8)) write.say("synthesis", { agent: manager, taskId });
    if (hasUser && draw.chance(0.8)) write.say("assistant_message", { agent: boss });
  }
  return ["m1", "w1", "o", undefined];
}

/** Several speakers, none of whom is a user: what a recording of a group of agents reads as. */
function speakers(write: Writer, draw: Draw): readonly (string | undefined)[] {
  if (draw.chance(0.5)) write.say("user_message");
  for (let said = 2 + draw.below(14); said > 0; said--) {
    const agent = draw.pick<Agent>([
      { id: "a", role: "worker" },
      { id: "b", role: "worker" },
      { id: "c", role: "manager" },
    ]);
    write.say(draw.chance(0.5) ? "assistant_message" : "final", { agent });
  }
  return ["a", undefined];
}

/** Loses a result, brings it late, brings one that answers nothing, or writes an entry twice. */
function broken(log: readonly HistoryEntry[], draw: Draw): readonly HistoryEntry[] {
  const entries = [...log];
  for (let times = 1 + draw.below(2); times > 0; times--) {
    const index = draw.below(entries.length);
    const entry = entries[index];
    const isTrace = entry?.type === "observation" || entry?.type === "action";
    if (entry === undefined) continue;
    const how = draw.pick(["lose", "late", "copy"]);
    if (how === "copy") entries.splice(index + 1, 0, entry);
    if (how !== "copy" && isTrace) entries.splice(index, 1);
    if (how === "late" && isTrace)
      entries.splice(index + draw.below(entries.length - index + 1), 0, entry);
  }
  return entries;
}

/** Fields that an entry may have beside its words. */
interface Marks {
  readonly agent?: Agent;
  readonly turnId?: string;
  readonly taskId?: string;
}

/** The types that have a content and nothing else of their own. */
type Plain = Exclude<
  HistoryEntry["type"],
  "action" | "observation" | "attachment" | "task" | "summary" | "opaque"
>;

type Writer = ReturnType<typeof writerOf>;

/** Writes a log, entry by entry. */
function writerOf(draw: Draw) {
  const log: HistoryEntry[] = [];
  const reusesIds = draw.chance(0.25);
  let called = 0;
  const next = (marks: Marks = {}) => {
    const pin = draw.chance(0.02) ? { pinned: true } : {};
    const createdAtMs = log.length + 1;
    return { ...marks, ...pin, id: `e${createdAtMs}`, createdAtMs };
  };
  const add = (entry: HistoryEntry): string => {
    log.push(entry);
    return entry.id;
  };
  return {
    log,
    say: (type: Plain, marks?: Marks) => add({ ...next(marks), type, content: contentOf(draw) }),
    upload: (messageId: string, marks?: Marks) =>
      add({ ...next(marks), type: "attachment", messageId, content: contentOf(draw) }),
    give: (agent: Agent, from: Agent | undefined, marks?: Marks) =>
      add({ ...next(marks), ...(from && { from }), agent, content: draw.text(), type: "task" }),
    /** Parallel calls and their results. */
    work: (marks?: Marks, isUnanswered = false) => {
      const count = draw.chance(0.7) ? 1 : 2 + draw.below(2);
      const toolCalls = Array.from({ length: count }, (_, nth) => ({
        id: reusesIds ? `call${nth}` : `call${(called += 1)}`,
        name: draw.pick(["look", "run", "search"]),
        arguments: draw.chance(0.1) ? draw.text() : "{}",
      }));
      const words = draw.chance(0.4) ? { content: draw.text() } : {};
      const actionId = add({ ...next(marks), ...words, toolCalls, type: "action" });
      const named = draw.chance(0.2) ? { actionId } : {};
      for (const { id, name } of toolCalls) {
        if (isUnanswered && draw.chance(0.5)) continue;
        const outcome = draw.pick(["success", "success", "error"]);
        const result = { ...next(marks), ...named, callId: id, toolName: name, outcome };
        const sources = draw.chance(0.15) ? { sources: sourcesOf(draw, log.length + 1) } : {};
        add({ ...result, ...sources, type: "observation", content: contentOf(draw) });
      }
    },
  };
}

function contentOf(draw: Draw): Content {
  if (!draw.chance(0.06)) return draw.text();
  const source = { kind: "url", url: "https://example.org/a.png" } as const;
  return [
    { type: "text", text: draw.text() },
    { type: "image", source },
  ];
}

function sourcesOf(draw: Draw, first: number): readonly Source[] {
  return Array.from({ length: 1 + draw.below(4) }, (_, nth) => {
    const number = first * 10 + nth;
    return { number, id: `s${number}`, text: draw.text() };
  });
}
