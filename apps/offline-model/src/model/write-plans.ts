import { terms } from "../language/terms.ts";
import { readEvidence } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import { rankEvidence } from "./rank-evidence.ts";
import type { ReadPrompt } from "./read-prompt.ts";
import { requestOf } from "./request.ts";
import { resolveFollowUp } from "./resolve-follow-up.ts";
import { searchCall } from "./search-call.ts";
import { standingsOf } from "./standings.ts";
import { topicOf } from "./topic.ts";
import { readWorkers, workerFor } from "./worker-catalogue.ts";

const MAX_FILES = 4;
/** What explains a thing stands above it more often than below. */
const LINES_BEFORE = 70;
const LINES_AFTER = 20;

/** Plans two phases: find where the answer stands, then read it. */
export function writeStrategicPlan({ conversation }: ReadPrompt): string {
  const goal = resolveFollowUp(conversation);
  const phases = [
    { id: "find", goal: `Find the passages that answer: ${goal}` },
    { id: "read", goal: `Read what was found and quote what answers: ${goal}` },
  ];
  return JSON.stringify({ goal, phases });
}

/** Chooses the worker whose description shares most words with the question; the first where none does. */
export function writeWorkerChoice({ conversation, instructions }: ReadPrompt): string {
  const goal = resolveFollowUp(conversation);
  const { terms: wanted, paths } = topicOf(goal);
  const workers = readWorkers(instructions);
  const shared = (description: string): number =>
    terms(description).filter((term) => wanted.has(term)).length;
  const byWords = workers.toSorted((a, b) => shared(b.description) - shared(a.description))[0];
  const chosen = paths[0] === undefined ? byWords : workerFor(paths[0], workers);
  return JSON.stringify({ worker: chosen?.key ?? "", goal, reason: "its description is nearest" });
}

/** Divides a phase: each worker searches; where an earlier phase found something, one worker for each file reads it. */
export function writeSteps(prompt: ReadPrompt): string {
  const steps = divide(prompt).map(({ worker, goal }) => ({ worker, goal }));
  return JSON.stringify({ steps });
}

/** Divides a phase as {@link writeSteps} does, and writes down each call. */
export function writeScript(prompt: ReadPrompt): string {
  return JSON.stringify({ script: divide(prompt) });
}

interface PlannedStep {
  readonly worker: string;
  readonly goal: string;
  readonly calls: readonly { readonly tool: string; readonly arguments: object }[];
}

function divide({ task, syntheses, instructions }: ReadPrompt): readonly PlannedStep[] {
  const workers = readWorkers(instructions);
  const request = requestOf(task);
  if (syntheses.length === 0) {
    return workers.map(({ key, kind }) => ({
      worker: key,
      goal: `Search for passages that answer: ${request}`,
      calls: [{ tool: "search_text", arguments: searchCall(request, kind) }],
    }));
  }
  const lists = syntheses.map(readEvidence);
  const found = rankEvidence(lists.flat(), topicOf(request), {
    maxCount: Infinity,
    minShare: 0.4,
    standings: standingsOf(lists),
  });
  const byPath = new Map(found.toReversed().map((evidence) => [evidence.path, evidence]));
  return [...byPath.values()]
    .toReversed()
    .slice(0, MAX_FILES)
    .map((evidence) =>
      readingStep(evidence, request, workerFor(evidence.path, workers)?.key ?? ""),
    );
}

function readingStep(evidence: Evidence, request: string, worker: string): PlannedStep {
  const { path } = evidence;
  const startLine = Math.max(1, evidence.startLine - LINES_BEFORE);
  const endLine = evidence.endLine + LINES_AFTER;
  return {
    worker,
    goal: `Read \`${path}\` lines ${startLine}-${endLine} and quote what answers: ${request}`,
    calls: [{ tool: "read_passage", arguments: { path, startLine, endLine } }],
  };
}
