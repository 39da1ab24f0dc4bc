import {
  action,
  assistantMessage,
  delegation,
  final,
  globalObservation,
  observation,
  strategicPlan,
  synthesis,
  systemMessage,
  task,
  userMessage,
} from "@agent-history/core";
import type { Agent, HistoryEntry } from "@agent-history/core";

const ORCHESTRATOR: Agent = { id: "orchestrator", role: "orchestrator" };
const PHASES = ["search", "answer"] as const;

/** Makes a conversation of an orchestrator, two managers and two workers, in turns of 23 entries, plus one unfinished turn. */
export function longThread(turns: number): HistoryEntry[] {
  const instructions = systemMessage({ id: "system", createdAtMs: 0, content: "Answer briefly." });
  const finished = Array.from({ length: turns }, (_, turn) => turnOf(turn));
  return [instructions, ...finished.flat(), ...turnOf(turns).slice(0, -2)];
}

function turnOf(turn: number): HistoryEntry[] {
  const turnId = `turn-${turn}`;
  let index = 0;
  const base = (
    content: string,
  ): { id: string; createdAtMs: number; turnId: string; content: string } => {
    index += 1;
    return { id: `${turnId}.${index}`, createdAtMs: turn, turnId, content };
  };
  const opening = [
    userMessage(base("How many files are there, and which is the largest?")),
    strategicPlan({ ...base("Search, then answer."), agent: ORCHESTRATOR }),
  ];
  const phases = PHASES.flatMap((phaseId): HistoryEntry[] => {
    const manager: Agent = { id: `manager-${phaseId}`, role: "manager" };
    const worker: Agent = { id: `worker-${phaseId}`, role: "worker" };
    const given = task({
      ...base(`Do the ${phaseId}.`),
      agent: manager,
      from: ORCHESTRATOR,
      phaseId,
    });
    const handed = { agent: manager, phaseId, taskId: given.id } as const;
    const toWorker = delegation({ ...base("To one worker."), ...handed });
    const work = task({ ...base("List the folder."), agent: worker, from: manager, phaseId });
    const trace = { agent: worker, phaseId, taskId: work.id } as const;
    return [
      given,
      toWorker,
      work,
      ...[0, 1].flatMap((step) => exchange(base, `call-${step}`, trace)),
      globalObservation({ ...base("The folder is large."), ...trace }),
      final({ ...base("There are 12 files."), ...trace }),
      synthesis({ ...base(`The ${phaseId} is done.`), ...handed }),
    ];
  });
  return [...opening, ...phases, assistantMessage({ ...base("Twelve."), agent: ORCHESTRATOR })];
}

function exchange(
  base: (content: string) => { id: string; createdAtMs: number; turnId: string; content: string },
  callId: string,
  trace: { readonly agent: Agent; readonly phaseId: string; readonly taskId: string },
): HistoryEntry[] {
  const toolCalls = [{ id: callId, name: "list", arguments: '{"path":"."}' }];
  const answer = { callId, toolName: "list", outcome: "success" } as const;
  return [
    action({ ...base("I look."), ...trace, toolCalls }),
    observation({ ...base("a.ts 12 kB\n".repeat(40)), ...trace, ...answer }),
  ];
}
