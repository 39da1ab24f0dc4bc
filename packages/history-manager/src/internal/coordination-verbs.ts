import {
  delegation,
  final,
  globalObservation,
  strategicPlan,
  synthesis,
  task,
} from "@agent-history/core";
import type { EntryFields, GlobalObservationEntry, TaskEntry } from "@agent-history/core";

import type { HistoryWriter } from "../history-manager.ts";
import type { Scope } from "../scope.ts";
import { fieldsInScope } from "./fields-in-scope.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { writeOne } from "./write-one.ts";

/** Keeps how agents divide the work, and what they hand up. */
export function coordinationVerbs(
  thread: ManagedThread,
  scope: Scope,
): Pick<
  HistoryWriter,
  | "addTask"
  | "delegate"
  | "addDelegation"
  | "addPlan"
  | "addSynthesis"
  | "addFinal"
  | "addGlobalObservation"
> {
  const { options: sources, log, start } = thread;
  return {
    addTask: async (fields, options) =>
      writeOne(thread, taskInScope(thread, scope, fields), options),

    delegate: async (fields, { signal } = {}) => {
      const given = taskInScope(thread, scope, fields);
      const handing = delegation(delegationOf(given), sources);
      const kept = await log.write([{ entry: handing }, { entry: given }], {
        isAtomic: true,
        start,
        signal,
      });
      return kept.find((entry) => entry.type === "task") ?? given;
    },

    addDelegation: async (fields, options) =>
      writeOne(thread, delegation(fieldsInScope(scope, fields), sources), options),

    addPlan: async (fields, options) =>
      writeOne(thread, strategicPlan(fieldsInScope(scope, fields), sources), options),

    addSynthesis: async (fields, options) =>
      writeOne(thread, synthesis(fieldsInScope(scope, fields), sources), options),

    addFinal: async (fields, options) =>
      writeOne(thread, final(fieldsInScope(scope, fields), sources), options),

    addGlobalObservation: async ({ sources: found = [], ...fields }, { signal } = {}) => {
      const entry = globalObservation(fieldsInScope(scope, fields), sources);
      const [kept = entry] = await log.write([{ entry, sources: found }], {
        isAtomic: true,
        start,
        signal,
      });
      return isGlobalObservation(kept) ? kept : entry;
    },
  };
}

/** A task is its doer's; the agent of the scope is the one who gives it. */
function taskInScope(
  { options }: ManagedThread,
  scope: Scope,
  fields: EntryFields<"task">,
): TaskEntry {
  const { agent: from } = scope;
  const given = fieldsInScope(scope, fields, ["turnId", "phaseId", "taskId"]);
  return task({ ...(from && { from }), ...given }, options);
}

/** Its id is made from the task's, so that a second try has the same. */
function delegationOf({
  id,
  agent: to,
  from,
  type,
  ...shared
}: TaskEntry): EntryFields<"delegation"> {
  return { ...shared, id: `${id}/delegation`, to, ...(from && { agent: from }) };
}

function isGlobalObservation(entry: { readonly type: string }): entry is GlobalObservationEntry {
  return entry.type === "global_observation";
}
