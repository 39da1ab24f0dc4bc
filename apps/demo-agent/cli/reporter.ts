import type { Agent, HistoryEntry } from "@agent-history/core";
import type { RoleWindows } from "@agent-history/history-manager";
import type { DocumentFolder, ModelEvent } from "@agent-history/offline-model";

import type { CompressionRecord } from "../src/history/compression-record.ts";
import type { ExpansionRecord } from "../src/history/expand-summaries.ts";
import type { ModelCallRecord } from "../src/prompt/model-call-record.ts";
import type { AgentAnswer } from "../src/team/answer-question.ts";

/** Shows a run as it happens. */
export interface Reporter {
  /** What is waited for before anything is to be shown; nothing where that is over. */
  readonly wait: (what: string | undefined) => void;
  /** First of all: what is run on what. */
  readonly begin: (run: RunDescription) => void;
  /** A turn that was begun before is continued. */
  readonly resume: (question: string) => void;
  readonly entry: (entry: HistoryEntry) => void;
  /** A call of the model, before it is made. */
  readonly call: (record: ModelCallRecord) => void;
  /** More of a reply, or another try. */
  readonly modelEvent: (agent: Agent, event: ModelEvent) => void;
  readonly compression: (record: CompressionRecord) => void;
  readonly expansion: (record: ExpansionRecord) => void;
  readonly answer: (answer: AgentAnswer) => void;
  /** At the end, also of a run that was stopped or failed. */
  readonly end: (run: RunSummary) => void;
}

/** What is run on what. */
export interface RunDescription {
  readonly threadId: string;
  /** Where the thread is kept. */
  readonly storePlace: string;
  /** The same in a word. */
  readonly storeName: string;
  /** How many documents there are. */
  readonly fileCount: number;
  /** `offline`, or the name of the model that is asked. */
  readonly modelId: string;
  /** Which server is asked. */
  readonly modelHost?: string;
  readonly windows: RoleWindows;
}

/** What a run did. */
export interface RunSummary {
  readonly calls: readonly ModelCallRecord[];
  readonly compressions: readonly CompressionRecord[];
  readonly expansion?: ExpansionRecord;
  /** The documents, and what is left out of them. */
  readonly folder: DocumentFolder;
  /** How many entries this run has kept. */
  readonly entries: number;
  readonly storePlace: string;
  /** The page that shows what each call was sent. */
  readonly pagePath?: string;
  /** The command that continues the thread; nothing where it ends with the process. */
  readonly resumeCommand?: string;
}
