import { checkHistory } from "@agent-history/core/check";
import type { Violation } from "@agent-history/core/check";
import { faultsFor } from "@agent-history/format-kit";
import type { WireFault } from "@agent-history/format-kit";

import type { CliContext } from "../cli-context.ts";
import { messageFileOf, targetOption } from "../messages/message-files.ts";
import type { MessageOptions, RuleOptions } from "../messages/message-files.ts";
import { countText } from "../number-text.ts";
import { drawTable, texts } from "../table.ts";
import type { Column } from "../table.ts";

export interface CheckCommandOptions extends MessageOptions, RuleOptions {
  readonly before?: string;
}

/** Reports faults in messages. Exit code 0 if there are none, else 1. */
export async function checkMessages(
  context: CliContext,
  path: string | undefined,
  options: CheckCommandOptions,
): Promise<number> {
  const { target } = targetOption(options) ?? {};
  const { entries, messages, format } = await messageFileOf(context, path, options);
  const count = entries.length;
  const isEntries = format === "entries";
  const counted = isEntries ? countText(count, "entry", "entries") : countText(messages, "message");
  if (target !== undefined) {
    const faults = faultsFor(target, entries);
    const none = `No faults for ${options.for} in ${counted}.\n`;
    return report(context, options, { entries: count, faults }, [FAULT_COLUMNS, faults, none]);
  }
  const from = options.before;
  const before = from === undefined ? undefined : await messageFileOf(context, from, options);
  const violations = checkHistory(entries, before ? { before: before.entries } : {});
  const none = `No faults in ${counted}.\n`;
  return report(context, options, { entries: count, violations }, [COLUMNS, violations, none]);
}

function report<Row>(
  context: CliContext,
  { json }: CheckCommandOptions,
  facts: object,
  [columns, rows, none]: readonly [readonly Column<Row>[], readonly Row[], none: string],
): number {
  const text = rows.length === 0 ? none : drawTable(context, columns, rows);
  context.write(json ? `${JSON.stringify(facts, undefined, 2)}\n` : text);
  return rows.length === 0 ? 0 : 1;
}

const COLUMNS: readonly Column<Violation>[] = [
  texts("rule", ({ rule }) => rule),
  texts("entry", ({ entryId }) => entryId, { shrinks: "text" }),
  texts("fault", ({ message }) => message, { shrinks: "text" }),
];

const FAULT_COLUMNS: readonly Column<WireFault>[] = [
  texts("rule", ({ rule }) => rule),
  texts("message", ({ index }) => (index === undefined ? "–" : `${index}`)),
  texts("fix", ({ remedy }) => remedy, { shrinks: "text" }),
  texts("source", ({ source }) => source, { shrinks: "text" }),
];
