import { checkHistory } from "@agent-history/core/check";
import type { Violation } from "@agent-history/core/check";

import type { CliContext } from "../cli-context.ts";
import { messageFileOf } from "../messages/message-options.ts";
import type { MessageOptions } from "../messages/message-options.ts";
import { drawTable, texts } from "../table.ts";
import type { Column } from "../table.ts";

export interface CheckCommandOptions extends MessageOptions {
  readonly before?: string;
}

/** Says what is broken in messages: 0 if nothing is, else 1. */
export async function checkMessages(
  context: CliContext,
  path: string | undefined,
  options: CheckCommandOptions,
): Promise<number> {
  const { entries } = await messageFileOf(context, path, options);
  const before =
    options.before === undefined
      ? undefined
      : (await messageFileOf(context, options.before, options)).entries;
  const violations = checkHistory(entries, before ? { before } : {});
  if (options.json) {
    context.write(`${JSON.stringify({ entries: entries.length, violations }, undefined, 2)}\n`);
  } else if (violations.length === 0) {
    context.write(`Nothing is broken in ${entries.length} entries.\n`);
  } else {
    context.write(drawTable(context, COLUMNS, violations));
  }
  return violations.length === 0 ? 0 : 1;
}

const COLUMNS: readonly Column<Violation>[] = [
  texts("rule", ({ rule }) => rule),
  texts("entry", ({ entryId }) => entryId, { shrinks: "text" }),
  texts("what", ({ message }) => message, { shrinks: "text" }),
];
