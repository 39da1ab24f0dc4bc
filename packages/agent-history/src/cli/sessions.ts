import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";

import { isObject } from "@agent-history/core";
import { baseName, LIST_PRICES } from "@agent-history/transcripts";
import type { MeasuredSession, PriceTable, TranscriptItem } from "@agent-history/transcripts";
import {
  findTranscripts,
  readTranscriptFile,
  transcriptFolders,
} from "@agent-history/transcripts/node";
import type { TranscriptFile } from "@agent-history/transcripts/node";

import type { CliContext } from "./cli-context.ts";
import { cannotRead, invalidOption, parsed } from "./cli-context.ts";
import { redactor } from "./redactor.ts";
import type { Redactor } from "./redactor.ts";

/** Options common to all commands that read sessions, as typed. */
export interface SessionOptions {
  readonly json?: true;
  readonly redact?: true;
  readonly dir?: string;
  readonly prices?: string;
  readonly limit: number;
}

/** The answer of a command, as JSON and as a screen. The screen is drawn only if it is shown. */
export interface Answer {
  readonly json: unknown;
  readonly screen: () => readonly (string | undefined)[];
}

/** Parsed options and the selected sessions of a command. */
export interface Asked {
  readonly limit: number;
  readonly prices: PriceTable;
  readonly hide: Redactor;
  readonly found: readonly SessionFiles[];
}

/** Parses the options of a command, and finds its sessions. */
export async function openSessions(
  context: CliContext,
  options: SessionOptions,
  wanted?: string,
): Promise<Asked> {
  const prices = await pricesOf(options);
  const found = await findSessions(context, options, wanted);
  return { limit: options.limit, prices, hide: redactor(options.redact === true), found };
}

/** Reads the prices in `--prices`, or the built-in ones. */
async function pricesOf({ prices }: Pick<SessionOptions, "prices">): Promise<PriceTable> {
  if (prices === undefined) return LIST_PRICES;
  const text = await readFile(prices, "utf8").catch((cause: unknown) => {
    throw invalidOption("prices", cannotRead(prices, cause), cause);
  });
  const table: unknown = parsed(text);
  if (isPriceTable(table)) return table;
  throw invalidOption(
    "prices",
    `Expected ${prices} to contain JSON of the form { asOf, models: { NAME: { input, output, cacheRead, cacheWrite, cacheWrite1h } } }, in dollars per million tokens.`,
  );
}

const PRICED = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h"];

function isPriceTable(table: unknown): table is PriceTable {
  if (!isObject(table) || typeof table["asOf"] !== "string" || !isObject(table["models"]))
    return false;
  return Object.values(table["models"]).every(
    (price) => isObject(price) && PRICED.every((kind) => typeof price[kind] === "number"),
  );
}

/** The files of one session: its main file first, then its subagents. */
export interface SessionFiles {
  readonly sessionId: string;
  readonly project?: string | undefined;
  readonly modifiedAtMs: number;
  readonly files: readonly TranscriptFile[];
}

/** Finds all sessions, newest first, or the one that is named. */
export async function findSessions(
  { home, env }: CliContext,
  { dir }: Pick<SessionOptions, "dir">,
  wanted?: string,
): Promise<readonly SessionFiles[]> {
  if (wanted !== undefined && existsSync(wanted)) {
    const file = { path: wanted, sessionId: basename(wanted), bytes: 0, modifiedAtMs: 0 };
    return [{ ...file, files: [file] }];
  }
  const found = await findTranscripts(dir === undefined ? { home, env } : { folder: dir });
  const sessions = new Map<string, [TranscriptFile, ...TranscriptFile[]]>();
  for (const file of found) {
    const id = `${file.project ?? ""}/${file.sessionId}`;
    const known = sessions.get(id);
    if (known) known.push(file);
    else sessions.set(id, [file]);
  }
  const matching = [...sessions.values()]
    .map(sessionOf)
    .filter(({ sessionId }) => sessionId.startsWith(wanted ?? ""));
  if (matching.length > 0) return matching;
  const folders = dir === undefined ? transcriptFolders({ home, env }) : [dir];
  const what =
    wanted === undefined
      ? "Found no sessions of Claude Code, Codex CLI or Copilot CLI"
      : `Found no file "${wanted}", and no session whose id begins with it`;
  throw invalidOption(
    "session",
    `${what}. Searched in:\n${folders.map((folder) => `- ${folder}\n`).join("")}Pass --dir to search another folder.`,
  );
}

function sessionOf(files: readonly [TranscriptFile, ...TranscriptFile[]]): SessionFiles {
  const isAgent = ({ agentId }: TranscriptFile): number => Number(agentId !== undefined);
  const [{ sessionId, project, modifiedAtMs }] = files;
  return {
    sessionId,
    modifiedAtMs,
    files: files.toSorted((a, b) => isAgent(a) - isAgent(b)),
    project,
  };
}

/** Consumes the items of a file and returns a result. */
export interface Meter<Result> {
  readonly add: (item: TranscriptItem) => void;
  readonly result: () => Result;
}

/** Creates a meter that keeps all items of a file. */
export function itemCollector(): Meter<readonly TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  return { add: (item) => void items.push(item), result: () => items };
}

export interface ReadSession<Result> {
  readonly session: SessionFiles;
  /** One result per file. */
  readonly results: readonly Result[];
}

interface ReadOptions<Result> {
  readonly meter: () => Meter<Result>;
  readonly entries: boolean;
  /** Whether a file that is no session is an error; otherwise, it is skipped. Default: if there is one session. */
  readonly isOnly?: boolean;
}

const LONG_BYTES = 20_000_000;

/** Reads the files of sessions one at a time, each with its own meter, and shows progress if there is much to read. Files that are no sessions are skipped. */
export async function readSessions<Result>(
  context: CliContext,
  sessions: readonly SessionFiles[],
  { meter, entries, isOnly = sessions.length === 1 }: ReadOptions<Result>,
): Promise<readonly ReadSession<Result>[]> {
  const { tell, isLive } = context;
  const total = sessions.flatMap(({ files }) => files).reduce((sum, { bytes }) => sum + bytes, 0);
  const isLong = isLive && total > LONG_BYTES;
  const read: ReadSession<Result>[] = [];
  let done = 0;
  for (const session of sessions) {
    const results: Result[] = [];
    for (const { path, format, bytes } of session.files) {
      const { add, result } = meter();
      const onItems = (items: readonly TranscriptItem[]): void => items.forEach(add);
      const options = { entries, onItems, format };
      if ((await readTranscriptFile(path, options)) !== undefined) results.push(result());
      done += bytes;
      if (isLong) tell(`\rreading ${Math.round((100 * done) / total)}%`);
    }
    if (results.length > 0) read.push({ session, results });
  }
  // Clear the progress line.
  if (isLong) tell("\r\u001B[2K");
  if (isOnly && read.length === 0)
    throw invalidOption(
      "session",
      `Expected a session of Claude Code, Codex CLI or Copilot CLI; got ${sessions[0]?.files[0]?.path}.`,
    );
  return read;
}

/** A session with its display name. */
export interface NamedSession {
  /** The working folder. */
  readonly project: string;
  readonly sessionId: string;
  /** The title, else the first request. */
  readonly name: string;
  readonly modifiedAtMs: number;
  readonly measured: readonly MeasuredSession[];
}

/** Names a session after its working folder and first request. */
export function nameSession(
  { session, results }: ReadSession<MeasuredSession>,
  hide: Redactor,
): NamedSession {
  const [main] = results;
  const { cwd, title = main?.title } = main?.facts ?? {};
  return {
    project: hide.path(cwd ?? session.project ?? basename(session.files[0]?.path ?? "")),
    sessionId: hide.session(session.sessionId),
    name: title === undefined ? "(no request)" : hide.text(title),
    modifiedAtMs: session.modifiedAtMs,
    measured: results,
  };
}

/** Returns the time of the last call, else the modification time of the file. Copied files have a new modification time. */
export function newestOf({ measured, modifiedAtMs }: NamedSession): number {
  const times = measured.flatMap(({ calls }) => calls.at(-1)?.answeredAtMs ?? []);
  return times.length === 0 ? modifiedAtMs : times.reduce((a, b) => Math.max(a, b));
}

/** Lists the models of a session, without dates and provider. */
export function modelText(models: readonly string[]): string {
  const [first = "–", ...others] = models.map((model) => baseName(model).replace(/-\d{8}$/, ""));
  return others.length === 0 ? first : `${first} +${others.length}`;
}
