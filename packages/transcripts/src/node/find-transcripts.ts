import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, sep } from "node:path";

import type { TranscriptFormat } from "../transcript-format.ts";

/** A file with the history of a session or of a subagent. */
export interface TranscriptFile {
  /** Missing if only the content shows the format. */
  readonly format?: TranscriptFormat | undefined;
  readonly path: string;
  /** The session that it belongs to. */
  readonly sessionId: string;
  /** The folder in which the tool keeps the session. Claude Code names it after the working folder. */
  readonly project?: string | undefined;
  /** The subagent whose history it is. */
  readonly agentId?: string | undefined;
  readonly bytes: number;
  readonly modifiedAtMs: number;
}

export interface FindTranscriptsOptions {
  /** A folder with sessions of any tool, searched instead of the tools' own. */
  readonly folder?: string | undefined;
  /** The home folder, and environment variables of the tools. Default: the process's own. */
  readonly home?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Finds the sessions of Claude Code, Codex CLI and Copilot CLI in the tools' folders (respects `CLAUDE_CONFIG_DIR`, `CODEX_HOME` and `COPILOT_HOME`), newest first. It reads no content. Missing folders are ignored.
 */
export async function findTranscripts({
  folder,
  home = homedir(),
  env = process.env,
}: FindTranscriptsOptions = {}): Promise<readonly TranscriptFile[]> {
  const folders = folder === undefined ? toolFolders(home, env) : [{ folder, describe: anyFile }];
  const found = await Promise.all(folders.map(filesIn));
  return found.flat().toSorted((a, b) => b.modifiedAtMs - a.modifiedAtMs);
}

/** Returns the folders that {@link findTranscripts} searches by default. */
export function transcriptFolders({
  home = homedir(),
  env = process.env,
}: Pick<FindTranscriptsOptions, "home" | "env"> = {}): readonly string[] {
  return toolFolders(home, env).map(({ folder }) => folder);
}

/** A folder, and what the names of a file and of the folders above it say; `undefined` for other files. */
interface SearchedFolder {
  readonly folder: string;
  readonly describe: (name: string, above: readonly string[]) => Described | undefined;
}

type Described = Omit<TranscriptFile, "path" | "bytes" | "modifiedAtMs">;

function toolFolders(
  home: string,
  {
    CLAUDE_CONFIG_DIR: given,
    XDG_CONFIG_HOME: config = join(home, ".config"),
    CODEX_HOME: codex = join(home, ".codex"),
    COPILOT_HOME: copilot = join(home, ".copilot"),
  }: Readonly<Record<string, string | undefined>>,
): readonly SearchedFolder[] {
  const claude = (given || undefined)?.split(",").map((folder) => folder.trim());
  return [
    ...(claude ?? [join(home, ".claude"), join(config, "claude")]).map((name) => ({
      folder: join(name, "projects"),
      describe: claudeFile,
    })),
    { folder: join(codex, "sessions"), describe: codexFile },
    { folder: join(codex, "archived_sessions"), describe: codexFile },
    { folder: join(copilot, "session-state"), describe: copilotFile },
  ];
}

async function filesIn({ folder, describe }: SearchedFolder): Promise<readonly TranscriptFile[]> {
  const found = await readdir(folder, { recursive: true }).catch(() => []);
  const files = found.map(async (below) => {
    const above = below.split(sep);
    const name = /^(.+)\.jsonl(?:\.gz)?$/.exec(above.pop() ?? "")?.[1];
    const described = name === undefined ? undefined : describe(name, above);
    if (described === undefined) return [];
    const path = join(folder, below);
    const { size, mtimeMs } = await stat(path);
    return [{ ...described, path, bytes: size, modifiedAtMs: mtimeMs }];
  });
  return (await Promise.all(files)).flat();
}

/** Matches `<project>/<session>.jsonl`, `<project>/<session>/subagents/agent-<id>.jsonl`; older: `<project>/agent-<id>.jsonl`. */
function claudeFile(name: string, [project = "", session = name]: readonly string[]): Described {
  const agentId = /^agent-(.+)$/.exec(name)?.[1];
  return { format: "claude-code", sessionId: session, project, agentId };
}

/** Matches `<year>/<month>/<day>/rollout-<time>-<id>.jsonl`. */
function codexFile(name: string): Described {
  return { ...anyFile(name), format: "codex" };
}

/** Matches `<session>/events.jsonl`. */
function copilotFile(name: string, [session = name]: readonly string[]): Described | undefined {
  return /\bevents$/.test(name) ? { format: "copilot", sessionId: session } : undefined;
}

function anyFile(name: string): Described {
  const id = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.exec(name)?.[0];
  return { sessionId: id ?? name };
}
