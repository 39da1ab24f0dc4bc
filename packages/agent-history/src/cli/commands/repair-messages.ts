import { copyFile, constants, writeFile } from "node:fs/promises";

import { repairHistory } from "@agent-history/core";
import type { Repair } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { faultsFor, repairFor } from "@agent-history/format-kit";
import type { WireFault } from "@agent-history/format-kit";
import { repairSession, transcriptFormat } from "@agent-history/transcripts";
import type { SessionChange } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { invalidOption } from "../cli-context.ts";
import {
  inputText,
  messagesIn,
  pathOf,
  targetOf,
  writeMessages,
  messageFileOf,
} from "../messages/message-files.ts";
import type { MessageOptions, RuleOptions } from "../messages/message-files.ts";
import { countText } from "../number-text.ts";
import { wrapProse } from "../table.ts";

/** Reports faults in messages. Exit code 0 if there are none, else 1. */
export async function checkMessages(
  context: CliContext,
  path: string | undefined,
  options: MessageOptions & RuleOptions,
): Promise<number> {
  const { entries } = await messageFileOf(context, path, options);
  const target = targetOf(options);
  const faults = target && faultsFor(target, entries);
  const violations = target ? undefined : checkHistory(entries);
  const lines = [
    ...(faults ?? []).map(faultText),
    ...(violations ?? []).map((one) => `${one.rule} at ${one.entryId}: ${one.message}`),
  ];
  const api = options.for === undefined ? "" : ` for ${options.for}`;
  const none = `No faults${api} in ${countText(entries.length, "entry", "entries")}.`;
  const json = { entries: entries.length, faults, violations };
  if (options.json) context.write(`${JSON.stringify(json, undefined, 2)}\n`);
  else context.write(wrapProse(context, lines.length === 0 ? [none] : lines));
  return lines.length === 0 ? 0 : 1;
}

function faultText({ rule, index, remedy, source }: WireFault): string {
  return `${rule} in message ${index ?? "–"}: ${remedy} (${source})`;
}

export interface RepairCommandOptions extends MessageOptions, RuleOptions {
  readonly write?: true;
}

/** Repairs messages: each call gets a result, ids become unique; with `--for`, everything that the API would refuse is repaired. A session of a tool is repaired so that the tool can resume it. */
export async function repairMessages(
  context: CliContext,
  given: string | undefined,
  options: RepairCommandOptions,
): Promise<void> {
  const target = targetOf(options);
  const path = await pathOf(context, given);
  const text = await inputText(context, path);
  const lines = text.replace(/\n$/, "").split("\n");
  const isSession = target === undefined && options.from === undefined;
  const format = isSession ? transcriptFormat(lines) : undefined;
  const session = format && repairSession(lines, format);
  if (session !== undefined) return writeSession(context, path, session, options);
  if (options.write)
    throw invalidOption(
      "write",
      "--write requires a session of Claude Code or Codex. To save messages, redirect the output to a file.",
    );
  const file = await messagesIn(context, text, options);
  const { entries, repairs } = target
    ? repairFor(target, file.entries)
    : repairHistory(file.entries);
  const said = target
    ? faultsFor(target, file.entries).map(faultText)
    : repairs.map(({ kind, entryId }) => `${entryId}: ${REPAIRS[kind]}`);
  writeMessages(context, file, entries, {
    to: options.for,
    facts: options.json && { repairs },
    said: said.length === 0 ? ["No faults."] : said,
  });
}

const REPAIRS: Readonly<Record<Repair["kind"], string>> = {
  "dropped-duplicate": "removed a duplicate",
  "renamed-duplicate": "gave it a new id, because another message had the same one",
  "dropped-orphan": "removed a result without a call",
  "added-result": "added a placeholder for the missing result of a call",
  "drawn-together": "moved its results directly after it",
  "named-calls": "gave its calls and their results an id",
  format: "changed what the API would refuse",
};

const CHANGES: Readonly<Record<SessionChange["what"], string>> = {
  damaged: "removed what is not valid JSON",
  repeated: "removed a duplicate",
  joined: "split into one line for each JSON object",
  changed: "changed a part of the message that the model's API would refuse",
  removed: "removed a message that the model's API would refuse",
  moved: "moved to where the model's API expects it",
  added: "added a line after it, for a missing tool call or result",
  linked: "linked to the line before it, because its parent is missing",
};

/** Prints a session, or writes it to its file and keeps a backup of the original. */
async function writeSession(
  { write, tell }: CliContext,
  path: string | undefined,
  { lines, changes }: NonNullable<ReturnType<typeof repairSession>>,
  { json, write: inPlace }: RepairCommandOptions,
): Promise<void> {
  const text = `${lines.join("\n")}\n`;
  if (json) write(`${JSON.stringify({ changes, lines }, undefined, 2)}\n`);
  else if (!inPlace) write(text);
  const said = changes.map(({ line, what }) => `line ${line}: ${CHANGES[what]}\n`);
  tell(said.length === 0 ? "No faults.\n" : said.join(""));
  if (!inPlace || changes.length === 0) return;
  if (path === undefined || path === "-" || path.endsWith(".gz"))
    throw invalidOption(
      "write",
      "--write requires an uncompressed file. To repair other input, redirect the output to a file.",
    );
  const backup = `${path}.before-repair`;
  await copyFile(path, backup, constants.COPYFILE_EXCL).catch((cause: unknown) => {
    throw invalidOption(
      "write",
      `The backup ${backup} already exists. Move it and run the command again.`,
      cause,
    );
  });
  await writeFile(path, text);
  tell(`Wrote ${path}. The original is in ${backup}.\n`);
}
