import type {
  ActionEntry,
  Agent,
  AssistantMessageEntry,
  AttachmentEntry,
  Compaction,
  CompressionCall,
  CompressionOutcome,
  Content,
  DelegationEntry,
  EntryFields,
  ErrorEntry,
  FinalEntry,
  GlobalObservationEntry,
  HistoryEntry,
  HistoryQuery,
  HistoryView,
  JsonObject,
  MemoryEntry,
  ObservationEntry,
  PhaseId,
  ReadResult,
  Source,
  StrategicPlanEntry,
  SynthesisEntry,
  TaskEntry,
  ToolAnswer,
  ToolHandler,
  UserMessageEntry,
} from "@agent-history/core";

import type { ModelCallHistory, ModelCallRequest } from "./model-call.ts";
import type { RecallToolLimits, RecallToolOptions } from "./recall-tools.ts";

/** Options common to all methods. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * One object for an agent loop: it stores each entry immediately and builds each prompt.
 *
 * Laws: what an `add…` method returned is stored; the same id with the same content is stored once; a citation number
 * means the same source permanently (L6), in every process; a new manager on the same thread
 * resumes exactly where the other stopped.
 */
export interface HistoryManager extends HistoryScopes, HistoryWriter, HistoryReader, ThreadKeeper {
  readonly threadId: string;
  /** The scope that it fills in. */
  readonly scope: Scope;
}

/** Returns managers for the same thread in another scope: a turn, phase, task or agent. They share everything but the scope. */
export interface HistoryScopes {
  /** The same manager in another scope; fields of `scope` override its own. */
  withScope(scope: Scope): HistoryManager;
  /** A new turn, from the user's message to the answer. Name it to continue it after a restart. Writes nothing yet. */
  beginTurn(turn?: string | TurnOptions): HistoryManager;
  /** A phase of this turn. Phases are ordered by their first entry. */
  beginPhase(phaseId: PhaseId): HistoryManager;
  /** The scope of the agent that does a task: its turn, phase, agent and the task itself. */
  forTask(task: TaskEntry): HistoryManager;
}

/** Options of a new turn. */
export interface TurnOptions {
  /** Default: a new id. */
  readonly turnId?: string | undefined;
  /**
   * The version that the thread must have when the turn's first entry is written, as returned by a read; otherwise that write fails
   * with `VERSION_CONFLICT`, and so do later ones of this turn. If a request is sent twice, one begins a turn and the other is refused, not
   * queued. Default: any.
   */
  readonly expectedVersion?: number | undefined;
}

/** Stores entries. Each method fills in missing fields from the scope and returns what was stored. */
export interface HistoryWriter {
  /** Stores a user message: the original, what the model is shown instead, and attachments, in one write. */
  addUserMessage(message: NewUserMessage, options?: CallOptions): Promise<AddedUserMessage>;
  /** Stores the answer to the user. */
  addAssistantMessage(
    fields: EntryFields<"assistant_message">,
    options?: CallOptions,
  ): Promise<AssistantMessageEntry>;
  /** Stores a model answer with tool calls, before the tools run. */
  addToolCalls(fields: EntryFields<"action">, options?: CallOptions): Promise<ActionEntry>;
  /** Stores tool results, several in one write. Their sources get their citation numbers here. */
  addToolCallResults(
    results: readonly ToolCallResult[],
    options?: CallOptions,
  ): Promise<readonly ObservationEntry[]>;
  /** Stores a task for `agent`, given by the agent of the scope. */
  addTask(fields: EntryFields<"task">, options?: CallOptions): Promise<TaskEntry>;
  /** Delegates work: stores a `delegation` for the agent that gives it and a `task` for the one that gets it, in one write. */
  delegate(fields: EntryFields<"task">, options?: CallOptions): Promise<TaskEntry>;
  addDelegation(fields: EntryFields<"delegation">, options?: CallOptions): Promise<DelegationEntry>;
  /** Stores the orchestrator's plan. */
  addPlan(
    fields: EntryFields<"strategic_plan">,
    options?: CallOptions,
  ): Promise<StrategicPlanEntry>;
  /** Stores a manager's summary of its phase. */
  addSynthesis(fields: EntryFields<"synthesis">, options?: CallOptions): Promise<SynthesisEntry>;
  /** Stores an agent's report when its task is done. */
  addFinal(fields: EntryFields<"final">, options?: CallOptions): Promise<FinalEntry>;
  /** Stores what was recalled from a memory outside the thread. */
  addMemory(fields: EntryFields<"memory">, options?: CallOptions): Promise<MemoryEntry>;
  /** Stores a failure outside a tool call. */
  addError(fields: EntryFields<"error">, options?: CallOptions): Promise<ErrorEntry>;
  /** Stores an observation that every agent of the turn may see. */
  addGlobalObservation(
    fields: NewGlobalObservation,
    options?: CallOptions,
  ): Promise<GlobalObservationEntry>;
  /**
   * Stores finished entries, such as those of a message format, and fills in missing fields from the scope. Uses several
   * writes if there are many. Entries whose ids the format derived (`origin.derivedId`) get ids of their own, as equal messages
   * have equal derived ids. The same objects once more are a retry, and so is the same id with the same content.
   */
  append(entries: readonly HistoryEntry[], options?: CallOptions): Promise<readonly HistoryEntry[]>;
  /**
   * Writes what a whole conversation has beyond its longest common prefix with the thread, and returns that. An edited message replaces everything from
   * there on (`branchFrom` first keeps the old version); a conversation that only ends earlier replaces nothing. Reads the log.
   */
  sync(entries: readonly HistoryEntry[], options?: CallOptions): Promise<readonly HistoryEntry[]>;
}

/** An observation for every agent, with sources that have no numbers yet. */
export type NewGlobalObservation = Omit<EntryFields<"global_observation">, "sources"> & {
  readonly sources?: readonly UnnumberedSource[];
};

/** Options of a read beside its query. */
export interface ReadOptions extends CallOptions {
  /** Reads the log without compactions. Default `false`. */
  readonly originals?: boolean | undefined;
}

/** Reads the thread, including all earlier writes, awaited or not. */
export interface HistoryReader {
  /**
   * Builds a prompt: reads what the role may see, cleans it, puts author and task before the reports of other agents, replaces the original user message
   * by the rendered one, and trims it to the context window. Continues the plan of the previous call, which the store keeps.
   *
   * @throws `HistoryError` with code `WINDOW_TOO_SMALL` if what must be kept does not fit, `INVALID_OPTION` where the role has no filter,
   *   `NOT_FOUND` where `originalUserMessage` is not in the view, and what store, filter, cleaner, counter and reducer throw.
   */
  historyForModelCall(request: ModelCallRequest, options?: CallOptions): Promise<ModelCallHistory>;
  /** Reads the thread as the store does. */
  read(query?: HistoryQuery, options?: ReadOptions): Promise<ReadResult>;
  /** Returns the sources that a text cites, in order; unknown numbers are left out. Reads the results of the log. */
  citedSources(text: string, options?: CallOptions): Promise<readonly Source[]>;
  /**
   * Returns tools with which the model of this scope reads the originals of what it may see: {@link recallTools} with the store, the counter, and
   * the filter of the scope's role.
   */
  recallTools(
    options?: RecallToolLimits & Pick<RecallToolOptions, "filter">,
  ): readonly ToolHandler[];
}

/** Methods for the thread as a whole. */
export interface ThreadKeeper {
  /** Asks the compressor for summaries of a view, and commits each. Strategy, model and tail can be overridden. */
  compress(options?: CompressViewOptions): Promise<ViewCompression>;
  /** Undoes one summary: the entries that it covered are shown again. */
  expand(summaryId: string, options?: CallOptions): Promise<void>;
  /** Creates a fork `<threadId>/<as>` with the entries up to `at`, and returns its manager. */
  fork(fork: { readonly at: string; readonly as: string } & CallOptions): Promise<HistoryManager>;
  /** Goes back to an entry: creates a fork that ends with it, under a new name. The thread stays unchanged. */
  branchFrom(entryId: string, options?: CallOptions): Promise<HistoryManager>;
}

/** A position in the work: fields that the manager fills in if a call omits them. */
export interface Scope {
  /** The turn. Without one, a user message begins a turn. */
  readonly turnId?: string | undefined;
  /** The phase of the orchestrator's plan. */
  readonly phaseId?: PhaseId | undefined;
  /** The id of the current `task` entry. */
  readonly taskId?: string | undefined;
  /** The agent at work. */
  readonly agent?: Agent | undefined;
}

/** A user message with its attachments. */
export interface NewUserMessage extends EntryFields<"user_message"> {
  /** Files and images of the message, stored in the same write. */
  readonly attachments?: readonly NewAttachment[];
}

/** A file or image of a user message. Without an id, it gets one derived from the message's. */
export type NewAttachment = Omit<EntryFields<"attachment">, "messageId">;

/** A stored user message. */
export interface AddedUserMessage {
  readonly message: UserMessageEntry;
  readonly attachments: readonly AttachmentEntry[];
}

/** A source without a citation number. The same `id` means the same evidence and keeps its number permanently. */
export type UnnumberedSource = Omit<Source, "number">;

/** How one tool call ended. */
export type ToolCallResult = ToolCallSuccess | ToolCallFailure | HandledToolCall;

/** A successful call. */
export interface ToolCallSuccess extends ToolCallAnswer {
  readonly outcome?: "success";
  /** The output, without its sources. Default: empty. */
  readonly content?: Content;
  /** The sources found, best first. An empty list means that there are none. */
  readonly sources?: readonly UnnumberedSource[];
}

/** A failed call. The model reads `Tool call <name> failed with error: <error>`. */
export interface ToolCallFailure extends ToolCallAnswer {
  readonly outcome: "error" | "denied" | "cancelled";
  /** The error, for the model. */
  readonly error: string;
}

/** A call answered by a `ToolHandler`: spread what its `run` returned. `content` is stored unchanged; its sources are numbered already. */
export interface HandledToolCall extends ToolCallAnswer, ToolAnswer {}

/** The call that a result answers, and common fields. */
export interface ToolCallAnswer {
  /** The model's call id. */
  readonly callId: string;
  readonly toolName: string;
  /** The entry id of the `action` it answers. Needed if call ids repeat; without it, position decides. */
  readonly actionId?: string;
  readonly id?: string;
  readonly createdAtMs?: number;
  readonly turnId?: string;
  readonly phaseId?: PhaseId;
  readonly taskId?: string;
  readonly agent?: Agent;
  readonly pinned?: boolean;
  readonly metadata?: JsonObject;
}

/** Outcome of a compression. Unless it is `compressed`, only what `committed` lists was changed. */
export type ViewCompression =
  | CompressionOutcome
  | {
      /** Another process compressed or expanded the view meanwhile: try again. */
      readonly outcome: "conflict";
      readonly reason: string;
      /** The summaries committed before the failure; each is valid by itself. */
      readonly committed: readonly Compaction[];
    };

/** What to compress, and overrides of the compressor's options: `tailTokens` is by default the compressor's, 0 for `createCompressor`. */
export interface CompressViewOptions extends Omit<CompressionCall, "view" | "allowsSeveral"> {
  /** Default: the view whose summaries the prompts of the manager's scope show: `thread` without filters, `conversation` for an orchestrator. */
  readonly view?: HistoryView | undefined;
}
