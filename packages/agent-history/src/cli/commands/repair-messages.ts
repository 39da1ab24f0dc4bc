import { repairHistory } from "@agent-history/core";
import type { Repair } from "@agent-history/core";
import { faultsFor, repairFor } from "@agent-history/format-kit";

import type { CliContext } from "../cli-context.ts";
import { formatOption, messageFileOf } from "../messages/message-options.ts";
import type { MessageOptions } from "../messages/message-options.ts";
import { targetOption } from "../messages/message-targets.ts";
import { writeMessages } from "../messages/write-messages.ts";

export interface RepairCommandOptions extends MessageOptions {
  readonly for?: string;
  readonly host?: string;
}

/** Repairs messages: every call with its result, no id twice; with `--for`, all that the API would refuse. */
export async function repairMessages(
  context: CliContext,
  path: string | undefined,
  options: RepairCommandOptions,
): Promise<void> {
  const asked = options.for === undefined ? undefined : targetOption(options.for, options.host);
  const file = await messageFileOf(context, path, options);
  const to = formatOption("to", options.to) ?? asked?.format;
  const { entries, repairs } =
    asked === undefined ? repairHistory(file.entries) : repairFor(asked.target, file.entries);
  context.write(writeMessages(file, entries, { to, ...(options.json && { facts: { repairs } }) }));
  const lines: readonly string[] =
    asked === undefined
      ? repairs.map(({ kind, entryId }: Repair) => `${kind} ${entryId}`)
      : faultsFor(asked.target, file.entries).map(
          ({ rule, index, remedy }) => `${rule} in message ${index ?? "–"}: ${remedy}`,
        );
  context.tell(lines.length === 0 ? "Nothing was broken.\n" : `${lines.join("\n")}\n`);
}
