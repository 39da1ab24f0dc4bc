import type {
  Agent,
  HistoryEntry,
  HistoryQuery,
  HistoryView,
  PhaseId,
  QueryClause,
} from "@agent-history/core";
import {
  agentView,
  CONVERSATION_TYPES,
  customEntry,
  EXECUTION_TRACE_TYPES,
} from "@agent-history/core";

/** Random choices that are the same for the same seed. */
export interface Dice {
  /** A whole number from 0, below `end`. */
  readonly below: (end: number) => number;
  /** True once in `times`. */
  readonly once: (times: number) => boolean;
  readonly pick: <Value>(values: readonly [Value, ...Value[]]) => Value;
  /** One of what a log has, or the fallback. */
  readonly pickOr: <Value>(values: readonly Value[], fallback: Value) => Value;
}

/** Makes dice (mulberry32). */
export function diceOf(seed: number): Dice {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    below,
    once: (times) => below(times) === 0,
    pick: (values) => values[below(values.length)] ?? values[0],
    pickOr: (values, fallback) => values[below(values.length)] ?? fallback,
  };
}

interface Call {
  readonly id: string;
  readonly agent: Agent;
  readonly actionId?: string;
}

const AGENTS: readonly [Agent, ...Agent[]] = [
  { id: "o", role: "orchestrator" },
  { id: "m", role: "manager" },
  { id: "w1", role: "worker" },
  { id: "w2", role: "worker" },
];
const PHASES: readonly [PhaseId, ...PhaseId[]] = ["p1", "p2", 1];
/** The views that random threads are compacted in. */
export const RANDOM_VIEWS: readonly [HistoryView, ...HistoryView[]] = [
  "conversation",
  "thread",
  agentView("w1"),
  agentView("o"),
];

/** What was written of a log so far, for what names it. */
interface Writing {
  readonly dice: Dice;
  readonly tasks: string[];
  readonly messages: string[];
  readonly calls: Call[];
}

/** One entry that is being made. */
interface Draft extends Writing {
  readonly base: { readonly id: string; readonly createdAtMs: number };
  readonly agent: Agent;
  readonly content: string;
  /** An id of the log, of an entry that may not be there yet. */
  readonly anyId: () => string;
  /** The task that it is written under, if any. */
  readonly under: { readonly taskId?: string };
}

/**
 * Makes a log as no agent would write it: turn ids that are missing, late or repeated, turns begun by tasks, tasks that are named before they exist, call ids used
 * twice, calls made by calls, results of nothing, attachments before their message, pins anywhere.
 */
export function randomLog(dice: Dice, length: number, prefix = "e"): readonly HistoryEntry[] {
  const { below, once, pick, pickOr } = dice;
  const mode = pick(["turned", "bare", "mixed", "tasks", "turned"]);
  const writing: Writing = { dice, tasks: [], messages: [], calls: [] };
  const anyId = (): string => `${prefix}${below(length)}`;
  let turn = 0;
  return Array.from({ length }, (_, nth) => {
    const chosen = below(100);
    // Below 12 are messages, which a log of tasks does not have.
    const kind = chosen < 12 && mode === "tasks" ? 12 : chosen;
    if (kind < 12) turn += 1;
    const isLate = mode === "mixed" && once(12);
    const isBare = mode === "bare" || (mode === "mixed" && once(3));
    const id = `${prefix}${nth}`;
    const { tasks } = writing;
    const isUnder = tasks.length > 0 && !once(3);
    return entryOf(kind, {
      ...writing,
      base: {
        id,
        // Clocks step backwards, too.
        createdAtMs: below(5000),
        ...(!isBare && { turnId: `t${isLate ? below(turn + 1) : turn}` }),
        ...(once(25) && { pinned: true }),
        ...(once(10) && { phaseId: pick(PHASES) }),
      },
      agent: pick(AGENTS),
      content: "x".repeat(below(30)),
      anyId,
      under: isUnder ? { taskId: once(20) ? anyId() : pickOr(tasks.slice(-3), id) } : {},
    });
  });
}

function entryOf(kind: number, draft: Draft): HistoryEntry {
  const { dice, base, agent, content, under, messages } = draft;
  const { once, pick, pickOr } = dice;
  if (kind < 12) {
    messages.push(base.id);
    return { type: "user_message", ...base, content, ...(once(20) && { agent }) };
  }
  if (kind < 20)
    return { type: "assistant_message", ...base, content, ...(once(2) && { agent: AGENTS[0] }) };
  if (kind < 23) {
    const messageId = pickOr(messages.slice(-2), draft.anyId());
    return { type: "attachment", ...base, name: "file.txt", messageId, content };
  }
  if (kind < 25) return { type: "system_message", ...base, content, ...(once(3) && { agent }) };
  if (kind < 27) return { type: "memory", ...base, content, trust: "user" };
  if (kind < 80) return traceOf(kind, draft);
  if (kind < 85) return { type: "final", ...base, agent, content, ...under };
  if (kind < 88)
    return { type: "synthesis", ...base, phaseId: pick(PHASES), agent, content, ...under };
  if (kind < 91) return { type: "global_observation", ...base, agent, content };
  if (kind < 94)
    return { type: "strategic_plan", ...base, content, ...(once(2) && { agent: AGENTS[0] }) };
  if (kind < 97) return { type: "delegation", ...base, agent: AGENTS[0], content };
  if (kind < 98) return { type: "error", ...base, agent, content, ...under };
  if (kind < 99) return { type: "summary", ...base, content, strategy: "s", trust: "user" };
  return customEntry({ ...base, type: "note", stars: 5 });
}

/** A task, a call or a result. */
function traceOf(kind: number, draft: Draft): HistoryEntry {
  const { dice, base, agent, content, under, tasks, calls } = draft;
  const { once, pick, pickOr } = dice;
  const { id } = base;
  if (kind < 38) {
    tasks.push(id);
    const from = once(2) ? { from: pick([AGENTS[0], AGENTS[1] ?? AGENTS[0]]) } : {};
    return { type: "task", ...base, agent, content, ...from, ...(once(6) && under) };
  }
  if (kind < 58) {
    const callerId = calls.length > 0 && once(40) ? pickOr(calls, calls[0])?.id : undefined;
    const call = {
      id: once(8) ? "same" : `c${id}`,
      name: "f",
      arguments: "{}",
      ...(callerId !== undefined && { callerId }),
    };
    calls.push({ id: call.id, agent, actionId: id });
    const second = once(6) ? [{ id: `d${id}`, name: "g", arguments: "{}" }] : [];
    return { type: "action", ...base, agent, toolCalls: [call, ...second], ...under };
  }
  const call = pickOr<Call>(once(5) ? calls : calls.slice(-3), { id: "none", agent });
  return {
    type: "observation",
    ...base,
    agent: call.agent,
    callId: call.id,
    toolName: "f",
    outcome: "success",
    content,
    ...(call.actionId !== undefined && once(10) && { actionId: call.actionId }),
    ...under,
  };
}

/** Makes a query about a log: what roles ask for, a tail, or clauses of any conditions; in a view, in a range, within a limit. */
export function randomQuery(dice: Dice, log: readonly HistoryEntry[]): HistoryQuery {
  const { below, once, pick, pickOr } = dice;
  const ids = log.map(({ id }) => id);
  const id = (): string => (once(15) ? "gone" : pickOr(ids, "gone"));
  const query = baseQuery();
  const view = query.view ?? (once(3) ? pick(RANDOM_VIEWS) : undefined);
  return {
    ...query,
    ...(view !== undefined && { view }),
    ...(once(3) && { maxEntries: pick([0, 1, 3, 10]) }),
    ...(once(8) && { maxBytes: pick([100, 1000]) }),
    ...(once(5) && { before: id() }),
    ...(once(5) && { after: id() }),
    ...(once(2) && { wholeExchanges: true }),
  };

  function baseQuery(): HistoryQuery {
    const kind = below(10);
    if (kind < 2) return workerQuery(dice);
    if (kind < 4) return orchestratorQuery(dice);
    if (kind < 5) return managerQuery(dice);
    if (kind < 6) return { clauses: [{}] };
    return { clauses: Array.from({ length: 1 + below(3) }, () => randomClause(dice, log)) };
  }
}

function randomClause(dice: Dice, log: readonly HistoryEntry[]): QueryClause {
  const { below, once, pick, pickOr } = dice;
  const ids = log.map(({ id }) => id);
  const turns = log.flatMap(({ turnId }) => turnId ?? []);
  const agent = (): string => (once(8) ? "none" : pick(AGENTS).id);
  const choices: readonly [() => QueryClause, ...(() => QueryClause)[]] = [
    () => ({ types: [...pick(TYPES)] }),
    () => ({ types: [...pick(TYPES)] }),
    () => ({ turn: once(2) ? { newest: true } : { id: pickOr(turns, "gone") } }),
    () => {
      const count = pick([0, 1, 2, 3, 8, Infinity]);
      return { lastTurns: { count, ...(count > 1 && once(4) && { stride: 2 }) } };
    },
    () => ({ agent: agent() }),
    () => ({ role: pick(["worker", "orchestrator"]) }),
    () => ({ unowned: true }),
    () => ({ task: pickOr(ids, "gone") }),
    () => ({ lastTask: once(4) ? {} : { of: agent() } }),
    () => ({ lastTask: { of: agent() } }),
    () => ({ underTaskFrom: pick(["o", "m"]) }),
    () => ({ underTaskFromRole: "orchestrator" }),
    () => ({ standsInView: true }),
    () => ({ attachedToShown: true }),
    () => ({ phases: [pick(PHASES)] }),
    () => ({ beforePhase: { id: pick(PHASES), ...(once(2) && { count: 1 }) } }),
    () => ({ ids: [pickOr(ids, "gone"), pickOr(ids, "gone"), "gone"] }),
  ];
  const conditions = Array.from({ length: 1 + below(3) }, () => pick(choices)());
  return Object.assign({}, ...conditions);
}

const TYPES: readonly [readonly string[], ...(readonly string[])[]] = [
  CONVERSATION_TYPES,
  EXECUTION_TRACE_TYPES,
  ["final"],
  ["synthesis"],
  ["system_message", "memory", "summary"],
  ["attachment"],
  ["summary"],
  ["task"],
  ["global_observation"],
  ["note", "user_message"],
  [],
];

/** What every role sees besides. */
function shared(agent: string): readonly QueryClause[] {
  const types = ["system_message", "memory", "summary"] as const;
  return [
    { types, unowned: true },
    { types, agent },
    { types: ["summary"], standsInView: true },
    { types: ["attachment"], attachedToShown: true },
  ];
}

function workerQuery({ pick, once }: Dice): HistoryQuery {
  const agent = pick(["w1", "w2"]);
  const turn = { newest: true } as const;
  const memory = pick<QueryClause>([{ turn, lastTask: { of: agent } }, { turn }, {}]);
  return {
    clauses: [
      { types: [...EXECUTION_TRACE_TYPES, "final"], agent, ...memory },
      { types: ["global_observation"], turn },
      ...shared(agent),
    ],
    ...(once(2) && { view: agentView(agent) }),
  };
}

function orchestratorQuery({ pick, once }: Dice): HistoryQuery {
  const turn = { newest: true } as const;
  const reports: readonly QueryClause[] = [
    { types: ["strategic_plan", "delegation"], turn, agent: "o" },
    { types: ["final"], turn, underTaskFrom: "o" },
    { types: ["synthesis"], turn },
  ];
  return {
    clauses: [
      { types: CONVERSATION_TYPES, lastTurns: { count: pick([1, 2, 3, 8]) } },
      ...(once(2) ? reports : []),
      ...shared("o"),
    ],
    view: "conversation",
  };
}

function managerQuery({ pick }: Dice): HistoryQuery {
  const turn = { newest: true } as const;
  const phase = pick(PHASES);
  return {
    clauses: [
      {
        types: ["synthesis"],
        turn,
        beforePhase: { id: phase, ...pick([{}, { count: 1 }]) },
      },
      { types: ["task"], turn, agent: "m", lastTask: { of: "m" } },
      { types: ["strategic_plan", "delegation"], turn, agent: "m", phases: [phase] },
      { types: ["final"], turn, underTaskFrom: "m", phases: [phase] },
      ...shared("m"),
    ],
    view: agentView("m"),
  };
}
