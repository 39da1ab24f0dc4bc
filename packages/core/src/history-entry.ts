import type {
  AssistantMessageEntry,
  AttachmentEntry,
  SystemMessageEntry,
  UserMessageEntry,
} from "./conversation-entries.ts";
import type {
  DelegationEntry,
  FinalEntry,
  GlobalObservationEntry,
  StrategicPlanEntry,
  SynthesisEntry,
} from "./coordination-entries.ts";
import type { MemoryEntry, SummaryEntry } from "./derived-entries.ts";
import type { EntryType } from "./entry-types.ts";
import type { OpaqueEntry } from "./opaque-entry.ts";
import type { ActionEntry, ErrorEntry, ObservationEntry, TaskEntry } from "./trace-entries.ts";

/** One thing that happened: immutable, with a unique id, discriminated by `type`. */
export type HistoryEntry =
  | SystemMessageEntry
  | UserMessageEntry
  | AssistantMessageEntry
  | TaskEntry
  | ActionEntry
  | ObservationEntry
  | ErrorEntry
  | GlobalObservationEntry
  | SynthesisEntry
  | FinalEntry
  | StrategicPlanEntry
  | DelegationEntry
  | SummaryEntry
  | MemoryEntry
  | AttachmentEntry
  | OpaqueEntry;

/** The entry of one type: `EntryOf<"action">` is `ActionEntry`. */
export type EntryOf<Type extends EntryType> = Extract<HistoryEntry, { readonly type: Type }>;
