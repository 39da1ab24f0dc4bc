import type { HistoryEntry } from "@agent-history/core";
import { memoryStore } from "@agent-history/core/memory-store";
import { offlineModel, openFolder } from "@agent-history/offline-model";
import { GARDEN_FILES, temporaryFolder } from "@agent-history/offline-model/test-support";

import type { ModelCallRecord } from "../src/prompt/model-call-record.ts";
import type { AgentTeamOptions } from "../src/team/agent-team-options.ts";
import { createAgentTeam } from "../src/team/create-agent-team.ts";
import type { AgentTeam } from "../src/team/create-agent-team.ts";
import { countingSources } from "./counting-sources.ts";

/** A call of the model, and the log at that moment. */
export interface LoggedCall extends ModelCallRecord {
  readonly log: readonly HistoryEntry[];
}

/** A team in the garden, and all that it does. */
export interface GardenTeam {
  readonly team: AgentTeam;
  readonly entries: readonly HistoryEntry[];
  readonly calls: readonly LoggedCall[];
}

/** Makes a team that works in the garden, with ids and times that are the same in every run. */
export async function gardenTeam(
  options: Partial<AgentTeamOptions> & {
    readonly files?: Readonly<Record<string, string>>;
  } = {},
): Promise<GardenTeam> {
  await using folder = await temporaryFolder({ ...GARDEN_FILES, ...options.files });
  const entries: HistoryEntry[] = [];
  const calls: LoggedCall[] = [];
  const team = await createAgentTeam({
    model: offlineModel(),
    folder: await openFolder(folder.path),
    store: memoryStore(),
    threadId: "garden",
    sources: countingSources(),
    ...options,
    onEntry: (entry) => {
      entries.push(entry);
      options.onEntry?.(entry);
    },
    onModelCall: (record) => {
      calls.push({ ...record, log: [...entries] });
      options.onModelCall?.(record);
    },
  });
  return { team, entries, calls };
}
