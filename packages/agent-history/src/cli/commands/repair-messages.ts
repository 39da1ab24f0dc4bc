import { existsSync } from "node:fs";
import { copyFile, constants, writeFile } from "node:fs/promises";

import { repairHistory } from "@agent-history/core";
import { faultsFor, repairFor } from "@agent-history/format-kit";
import { repairSession, transcriptFormat } from "@agent-history/transcripts";
import type { SessionChange } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { invalidOption } from "../cli-context.ts";
import {
  formatOption,
  inputText,
  messagesIn,
  targetOption,
  writeMessages,
} from "../messages/message-files.ts";
import type { MessageOptions } from "../messages/message-files.ts";
import { findSessions } from "../sessions.ts";

export interface RepairCommandOptions extends MessageOptions {
  readonly for?: string;
  readonly host?: string;
  readonly write?: true;
}

/** Repairs messages: each call gets a result, ids become unique; with `--for`, everything that the API would refuse is repaired. A session of a tool is repaired so that the tool can resume it. */
export async function repairMessages(
  context: CliContext,
  given: string | undefined,
  options: RepairCommandOptions,
): Promise<void> {
  const asked = targetOption(options);
  const path = await pathOf(context, given);
  const text = await inputText(context, path);
  const isConverted = asked !== undefined || options.to !== undefined || options.from !== undefined;
  const lines = text.replace(/\n$/, "").split("\n");
  const format = isConverted ? undefined : transcriptFormat(lines);
  const session = format && repairSession(lines, format);
  if (session !== undefined) return writeSession(context, path, session, options);
  if (options.write)
    throw invalidOption("write", "Expected a session of Claude Code or Codex for --write.");
  const file = await messagesIn(context, text, options);
  const to = formatOption("to", options.to) ?? asked?.format;
  const { entries, repairs } =
    asked === undefined ? repairHistory(file.entries) : repairFor(asked.target, file.entries);
  context.write(writeMessages(file, entries, { to, ...(options.json && { facts: { repairs } }) }));
  const said =
    asked === undefined
      ? repairs.map(({ kind, entryId }) => `${kind} ${entryId}`)
      : faultsFor(asked.target, file.entries).map(
          ({ rule, index, remedy }) => `${rule} in message ${index ?? "–"}: ${remedy}`,
        );
  context.tell(said.length === 0 ? "Nothing was broken.\n" : `${said.join("\n")}\n`);
}

/** Returns the path of a file, or of the session with this id. */
async function pathOf(context: CliContext, given: string | undefined): Promise<string | undefined> {
  if (given === undefined || given === "-" || existsSync(given)) return given;
  const [session] = await findSessions(context, {}, given);
  return session?.files[0]?.path;
}

const CHANGES: Readonly<Record<SessionChange["what"], string>> = {
  damaged: "could not be read: left out",
  repeated: "was repeated: left out",
  joined: "held several objects: they stand on lines of their own",
  changed: "a part of the message was changed, which the model's API would refuse",
  removed: "a message was left out, which the model's API would refuse",
  moved: "stands where the model's API asks for it",
  added: "a line was added behind it: a lost call, or the result of one",
  linked: "follows another line now: its own predecessor is missing",
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
  const said = changes.map(({ line, what }) => `line ${line} ${CHANGES[what]}\n`);
  tell(said.length === 0 ? "Nothing was broken.\n" : said.join(""));
  if (!inPlace || changes.length === 0) return;
  if (path === undefined || path === "-" || path.endsWith(".gz"))
    throw invalidOption("write", "Expected a file that is not packed for --write.");
  const backup = `${path}.before-repair`;
  await copyFile(path, backup, constants.COPYFILE_EXCL).catch((cause: unknown) => {
    throw invalidOption("write", `Expected no ${backup}: move it away first.`, cause);
  });
  await writeFile(path, text);
  tell(`Wrote ${path}; the original is ${backup}.\n`);
}
