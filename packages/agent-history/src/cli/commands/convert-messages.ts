import { HistoryError } from "@agent-history/core";

import type { CliContext } from "../cli-context.ts";
import { FILE_FORMATS } from "../messages/file-formats.ts";
import { formatOption, messageFileOf } from "../messages/message-options.ts";
import type { MessageOptions } from "../messages/message-options.ts";
import { writeMessages } from "../messages/write-messages.ts";

/** Writes messages in another format. */
export async function convertMessages(
  context: CliContext,
  path: string | undefined,
  options: MessageOptions,
): Promise<void> {
  const to = formatOption("to", options.to);
  if (to === undefined) {
    throw new HistoryError(`Expected --to ${FILE_FORMATS.join("|")}.`, {
      code: "INVALID_OPTION",
      details: { option: "to" },
    });
  }
  const file = await messageFileOf(context, path, options);
  const facts = { from: file.format, entries: file.entries.length };
  context.write(writeMessages(file, file.entries, { to, ...(options.json && { facts }) }));
  if (file.fields["tools"] !== undefined && to !== file.format) {
    context.tell("The tools of the request are not converted.\n");
  }
}
