import type {
  ActionEntry,
  AssistantMessageEntry,
  DelegationEntry,
  EntryFields,
  ErrorEntry,
  FinalEntry,
  GlobalObservationEntry,
  HistoryEntry,
  HistoryQuery,
  MemoryEntry,
  ObservationEntry,
  PhaseId,
  ReadResult,
  Source,
  StrategicPlanEntry,
  SynthesisEntry,
  TaskEntry,
  ToolHandler,
} from "@agent-history/core";

import type { ModelCallHistory, ModelCallRequest } from "./model-call.ts";
import type { RecallToolLimits, RecallToolOptions } from "./recall-tool-options.ts";
import type { Scope } from "./scope.ts";
import type { ProviderUsage, ThreadUsage } from "./thread-usage.ts";
import type { ToolCallResult, UnnumberedSource } from "./tool-call-result.ts";
import type { AddedUserMessage, NewUserMessage } from "./user-message.ts";
import type { CompressViewOptions, ViewCompression } from "./view-compression.ts";

/** What every verb takes beside its subject. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * The one object that an agent's loop talks to: it keeps what happens, at once, and builds each prompt.
 *
 * Laws: what an `add…` verb gave back is in the store; the same id with the same content is kept once; a citation number,
 * once given, means the same source permanently (L6), whoever asks from whichever process; a new manager on the same thread
 * goes on exactly where the other stopped.
 */
export interface HistoryManager extends HistoryScopes, HistoryWriter, HistoryReader, ThreadKeeper {
  readonly threadId: string;
  /** Where it stands: what it fills in. */
  readonly scope: Scope;
}

/** Moves to a turn, a phase, a task or an agent: the same thread, another scope. Managers of one thread share all but the scope. */
export interface HistoryScopes {
  /** The same manager in another scope: what `scope` names goes before its own. */
  withScope(scope: Scope): HistoryManager;
  /** A new turn, from the user's message to the answer. Name it to continue it after a restart. Writes nothing yet. */
  beginTurn(turn?: string | TurnOptions): HistoryManager;
  /** A phase of this turn. Phases are ordered by when the first of their entries is written. */
  beginPhase(phaseId: PhaseId): HistoryManager;
  /** The scope of the one who does a task: its turn, phase, agent and the task itself. */
  forTask(task: TaskEntry): HistoryManager;
}

/** How a turn begins. */
export interface TurnOptions {
  /** Default: a new id. */
  readonly turnId?: string | undefined;
  /**
   * The version that the thread must have when the turn's first entry is written, as a read gave it; else that write is refused
   * with `VERSION_CONFLICT`, and so are later ones of this turn. Of a request that is sent twice one begins a turn; the other is refused, not
   * queued. Default: any.
   */
  readonly expectedVersion?: number | undefined;
}

/** Keeps what happens. Each verb gives back what was kept, and fills in the place where the fields leave it out. */
export interface HistoryWriter {
  /** Keeps what the user asks: the original, what the model is shown instead of it, and what was attached, in one write. */
  addUserMessage(message: NewUserMessage, options?: CallOptions): Promise<AddedUserMessage>;
  /** Keeps the answer to the user. */
  addAssistantMessage(
    fields: EntryFields<"assistant_message">,
    options?: CallOptions,
  ): Promise<AssistantMessageEntry>;
  /** Keeps one answer of a model that calls tools, before they run. */
  addToolCalls(fields: EntryFields<"action">, options?: CallOptions): Promise<ActionEntry>;
  /** Keeps what tools gave, several at once where they ended together. Their sources get their numbers here. */
  addToolCallResults(
    results: readonly ToolCallResult[],
    options?: CallOptions,
  ): Promise<readonly ObservationEntry[]>;
  /** Keeps work that is given to `agent`. Who gives it is the agent of the scope. */
  addTask(fields: EntryFields<"task">, options?: CallOptions): Promise<TaskEntry>;
  /** Keeps that work is handed on: a `delegation` for the one who gives it and the `task` of the one who gets it, in one write. */
  delegate(fields: EntryFields<"task">, options?: CallOptions): Promise<TaskEntry>;
  addDelegation(fields: EntryFields<"delegation">, options?: CallOptions): Promise<DelegationEntry>;
  /** Keeps the orchestrator's plan. */
  addPlan(
    fields: EntryFields<"strategic_plan">,
    options?: CallOptions,
  ): Promise<StrategicPlanEntry>;
  /** Keeps what a manager makes of its phase. */
  addSynthesis(fields: EntryFields<"synthesis">, options?: CallOptions): Promise<SynthesisEntry>;
  /** Keeps what an agent hands up when its task is done. */
  addFinal(fields: EntryFields<"final">, options?: CallOptions): Promise<FinalEntry>;
  /** Keeps what was recalled from a memory outside the thread. */
  addMemory(fields: EntryFields<"memory">, options?: CallOptions): Promise<MemoryEntry>;
  /** Keeps what failed outside a call. */
  addError(fields: EntryFields<"error">, options?: CallOptions): Promise<ErrorEntry>;
  /** Keeps what every agent of the turn may see. */
  addGlobalObservation(
    fields: NewGlobalObservation,
    options?: CallOptions,
  ): Promise<GlobalObservationEntry>;
  /**
   * Keeps entries that are made already, such as a message format gives, and fills in the place where they leave it out. More than one
   * write where they are many. Entries whose ids the format derived (`origin.derivedId`) get ids of their own, as equal messages
   * have equal derived ids. The same objects once more are a retry, and so is the same id with the same content.
   */
  append(entries: readonly HistoryEntry[], options?: CallOptions): Promise<readonly HistoryEntry[]>;
  /** Adds what the provider reported of one model call of this scope's agent, for {@link HistoryReader.usage}. The same `id` is counted once. */
  addUsage(usage: ProviderUsage & { readonly id?: string }, options?: CallOptions): Promise<void>;
  /**
   * Writes what a whole conversation has beyond its longest common prefix with the thread, and returns that. An edited message replaces everything from
   * there on (`branchFrom` first keeps the old version); a conversation that only ends earlier replaces nothing. Reads the log.
   */
  sync(entries: readonly HistoryEntry[], options?: CallOptions): Promise<readonly HistoryEntry[]>;
}

/** What every agent may see, with sources that have no numbers yet. */
export type NewGlobalObservation = Omit<EntryFields<"global_observation">, "sources"> & {
  readonly sources?: readonly UnnumberedSource[];
};

/** What a read takes beside its query. */
export interface ReadOptions extends CallOptions {
  /** Reads the log as it was written, without compactions. Default `false`. */
  readonly originals?: boolean | undefined;
}

/** Reads the thread; what was asked to be kept before is there, awaited or not. */
export interface HistoryReader {
  /**
   * Builds a prompt: reads what the role may see, cleans it, replaces the original user message by the rendered one, and trims it to the context window. Continues
   * the plan of the call before, which the store keeps.
   *
   * @throws `HistoryError` with code `WINDOW_TOO_SMALL` if what must be kept does not fit, `INVALID_OPTION` where the role has no filter,
   *   `NOT_FOUND` where `originalUserMessage` is not in the view, and what store, filter, cleaner, counter and reducer throw.
   */
  historyForModelCall(request: ModelCallRequest, options?: CallOptions): Promise<ModelCallHistory>;
  /** Reads the thread as the store does. */
  read(query?: HistoryQuery, options?: ReadOptions): Promise<ReadResult>;
  /** Returns the sources that a text cites, in the order it cites them; a number that was never given is left out. Reads the results of the log. */
  citedSources(text: string, options?: CallOptions): Promise<readonly Source[]>;
  /**
   * Returns the tools by which the model of this scope looks back at the originals of what it may see: {@link recallTools} with the store, the counter, and
   * the filter of the scope's role.
   */
  recallTools(
    options?: RecallToolLimits & Pick<RecallToolOptions, "filter">,
  ): readonly ToolHandler[];
  /** Counts what the thread costs, and adds up what providers reported. Plain JSON. Reads the log. */
  usage(options?: CallOptions): Promise<ThreadUsage>;
}

/** Works on the thread as a whole. */
export interface ThreadKeeper {
  /** Asks the compressor for summaries of a view, and keeps each over what it covers. Strategy, model and tail may be of this call. */
  compress(options?: CompressViewOptions): Promise<ViewCompression>;
  /** Undoes one summary: what it covered is shown again. */
  expand(summaryId: string, options?: CallOptions): Promise<void>;
  /** Begins a thread `<threadId>/<as>` with the entries up to `at`, and gives a manager on it. */
  fork(fork: { readonly at: string; readonly as: string } & CallOptions): Promise<HistoryManager>;
  /** Goes back to an entry: a fork that ends with it, under a new name. The thread stays as it is. */
  branchFrom(entryId: string, options?: CallOptions): Promise<HistoryManager>;
}
