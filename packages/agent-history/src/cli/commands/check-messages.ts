import { checkHistory } from "@agent-history/core/check";
import type { Violation } from "@agent-history/core/check";
import { faultsFor } from "@agent-history/format-kit";
import type { WireFault } from "@agent-history/format-kit";

import type { CliContext } from "../cli-context.ts";
import { messageFileOf, targetOption } from "../messages/message-files.ts";
import type { MessageOptions } from "../messages/message-files.ts";
import { drawTable, texts } from "../table.ts";
import type { Column } from "../table.ts";

export interface CheckCommandOptions extends MessageOptions {
  readonly before?: string;
  readonly for?: string;
  readonly host?: string;
}

/** Says what is broken in messages: 0 if nothing is, else 1. */
export async function checkMessages(
  context: CliContext,
  path: string | undefined,
  options: CheckCommandOptions,
): Promise<number> {
  const { target } = targetOption(options) ?? {};
  const { entries } = await messageFileOf(context, path, options);
  if (target !== undefined) {
    const faults = faultsFor(target, entries);
    report(context, { entries: entries.length, faults }, options, {
      columns: FAULT_COLUMNS,
      rows: faults,
      none: `${options.for} would refuse nothing in ${entries.length} entries.\n`,
    });
    return faults.length === 0 ? 0 : 1;
  }
  const before =
    options.before === undefined
      ? undefined
      : (await messageFileOf(context, options.before, options)).entries;
  const violations = checkHistory(entries, before ? { before } : {});
  report(context, { entries: entries.length, violations }, options, {
    columns: COLUMNS,
    rows: violations,
    none: `Nothing is broken in ${entries.length} entries.\n`,
  });
  return violations.length === 0 ? 0 : 1;
}

function report<Row>(
  context: CliContext,
  facts: object,
  { json }: CheckCommandOptions,
  found: {
    readonly columns: readonly Column<Row>[];
    readonly rows: readonly Row[];
    readonly none: string;
  },
): void {
  if (json) context.write(`${JSON.stringify(facts, undefined, 2)}\n`);
  else if (found.rows.length === 0) context.write(found.none);
  else context.write(drawTable(context, found.columns, found.rows));
}

const COLUMNS: readonly Column<Violation>[] = [
  texts("rule", ({ rule }) => rule),
  texts("entry", ({ entryId }) => entryId, { shrinks: "text" }),
  texts("what", ({ message }) => message, { shrinks: "text" }),
];

const FAULT_COLUMNS: readonly Column<WireFault>[] = [
  texts("rule", ({ rule }) => rule),
  texts("message", ({ index }) => (index === undefined ? "–" : `${index}`)),
  texts("remedy", ({ remedy }) => remedy, { shrinks: "text" }),
  texts("source", ({ source }) => source, { shrinks: "text" }),
];
