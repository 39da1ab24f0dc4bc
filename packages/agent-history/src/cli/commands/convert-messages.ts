import { repairFor } from "@agent-history/format-kit";

import type { CliContext } from "../cli-context.ts";
import { messageCodecs } from "../messages/message-codecs.ts";
import { messageFileOf, writeMessages } from "../messages/message-files.ts";
import type { MessageOptions } from "../messages/message-files.ts";

/** Converts messages to another format. */
export async function convertMessages(
  context: CliContext,
  path: string | undefined,
  options: MessageOptions & Required<Pick<MessageOptions, "to">>,
): Promise<void> {
  const { to } = options;
  const file = await messageFileOf(context, path, options);
  const facts = { from: file.format, entries: file.entries.length };
  const target = to === file.format ? undefined : messageCodecs[to].target?.();
  const { entries, repairs } =
    target === undefined ? { entries: file.entries, repairs: [] } : repairFor(target, file.entries);
  context.write(writeMessages(file, entries, { to, ...(options.json && { facts }) }));
  if (repairs.length > 0) {
    const rules = [...new Set(repairs.map(({ rule, kind }) => rule ?? kind))];
    context.tell(`Repaired for ${to}: ${rules.join(", ")}.\n`);
  }
  if (file.fields["tools"] !== undefined && to !== file.format) {
    context.tell("The tools of the request were not converted.\n");
  }
}
