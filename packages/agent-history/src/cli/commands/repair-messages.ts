import { copyFile, constants, writeFile } from "node:fs/promises";

import { repairHistory } from "@agent-history/core";
import { faultsFor, repairFor } from "@agent-history/format-kit";
import type { OpenAIHost } from "@agent-history/openai";
import { repairSession, transcriptFormat } from "@agent-history/transcripts";
import type { SessionChange } from "@agent-history/transcripts";

import { invalidOption } from "../cli-context.ts";
import type { Answer, CliContext } from "../cli-context.ts";
import type { FileFormat } from "../messages/file-formats.ts";
import { messageCodecs } from "../messages/message-codecs.ts";
import { inputOf, messagesAnswer } from "../messages/message-files.ts";
import { readMessages } from "../messages/read-messages.ts";
import type { MessageOptions } from "../messages/read-messages.ts";
import { wrapProse } from "../table.ts";

export interface RuleOptions extends MessageOptions {
  readonly for?: FileFormat;
  readonly host?: OpenAIHost;
}

/** What is broken in messages, and the messages without it. */
interface Repaired {
  /** The API or tool that would refuse the faults. */
  readonly for: string;
  readonly faults: readonly object[];
  /** A sentence for each fault. */
  readonly said: readonly string[];
  readonly answer: Answer;
  /** The file, if it is a session that its tool can resume. */
  readonly session?: { readonly path: string | undefined };
}

/** Finds what the API of messages would refuse, or the tool of a session. Exit code 0 if there is nothing, else 1. */
export async function checkMessages(
  context: CliContext,
  given: string | undefined,
  options: RuleOptions,
): Promise<Answer> {
  const { for: api, faults, said } = await repaired(context, given, options);
  return {
    json: { for: api, faults },
    screen: () => [wrapProse(context, said.length === 0 ? [`No faults for ${api}.`] : said)],
    exitCode: said.length === 0 ? 0 : 1,
  };
}

export interface RepairCommandOptions extends RuleOptions {
  readonly write?: true;
}

/** Repairs what {@link checkMessages} finds, and writes messages in the format of `--for`. */
export async function repairMessages(
  context: CliContext,
  given: string | undefined,
  { write, ...options }: RepairCommandOptions,
): Promise<Answer | void> {
  const { faults, said, answer, session } = await repaired(context, given, options);
  if (write && session === undefined)
    throw invalidOption(
      "write",
      "--write requires a session of Claude Code or Codex. To save messages, redirect the output to a file.",
    );
  context.tell(wrapProse(context, said.length === 0 ? ["No faults."] : said));
  if (!write) return answer;
  if (faults.length > 0) await overwrite(context, session?.path, answer.screen().join(""));
}

async function repaired(
  context: CliContext,
  given: string | undefined,
  options: RuleOptions,
): Promise<Repaired> {
  const { path, text } = await inputOf(context, given);
  const lines = text.replace(/\n$/, "").split("\n");
  const isConverted = options.for !== undefined || options.from !== undefined;
  const tool = isConverted ? undefined : transcriptFormat(lines);
  const session = tool && repairSession(lines, tool);
  if (session !== undefined) {
    const faults = session.changes;
    const said = faults.map(({ line, what }) => `line ${line}: ${CHANGES[what]}`);
    const json = { lines: session.lines, faults };
    const answer = { json, screen: () => [`${session.lines.join("\n")}\n`] };
    return { for: tool ?? "", faults, said, answer, session: { path } };
  }
  const file = await readMessages(context, text, options);
  const to = options.for ?? file.format;
  if (to !== file.format && file.fields["tools"] !== undefined)
    context.tell("Tools of a request are not converted.\n");
  const target = messageCodecs[to].target?.(options.host);
  const { entries, repairs } = target
    ? repairFor(target, file.entries)
    : repairHistory(file.entries);
  const faults = target && faultsFor(target, file.entries);
  const said =
    faults?.map(
      ({ rule, index, remedy, source }) =>
        `${rule} in message ${index ?? "–"}: ${remedy} (${source})`,
    ) ?? repairs.map(({ kind, entryId }) => `${entryId}: ${kind}`);
  const facts = { faults: faults ?? repairs };
  return { for: to, ...facts, said, answer: messagesAnswer(file, entries, { to, facts }) };
}

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

/** Writes a session to its file and keeps a backup of the original. */
async function overwrite(
  { tell }: CliContext,
  path: string | undefined,
  text: string,
): Promise<void> {
  if (path === undefined || path.endsWith(".gz"))
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
