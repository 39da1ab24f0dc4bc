import { HistoryError } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { openFolder } from "@agent-history/offline-model";
import type { DocumentFolder } from "@agent-history/offline-model";

import { chooseModel } from "../providers/choose-model.ts";
import type { ModelChoice } from "../providers/choose-model.ts";
import type { CompressionRecord } from "../src/history/compression-record.ts";
import { roleWindows } from "../src/history/role-windows.ts";
import type { ModelCallRecord } from "../src/prompt/model-call-record.ts";
import { createAgentTeam } from "../src/team/create-agent-team.ts";
import { choosePlanners } from "./choose-planners.ts";
import { chooseThread } from "./choose-thread.ts";
import type { CliSurroundings } from "./cli-surroundings.ts";
import { countOf } from "./count-of.ts";
import type { OpenedStore } from "./open-store.ts";
import type { CliOptions } from "./parse-arguments.ts";
import type { Reporter } from "./reporter.ts";
import { resumeCommand } from "./resume-command.ts";
import { runQuestions } from "./run-questions.ts";
import type { QuestionsDone } from "./run-questions.ts";
import { threadPage } from "./thread-page.ts";

/** What a run has, beside what the command line says. */
export interface SessionParts extends Pick<
  CliSurroundings,
  "defaultFolder" | "cacheFolder" | "env" | "signal" | "lines" | "retries"
> {
  readonly opened: OpenedStore;
  readonly reporter: Reporter;
  /** Told how to go on, as soon as that is known. */
  readonly onResumable: (command: string | undefined) => void;
}

/**
 * Runs the questions of one command, and reports.
 *
 * @throws `HistoryError` with code `MODEL_FAILED` at the end, where a worker could not continue.
 */
export async function runSession(options: CliOptions, parts: SessionParts): Promise<void> {
  const { defaultFolder, env, signal, opened, reporter } = parts;
  const choice = chooseModel(env, parts.retries);
  reporter.wait("reads the documents");
  const folder = await openFolder(options.dir ?? defaultFolder, { signal });
  const threadId = await chooseThread(options, opened.store);
  const windows = roleWindows(options.window);
  requireDocuments(folder);
  reporter.begin({
    threadId,
    storePlace: opened.location,
    storeName: opened.name,
    windows,
    fileCount: folder.documents.length,
    ...describeChoice(choice),
  });
  reporter.wait("indexes their words");
  const command = resumeCommand(threadId, options, opened.flag);
  parts.onResumable(command);
  const log = runLog(reporter);
  const page = threadPage(options, { ...parts, threadId });
  let done: QuestionsDone = { failures: 0 };
  try {
    const team = await createAgentTeam({
      model: choice.model,
      ...(choice.kind === "provider" && { summaryModel: choice.summaryModel }),
      folder,
      store: opened.store,
      threadId,
      windows,
      workersAtOnce: options.atOnce,
      planners: choosePlanners(options),
      ...log.listeners,
      onPlan: page.onPlan,
      signal,
    });
    // A page shows summaries, which the proof at the end undoes.
    const drawn = { ...team, expand: async () => page.write().then(team.expand) };
    done = await runQuestions(drawn, options, { ...parts, folder });
    await page.write();
  } finally {
    const resumable = command === undefined ? {} : { resumeCommand: command };
    const { expansion } = done;
    const pagePath = await page.write().catch(() => undefined);
    reporter.end({
      ...log.summary(),
      ...(expansion && { expansion }),
      ...(pagePath !== undefined && { pagePath }),
      folder,
      storePlace: opened.location,
      ...resumable,
    });
  }
  if (done.failures > 0) throw incomplete(done.failures);
}

/** What was answered may lack something: whoever reads no answer has to know. */
function incomplete(failures: number): HistoryError {
  const who = countOf(failures, "worker");
  return new HistoryError(`Incomplete: ${who} could not continue. The answers say why.`, {
    code: "MODEL_FAILED",
    details: { failures },
  });
}

/** Passes on what happens, and remembers what the end has to tell. */
function runLog(reporter: Reporter) {
  const calls: ModelCallRecord[] = [];
  const compressions: CompressionRecord[] = [];
  let entries = 0;
  return {
    listeners: {
      onEntry: (entry: HistoryEntry) => {
        entries += 1;
        reporter.entry(entry);
      },
      onModelCall: (record: ModelCallRecord) => {
        calls.push(record);
        reporter.call(record);
      },
      onModelEvent: reporter.modelEvent,
      onCompression: (record: CompressionRecord) => {
        compressions.push(record);
        reporter.compression(record);
      },
    },
    summary: () => ({ calls, compressions, entries }),
  };
}

function describeChoice(choice: ModelChoice): {
  readonly modelId: string;
  readonly modelHost?: string;
} {
  if (choice.kind === "offline") return { modelId: "offline" };
  return { modelId: choice.modelId, modelHost: choice.host };
}

function requireDocuments({ documents, root }: DocumentFolder): void {
  if (documents.length > 0) return;
  throw new HistoryError(`Expected text files in ${root}, found none. Give another folder.`, {
    code: "NOT_FOUND",
    details: { path: root },
  });
}
