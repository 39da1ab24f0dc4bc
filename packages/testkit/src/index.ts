// The contract of the test kit: each line is public.
export { arbitraryBrokenHistory, BREAKAGES } from "./arbitrary-broken-history.ts";
export type { Breakage, BrokenHistoryConstraints } from "./arbitrary-broken-history.ts";
export { arbitraryContent } from "./arbitrary-content.ts";
export { arbitraryEntry } from "./arbitrary-entry.ts";
export type { EntryConstraints } from "./arbitrary-entry.ts";
export { arbitraryHistory } from "./arbitrary-history.ts";
export type { HistoryConstraints, Presence } from "./history-constraints.ts";
export { arbitraryId } from "./arbitrary-id.ts";
export { arbitraryText } from "./arbitrary-text.ts";
export type { TextConstraints } from "./arbitrary-text.ts";
export { deepFreeze } from "./deep-freeze.ts";
export { lawRuns } from "./law-runs.ts";
