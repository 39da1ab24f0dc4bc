import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join, sep } from "node:path";

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
  const found =
    folder === undefined
      ? await Promise.all(
          toolFolders(home, env).map(({ folder: each, describe, names }) =>
            filesIn(each, describe, names),
          ),
        )
      : [await filesIn(folder, anyFile, /\.jsonl?(?:\.gz)?$/)];
  return found.flat().toSorted((a, b) => b.modifiedAtMs - a.modifiedAtMs);
}

/** Returns the folders that {@link findTranscripts} searches by default. */
export function transcriptFolders({
  home = homedir(),
  env = process.env,
}: Pick<FindTranscriptsOptions, "home" | "env"> = {}): readonly string[] {
  return toolFolders(home, env).map(({ folder }) => folder);
}

interface ToolFolder {
  readonly folder: string;
  readonly describe: (path: string, below: readonly string[]) => Described;
  readonly names?: RegExp | undefined;
}

function toolFolders(
  home: string,
  {
    CLAUDE_CONFIG_DIR: given,
    XDG_CONFIG_HOME: config = join(home, ".config"),
    CODEX_HOME: codex = join(home, ".codex"),
    COPILOT_HOME: copilot = join(home, ".copilot"),
  }: Readonly<Record<string, string | undefined>>,
): readonly ToolFolder[] {
  const claude = (given || undefined)?.split(",").map((folder) => folder.trim());
  const names = /\bevents\.jsonl(?:\.gz)?$/;
  return [
    ...(claude ?? [join(home, ".claude"), join(config, "claude")]).map((name) => ({
      folder: join(name, "projects"),
      describe: claudeFile,
    })),
    { folder: join(codex, "sessions"), describe: codexFile },
    { folder: join(codex, "archived_sessions"), describe: codexFile },
    { folder: join(copilot, "session-state"), describe: copilotFile, names },
  ];
}

type Described = Omit<TranscriptFile, "bytes" | "modifiedAtMs">;

async function filesIn(
  folder: string,
  describe: (path: string, below: readonly string[]) => Described,
  names = /\.jsonl(?:\.gz)?$/,
): Promise<readonly TranscriptFile[]> {
  const found = await readdir(folder, { recursive: true }).catch(() => []);
  const files = found.filter((name) => names.test(name));
  return Promise.all(
    files.map(async (name) => {
      const path = join(folder, name);
      const { size, mtimeMs } = await stat(path);
      return { ...describe(path, name.split(sep)), bytes: size, modifiedAtMs: mtimeMs };
    }),
  );
}

/** Matches `<project>/<session>.jsonl`, `<project>/<session>/subagents/agent-<id>.jsonl`; older: `<project>/agent-<id>.jsonl`. */
function claudeFile(path: string, below: readonly string[]): Described {
  const [project = ""] = below;
  const name = nameOf(path);
  const agentId = /^agent-(.+)$/.exec(name)?.[1];
  const isBelow = below.length > 2;
  const sessionId = isBelow ? (below[1] ?? name) : name;
  return { format: "claude-code", path, sessionId, project, agentId };
}

/** Matches `<year>/<month>/<day>/rollout-<time>-<id>.jsonl`. */
function codexFile(path: string): Described {
  const name = nameOf(path);
  const id = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.exec(name)?.[0];
  return { format: "codex", path, sessionId: id ?? name };
}

/** Matches `<session>/events.jsonl`. */
function copilotFile(path: string, below: readonly string[]): Described {
  return { format: "copilot", path, sessionId: below.length > 1 ? (below[0] ?? "") : nameOf(path) };
}

function anyFile(path: string): Described {
  return { path, sessionId: codexFile(path).sessionId };
}

function nameOf(path: string): string {
  return basename(path).replace(/\.jsonl?(?:\.gz)?$/, "");
}
