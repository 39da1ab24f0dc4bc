import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import { inspectThread } from "@agent-history/inspector";
import type { PlannedCall } from "@agent-history/inspector";
import { writeInspectorPage } from "@agent-history/inspector/node";

import { counter } from "../src/prompt/count-tokens.ts";
import type { OpenedStore } from "./open-store.ts";
import type { CliOptions } from "./parse-arguments.ts";

/** The page of a run: what each call of the model was sent, and why. */
export interface ThreadPage {
  readonly onPlan: (call: PlannedCall) => void;
  /** Writes the page once, whenever it is called first, and returns its path; nothing where none is wanted. */
  readonly write: () => Promise<string | undefined>;
}

/** What a page is made of. */
export interface ThreadPageParts {
  readonly opened: OpenedStore;
  readonly threadId: string;
  readonly cacheFolder: string;
}

/** Collects the plans of a run for a page: in the named file, or beside the file with the threads where that is the default one. */
export function threadPage(
  { page, json }: Pick<CliOptions, "page" | "json">,
  { opened, threadId, cacheFolder }: ThreadPageParts,
): ThreadPage {
  const isDefault = !json && opened.name === "SQLite" && opened.flag === "";
  const beside = join(cacheFolder, "pages", `${threadId.replaceAll(/[^\w-]+/g, "-")}.html`);
  const path = page === undefined ? isDefault && beside : resolve(page);
  const plans: PlannedCall[] = [];
  let written: Promise<string | undefined> | undefined;
  const write = async (): Promise<string | undefined> => {
    if (path === false || plans.length === 0) return undefined;
    const data = await inspectThread(opened.store, threadId, { plans, counter });
    if (page === undefined) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeInspectorPage(path, data);
    return path;
  };
  return {
    onPlan: (call) => void plans.push({ ...call, id: String(plans.length + 1) }),
    write: async () => (written ??= write()),
  };
}
