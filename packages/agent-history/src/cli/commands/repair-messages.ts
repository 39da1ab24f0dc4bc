import { repairHistory } from "@agent-history/core";

import type { CliContext } from "../cli-context.ts";
import { formatOption, messageFileOf } from "../messages/message-options.ts";
import type { MessageOptions } from "../messages/message-options.ts";
import { writeMessages } from "../messages/write-messages.ts";

/** Repairs messages: every call with its result, no id twice. */
export async function repairMessages(
  context: CliContext,
  path: string | undefined,
  options: MessageOptions,
): Promise<void> {
  const file = await messageFileOf(context, path, options);
  const to = formatOption("to", options.to);
  const { entries, repairs } = repairHistory(file.entries);
  context.write(writeMessages(file, entries, { to, ...(options.json && { facts: { repairs } }) }));
  context.tell(
    repairs.length === 0
      ? "Nothing was broken.\n"
      : repairs.map(({ kind, entryId }) => `${kind} ${entryId}\n`).join(""),
  );
}
