import type { HistoryEntry } from "@agent-history/core";

import type { DocumentFolder } from "../documents/open-folder.ts";
import type { ModelCallRecord } from "../prompt/ask-model.ts";
import type { AgentAnswer } from "../team/answer-question.ts";

/** Shows a run as it happens. */
export interface Reporter {
  readonly folder: (folder: DocumentFolder) => void;
  readonly entry: (entry: HistoryEntry) => void;
  readonly answer: (answer: AgentAnswer) => void;
  /** At the end, also of a run that was stopped. */
  readonly calls: (records: readonly ModelCallRecord[]) => void;
}
