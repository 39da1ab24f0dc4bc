// The public exports of the package.

// Readers
export { claudeCodeReader } from "./claude-code-reader.ts";
export { codexReader } from "./codex-reader.ts";
export { copilotReader } from "./copilot-reader.ts";
export { transcriptFormat, transcriptReader } from "./transcript-format.ts";
export type { TranscriptFormat } from "./transcript-format.ts";
export type { TranscriptReader } from "./transcript-item.ts";

// The items that readers return
export { addUsage, NO_USAGE, promptTokens } from "./model-call.ts";
export type { CallUsage, ModelCall } from "./model-call.ts";
export { collectTranscript } from "./collect-transcript.ts";
export type { Transcript } from "./collect-transcript.ts";
export type { CompactionItem, TranscriptItem } from "./transcript-item.ts";

// Repair of sessions for their tool
export { repairSession } from "./repair-session.ts";
export type { SessionChange } from "./repair-session.ts";

// Reports
export { sessionMeter } from "./measured-session.ts";
export type { MeasuredSession } from "./measured-session.ts";
export { callsCost, sessionSummary } from "./session-summary.ts";
export type { SessionSummary } from "./session-summary.ts";
export { tokenReport } from "./token-report.ts";
export type { NamedEntry, RepeatedResult, TokenGroup, TokenReport } from "./token-report.ts";
export { BREAK_CAUSES, BREAK_DEFINITION, breakCost, cacheReport } from "./cache-report.ts";
export type { CacheBreak } from "./cache-report.ts";
export { breakCauses } from "./cache-report.ts";
export { LOST_DEFINITIONS, lostMeter, lostRows } from "./lost-report.ts";
export type { LostReport, LostRow, NeededFact } from "./lost-report.ts";
export { entryText } from "./entry-text.ts";
export {
  bareCommand,
  baseName,
  callCommand,
  calledFiles,
  callInput,
  callTitle,
  fileWords,
  noteCallTitles,
} from "./called-files.ts";
export { isPriceTable, LIST_PRICES, priceOf, usageCost } from "./prices.ts";
export type { PriceTable } from "./prices.ts";
