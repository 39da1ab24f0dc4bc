import type { EntryRun, MemoryEntry, SummaryEntry } from "../derived-entries.ts";
import { MEMORY, OPAQUE, SUMMARY } from "../entry-types.ts";
import type { HistoryView } from "../history-view.ts";
import type { OpaqueEntry } from "../opaque-entry.ts";
import { refuse } from "./checks/check.ts";
import type { Check } from "./checks/check.ts";
import { jsonValueCheck } from "./checks/json-checks.ts";
import { listCheck } from "./checks/list-checks.ts";
import { optionalField, sealedCheck } from "./checks/object-checks.ts";
import { literalCheck, nonEmptyTextCheck, oneOfCheck, textCheck } from "./checks/scalar-checks.ts";
import { contentCheck } from "./content-checks.ts";
import { entryBaseChecks } from "./entry-base-checks.ts";

const trustCheck = oneOfCheck(["system", "user", "tool"], "Expected system, user or tool");

const viewCheck: Check<HistoryView> = (value, refusal) =>
  isView(value) ? value : refuse(refusal, "Expected thread, conversation or agent:<id>", value);

function isView(value: unknown): value is HistoryView {
  if (typeof value !== "string") return false;
  const isAgents = value.startsWith("agent:") && value !== "agent:";
  return value === "thread" || value === "conversation" || isAgents;
}

const entryRunCheck = sealedCheck<EntryRun>({ from: nonEmptyTextCheck, to: nonEmptyTextCheck });

/** Takes a `summary`. */
export const summaryCheck: Check<SummaryEntry> = sealedCheck<SummaryEntry>({
  type: literalCheck(SUMMARY),
  ...entryBaseChecks,
  content: contentCheck,
  strategy: textCheck,
  trust: trustCheck,
  view: optionalField(viewCheck),
  covers: optionalField(listCheck(entryRunCheck, { message: "Expected a list of runs" })),
});

/** Takes a `memory`. */
export const memoryCheck: Check<MemoryEntry> = sealedCheck<MemoryEntry>({
  type: literalCheck(MEMORY),
  ...entryBaseChecks,
  content: contentCheck,
  trust: optionalField(trustCheck),
});

/** Takes an `opaque`. */
export const opaqueCheck: Check<OpaqueEntry> = sealedCheck<OpaqueEntry>({
  type: literalCheck(OPAQUE),
  ...entryBaseChecks,
  data: jsonValueCheck,
  content: optionalField(contentCheck),
});
