import { basename } from "node:path";

import type { MeasuredSession } from "@agent-history/transcripts";

import type { ReadSession } from "./read-sessions.ts";
import type { Redactor } from "./redactor.ts";

/** A session as it is listed. */
export interface SessionRow {
  readonly project: string;
  readonly sessionId: string;
  readonly title?: string;
  readonly modifiedAtMs: number;
  readonly measured: readonly MeasuredSession[];
}

/** Names a session by its working folder. */
export function rowOf(
  { session, results }: ReadSession<MeasuredSession>,
  hide: Redactor,
): SessionRow {
  const facts = results[0]?.facts ?? {};
  return {
    project: hide.path(facts.cwd ?? session.project ?? basename(session.files[0]?.path ?? "")),
    sessionId: hide.session(session.sessionId),
    ...(facts.title !== undefined && { title: hide.text(facts.title) }),
    modifiedAtMs: session.modifiedAtMs,
    measured: results,
  };
}

/** Puts the sessions of a project together: the project with the newest session first, in each the newest first. */
export function byProject(rows: readonly SessionRow[]): readonly SessionRow[] {
  const projects = new Map<string, SessionRow[]>();
  for (const row of rows.toSorted((a, b) => newestOf(b) - newestOf(a))) {
    const known = projects.get(row.project) ?? [];
    known.push(row);
    projects.set(row.project, known);
  }
  return [...projects.values()].flat();
}

/** The last call, or when the file was written: files that were copied are new. */
function newestOf({ measured, modifiedAtMs }: SessionRow): number {
  const times = measured.flatMap(({ calls }) => calls.at(-1)?.answeredAtMs ?? []);
  return times.length === 0 ? modifiedAtMs : times.reduce((a, b) => Math.max(a, b));
}
