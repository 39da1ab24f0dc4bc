import type {
  Agent,
  EntrySources,
  HistoryEntry,
  HistoryStore,
  SummaryModel,
} from "@agent-history/core";
import type { RoleWindows } from "@agent-history/history-manager";
import type { PlannedCall } from "@agent-history/inspector";
import type { ChatModel, DocumentFolder, ModelEvent } from "@agent-history/offline-model";

import type { CompressionRecord } from "../history/compression-record.ts";
import type { ModelCallRecord } from "../prompt/model-call-record.ts";
import type { Planners } from "./turn.ts";

/** What {@link createAgentTeam} is made of. */
export interface AgentTeamOptions {
  readonly model: ChatModel;
  readonly folder: DocumentFolder;
  /** Keeps the thread. One that it holds already is continued. */
  readonly store: HistoryStore;
  readonly threadId: string;
  /** Who plans. Default: strategic, decomposer, ReAct. */
  readonly planners?: Partial<Planners>;
  /** What a call of each role may take, in tokens. Default: 8,000 for the orchestrator, 4,000 for a manager, 3,000 for a worker. */
  readonly windows?: RoleWindows;
  /** The share of its window from which a worker's work is compressed, above 0 up to 1; `Infinity` compresses nothing. Default 0.5. */
  readonly compressAbove?: number;
  /** Writes the summaries. Default: the extractive summarizer, which needs no model. */
  readonly summaryModel?: SummaryModel;
  /** How many moves a worker has before it must report. Default 6. */
  readonly maxWorkerSteps?: number;
  /** How many workers of a phase work at a time. Default: all. With 1, a run with the same ids and clock is the same to the byte. */
  readonly workersAtOnce?: number;
  /** Where ids and times come from; pass your own to make a run repeatable. */
  readonly sources?: EntrySources;
  /** Called with each entry, once it is kept. */
  readonly onEntry?: (entry: HistoryEntry) => void;
  /** Called with each call of the model, before it is made. */
  readonly onModelCall?: (record: ModelCallRecord) => void;
  /** Called with the plan of each prompt, and the entries that it is about, before the model is asked. Costs one read of the view for each call. */
  readonly onPlan?: (call: PlannedCall) => void;
  /** Told what happens while a model replies, and which agent it replies to. */
  readonly onModelEvent?: (agent: Agent, event: ModelEvent) => void;
  /** Called with each summary that was put over old entries. */
  readonly onCompression?: (record: CompressionRecord) => void;
  readonly signal?: AbortSignal;
}
