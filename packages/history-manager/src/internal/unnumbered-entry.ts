import type {
  GlobalObservationEntry,
  HistoryEntry,
  ObservationEntry,
  Source,
} from "@agent-history/core";

import type { UnnumberedSource } from "../tool-call-result.ts";
import type { ScopeField } from "./scope-fields.ts";

/** An entry that is to be kept. Its sources, where it brings new ones, get their numbers when it is written. */
export type UnnumberedEntry = (
  | { readonly entry: HistoryEntry; readonly sources?: undefined }
  | {
      readonly entry: ObservationEntry | GlobalObservationEntry;
      readonly sources: readonly UnnumberedSource[];
    }
) & {
  /** The fields that the caller left out, for the scope to fill in: a second try may come from another scope. */
  readonly open?: readonly ScopeField[];
};

/** Makes the entry of a draft. */
export function numberSources(
  draft: UnnumberedEntry,
  numberOf: (source: UnnumberedSource) => number,
): HistoryEntry {
  if (draft.sources === undefined || draft.sources.length === 0) return draft.entry;
  const sources = draft.sources.map((source): Source => ({ ...source, number: numberOf(source) }));
  return { ...draft.entry, sources };
}
