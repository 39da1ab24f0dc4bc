import { countOption, HistoryError, messageRole } from "@agent-history/core";
import type {
  Agent,
  Content,
  HistoryEntry,
  HistoryView,
  MessageRole,
  ModelWindow,
  Reducer,
  Reduction,
  ReductionPlan,
  ReductionRequest,
  Viewer,
} from "@agent-history/core";
import { jsonBytes } from "@agent-history/core/kit";

import { shownContent } from "./content.ts";
import { mapCalls, refuseRepairs, repairFor } from "./wire-rules.ts";
import type { WireRule } from "./wire-rules.ts";

/** What the provider of a format accepts, and how its requests are measured. */
export interface TargetFormat {
  /** Rules, in the order in which they are repaired. */
  readonly rules: readonly WireRule[];
  /** Returns an entry as the format writes it, for the counter; the same object if it is written unchanged. */
  readonly weigh: (entry: HistoryEntry, viewer: Viewer) => HistoryEntry;
  /** Returns the request body for these entries: messages, and tools and instructions if the format knows how they are sent. Default: unknown. */
  readonly request?: (
    entries: readonly HistoryEntry[],
    asked: Pick<ReductionRequest, "viewer" | "tools">,
  ) => object;
  /** Whether the provider requires the reasoning of a running exchange, whichever model wrote it. Default `false`. */
  readonly needsReasoning?: boolean;
}

/** Returns a target whose requests also have these fields, e.g. tools as they are sent, or instructions. */
export function sendingWith(target: TargetFormat, fields: object): TargetFormat {
  const { request } = target;
  if (request === undefined) return target;
  return { ...target, request: (entries, asked) => ({ ...request(entries, asked), ...fields }) };
}

/** What happens if a history breaks a rule of its provider. */
export interface RepairOption {
  /** `list` repairs it and lists each repair in the plan; `throw` fails with code `INVALID_ENTRY`. Default `list`. */
  readonly repair?: "list" | "throw" | undefined;
}

/** Options of every fitting hook. */
export interface FitOptions extends RepairOption {
  /** Reduces the history: `createReducer({ counter })` of `@agent-history/reducer`, or your own. */
  readonly reducer: Reducer;
  /** The model's context window, in tokens. */
  readonly window: ModelWindow;
  /** The agent that has the conversation. */
  readonly agent?: Agent | undefined;
  /** The view that the messages belong to. Default `thread`. */
  readonly view?: HistoryView | undefined;
}

/** A synchronous reducer. */
export interface SyncReducer extends Reducer {
  reduce(entries: readonly HistoryEntry[], request: ReductionRequest): Reduction;
}

/**
 * Repairs entries for a format, then reduces them, counting each entry as the format writes it. The plan lists the repairs first.
 *
 * @param reduce - Reduces the entries, synchronously or asynchronously.
 * @throws `HistoryError` with code `INVALID_ENTRY` if the history breaks a rule and `repair` is `throw`; with code `INVALID_OPTION` if `previousPlan` is not a plan.
 */
export function fitForTarget<
  Request extends ReductionRequest & RepairOption,
  Result extends Reduction | Promise<Reduction>,
>(
  target: TargetFormat,
  entries: readonly HistoryEntry[],
  request: Request,
  reduce: (entries: readonly HistoryEntry[], request: Request) => Result,
): Result {
  const { viewer, previousPlan } = request;
  requirePlan(previousPlan);
  const { entries: repaired, repairs } = repairFor(target, entries, viewer);
  if (request.repair === "throw") refuseRepairs(repairs);
  const result = reduce(repaired, {
    ...request,
    ...measuresOf(target, request),
    previousPlan: previousPlan && withoutFormatRepairs(previousPlan),
  });
  if (repairs.length === 0) return result;
  const listed = ({ plan, ...rest }: Reduction): Reduction => ({
    ...rest,
    plan: { ...plan, repairs: [...repairs, ...plan.repairs] },
  });
  const given: Reduction | Promise<Reduction> = result;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a promise stays one
  return ("then" in given ? given.then(listed) : listed(given)) as Result;
}

/** Fits entries for a target with the options of a hook, as {@link fitForTarget} does. */
export function fitWithOptions(
  { reducer, window, agent, view, repair }: FitOptions,
  target: TargetFormat,
  entries: readonly HistoryEntry[],
  asked: Pick<ReductionRequest, "tools" | "previousPlan" | "signal">,
): Reduction | Promise<Reduction> {
  const request = { ...asked, window, view, repair, viewer: viewerOf(agent) };
  return fitForTarget(target, entries, request, (some, how) => reducer.reduce(some, how));
}

/** Returns how requests of a format are measured: each entry as it is written, and the bytes of the request. */
export function measuresOf(
  { weigh, request }: TargetFormat,
  asked: Pick<ReductionRequest, "viewer" | "tools">,
): Pick<ReductionRequest, "bytesOf"> & { readonly asWritten: TargetFormat["weigh"] } {
  return {
    asWritten: weigh,
    ...(request && { bytesOf: (sent) => jsonBytes(request(sent, asked)) }),
  };
}

function requirePlan(plan: unknown): void {
  const isPlan = typeof plan === "object" && plan !== null && "decisions" in plan;
  if (plan === undefined || (isPlan && Array.isArray(plan.decisions))) return;
  throw invalid("previousPlan", "to be the `plan` of an earlier call");
}

/** Formats repair again at each call, so the reducer gets the plan without their repairs. */
function withoutFormatRepairs(plan: ReductionPlan): ReductionPlan {
  const own = (plan.repairs ?? []).filter(({ rule }) => rule === undefined);
  return own.length === plan.repairs?.length ? plan : { ...plan, repairs: own };
}

/**
 * Makes the `weigh` function of a format that leaves out, or replaces with a line, content of other formats that it cannot write.
 *
 * @param name - `origin.format` of the entries that are written unchanged.
 * @param portable - Returns content of another format as written for a role; the same object if it is written unchanged.
 */
export function portableWeight(
  name: string,
  portable: (content: Content, role: MessageRole) => Content,
): TargetFormat["weigh"] {
  return (given, viewer) => {
    if (given.origin?.format === name) return given;
    const entry = withoutExtra(given);
    const shown = shownContent(entry);
    if (shown === undefined || typeof shown === "string") return entry;
    const content = portable(shown, messageRole(entry, viewer));
    if (content === shown) return entry;
    // `content` replaces all fields that are shown.
    const bare = Object.entries(entry).filter(([key]) => !SHOWN.has(key));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry of the same type
    return { ...Object.fromEntries(bare), content } as HistoryEntry;
  };
}

const SHOWN = new Set(["content", "rendered", "name", "sources"]);

/** Returns an entry without data that only its own format writes. */
function withoutExtra(entry: HistoryEntry): HistoryEntry {
  const bare = mapCalls(entry, (call) => {
    const { extra, ...foreign } = call;
    return extra === undefined ? call : foreign;
  });
  if (bare.origin?.extra === undefined) return bare;
  const { extra: _, ...origin } = bare.origin;
  return { ...bare, origin };
}

/** Returns the viewer for an agent. */
export function viewerOf(agent: Agent | undefined): Viewer {
  return agent === undefined ? {} : { agentId: agent.id };
}

/**
 * Returns the result of a synchronous reducer.
 *
 * @param other - The function that accepts asynchronous reducers, for the error.
 * @throws `HistoryError` with code `INVALID_OPTION` if the result is a promise.
 */
export function requireSync(result: Reduction | Promise<Reduction>, other: string): Reduction {
  if ("entries" in result) return result;
  throw invalid("reducer", `to be synchronous; ${other} also accepts asynchronous ones`);
}

/** Number of conversations that {@link conversationMemory} keeps. */
const MAX_CONVERSATIONS = 100;

/** State per conversation for hooks that do not receive it, e.g. the newest plan. */
export interface ConversationMemory<Kept> {
  /** @param whose - Distinguishes several agents of one conversation. */
  readonly find: (entries: readonly HistoryEntry[], whose?: string) => Kept | undefined;
  readonly keep: (entries: readonly HistoryEntry[], kept: Kept, whose?: string) => void;
}

/**
 * Keeps a value for each of the last 100 conversations. A conversation is recognized by the ids of its last call's entries, which it continues; an edited one
 * gets the newest value whose conversation begins with the same entry. Conversations with the same beginning do not overwrite each other.
 */
export function conversationMemory<Kept>(): ConversationMemory<Kept> {
  const known: {
    readonly whose: string;
    readonly first: string | undefined;
    readonly ids: readonly string[];
    readonly kept: Kept;
  }[] = [];
  const continuedIndex = (entries: readonly HistoryEntry[], whose: string): number =>
    known.findLastIndex(
      (one) => one.whose === whose && one.ids.every((id, index) => entries[index]?.id === id),
    );
  return {
    find(entries, whose = "") {
      const first = openingOf(entries);
      const alike = known.findLast((one) => one.whose === whose && one.first === first);
      return (known[continuedIndex(entries, whose)] ?? alike)?.kept;
    },
    keep(entries, kept, whose = "") {
      const index = continuedIndex(entries, whose);
      if (index >= 0) known.splice(index, 1);
      else if (known.length >= MAX_CONVERSATIONS) known.shift();
      known.push({ whose, first: openingOf(entries), ids: entries.map(({ id }) => id), kept });
    },
  };
}

/** Skips system messages, which change more often. */
function openingOf(entries: readonly HistoryEntry[]): string | undefined {
  return entries.find(({ type }) => type !== "system_message")?.id;
}

/**
 * Checks the options of a hook when it is created, rather than at its first call, and returns them.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if there is no reducer, or no window in whole tokens that has room for what it reserves.
 *
 * @example
 * ```ts
 * import { isHistoryError } from "@agent-history/core";
 * import { checkFitOptions } from "@agent-history/format-kit";
 *
 * const reducer = { name: "none", reduce: () => ({ entries: [], plan: {} as never }) };
 * let failure: unknown;
 * try {
 *   checkFitOptions({ reducer, window: { contextTokens: -1 } });
 * } catch (error) {
 *   failure = error;
 * }
 * isHistoryError(failure, "INVALID_OPTION");
 * // => true
 * ```
 */
export function checkFitOptions<Options extends Pick<FitOptions, "reducer" | "window">>(
  options: Options,
): Options {
  if (typeof options?.reducer?.reduce !== "function") {
    throw invalid("reducer", "to have `reduce`: pass createReducer() of @agent-history/reducer");
  }
  const { window } = options;
  if (typeof window?.contextTokens !== "number") {
    throw invalid("window", "to have `contextTokens`");
  }
  const context = countOption("window.contextTokens", window.contextTokens);
  const reserve = countOption("window.outputReserveTokens", window.outputReserveTokens ?? 0);
  const margin = countOption("window.marginTokens", window.marginTokens ?? 0);
  if (context - reserve - margin >= 0) return options;
  throw invalid("window", `to reserve at most its ${context} tokens, got ${reserve} + ${margin}`);
}

function invalid(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
