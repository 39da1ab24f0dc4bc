import {
  action,
  assistantMessage,
  final,
  observation,
  synthesis,
  task,
  userMessage,
} from "@agent-history/core";
import type { Agent, HistoryEntry } from "@agent-history/core";
import * as fc from "fast-check";

export const LEAD: Agent = { id: "lead", role: "orchestrator" };
export const PLANNER: Agent = { id: "planner", role: "manager" };
export const READERS: readonly Agent[] = [
  { id: "reader-0", role: "worker" },
  { id: "reader-1", role: "worker" },
];

/** What a team's thread is after a step. Three changes of four are made where something is quoted, if anything is. */
export type TeamStep = (
  thread: readonly HistoryEntry[],
  nth: number,
  quoted: readonly string[],
) => readonly HistoryEntry[];

const THINGS = ["kayak", "violin", "garden", "telescope", "bakery", "motorbike"];
type Kind =
  | "ask"
  | "tell"
  | "answer"
  | "instruct"
  | "assign"
  | "work"
  | "report"
  | "sum"
  | "edit"
  | "erase";

/** Every text has a mark of its own, by which it is found wherever it is shown. */
export const MARK = /\bmark\d+x\b/gu;

/** Generates what an orchestrator, a manager and two workers do one after the other, and what somebody edits and erases of it. */
export function arbitraryTeamSteps(): fc.Arbitrary<readonly TeamStep[]> {
  const users = fc.constantFrom<Kind>("ask", "tell", "tell", "answer");
  const team = fc.constantFrom<Kind>("instruct", "assign", "work", "report", "report", "sum");
  const changes = fc.constantFrom<Kind>("edit", "edit", "erase");
  // A conversation with a little work between, or one turn with much.
  const pools = fc.constantFrom([users, users, team, changes], [team, team, users, team, changes]);
  return pools.chain((kinds) => {
    const fields = {
      thing: fc.nat(5),
      who: fc.nat(1),
      at: fc.nat(),
      long: fc.integer({ min: 2, max: 8 }),
    };
    const step = fc.record({ kind: fc.oneof(...kinds), ...fields });
    return fc
      .tuple(fc.array(step, { minLength: 25, maxLength: 40, size: "max" }), fc.boolean())
      .map(([steps, hasTurnIds]) =>
        steps.map((one): TeamStep => {
          return (thread, nth, quoted) => {
            const isAnywhere = one.at % 4 === 0;
            const id = isAnywhere ? undefined : quoted[one.at % Math.max(1, quoted.length)];
            const index = thread.findIndex((entry) => entry.id === id);
            const at = index < 0 ? one.at % Math.max(1, thread.length) : index;
            return doStep({ ...one, at, hasTurnIds }, thread, nth);
          };
        }),
      );
  });
}

interface StepData {
  readonly kind: Kind;
  readonly thing: number;
  readonly who: number;
  readonly at: number;
  readonly long: number;
  /** Without, what an agent's view shows of an open turn is quoted too. */
  readonly hasTurnIds: boolean;
}

function doStep(
  { kind, thing, who, at, long, hasTurnIds }: StepData,
  thread: readonly HistoryEntry[],
  nth: number,
): readonly HistoryEntry[] {
  const about = THINGS[thing] ?? "";
  const said = `They painted the ${about}, mark${nth}x. ${`The ${about} was old. `.repeat(long)}`;
  const found = thread[at];
  if (kind === "erase") return thread.toSpliced(at, 1);
  if (kind === "edit") {
    return found === undefined || found.type === "action"
      ? thread
      : thread.with(at, { ...found, content: `Edited: ${said}` });
  }
  const added = entriesOf({ kind, who, said, about }, thread, nth);
  return thread.concat(hasTurnIds ? added : added.map(({ turnId: _, ...entry }) => entry));
}

/** What an agent adds. It works under its last task, and everything belongs to the turn of the last user message. */
function entriesOf(
  {
    kind,
    who,
    said,
    about,
  }: {
    readonly kind: Exclude<StepData["kind"], "edit" | "erase">;
    readonly who: number;
    readonly said: string;
    readonly about: string;
  },
  thread: readonly HistoryEntry[],
  nth: number,
): readonly HistoryEntry[] {
  const turnId = thread.findLast(({ type }) => type === "user_message")?.turnId ?? "turn";
  const fields = { id: `${kind}${nth}`, createdAtMs: 1 + nth * 40_000_000, turnId };
  const agent = READERS[who] ?? PLANNER;
  const own = thread.findLast((entry) => entry.type === "task" && entry.agent?.id === agent.id);
  const working = { agent, ...(own && { taskId: own.id }) };
  const asked = `Who painted the ${about}? mark${nth}x`;
  switch (kind) {
    case "ask":
      return [userMessage({ ...fields, turnId: `turn${nth}`, content: asked })];
    case "tell":
      return [
        userMessage({ ...fields, turnId: `turn${nth}`, content: said }),
        assistantMessage({ ...fields, id: `noted${nth}`, turnId: `turn${nth}`, content: "Noted." }),
      ];
    case "answer":
      return [assistantMessage({ ...fields, content: said })];
    case "instruct":
      return [task({ ...fields, agent: PLANNER, from: LEAD, content: asked })];
    case "assign":
      return [task({ ...fields, agent, from: PLANNER, content: asked })];
    case "work": {
      const call = { id: "c", name: "read", arguments: "{}" };
      const result = { callId: "c", toolName: "read", outcome: "success" } as const;
      return [
        action({ ...fields, ...working, content: `I look, mark${nth}x.`, toolCalls: [call] }),
        observation({ ...fields, ...working, ...result, id: `result${nth}`, content: said }),
      ];
    }
    case "report":
      return [final({ ...fields, ...working, content: said })];
    case "sum":
      return [synthesis({ ...fields, agent: PLANNER, phaseId: nth, content: said })];
  }
}
