import { HistoryError } from "@agent-history/core";

/** Which transcript: of a session, or with `subpath` of one of its subagents. */
export interface ClaudeSessionKey {
  readonly projectKey: string;
  readonly sessionId: string;
  readonly subpath?: string;
}

const PREFIX = "claude-session";

/**
 * The thread of a transcript.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` where a part of the key is empty or is no text.
 */
export function sessionThread({ projectKey, sessionId, subpath }: ClaudeSessionKey): string {
  const part = subpath === undefined ? "" : encoded("subpath", subpath);
  return `${sessionPrefix({ projectKey, sessionId })}${part}`;
}

/** How the threads of a project begin. */
export function projectPrefix(projectKey: string): string {
  return `${PREFIX}:${encoded("projectKey", projectKey)}:`;
}

/** How the threads of a session begin; its own is the prefix itself. */
export function sessionPrefix({ projectKey, sessionId }: ClaudeSessionKey): string {
  return `${projectPrefix(projectKey)}${encoded("sessionId", sessionId)}:`;
}

/** Which session of a project, and which of its subagents, a thread is of. */
export function partsOfThread(threadId: string): {
  readonly sessionId: string;
  readonly subpath: string;
} {
  const [, , sessionId = "", subpath = ""] = threadId.split(":").map(decodeURIComponent);
  return { sessionId, subpath };
}

function encoded(option: string, part: unknown): string {
  if (typeof part === "string" && part !== "" && !/\p{Surrogate}/u.test(part)) {
    return encodeURIComponent(part);
  }
  throw new HistoryError(`Expected \`${option}\` of a session to be a text.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
