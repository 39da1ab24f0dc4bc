import type { Content } from "./content.ts";
import type { Agent, EntryBase } from "./entry-base.ts";
import type { Source } from "./trace-entries.ts";

/** An observation that every agent of the turn may see. */
export interface GlobalObservationEntry extends EntryBase {
  readonly type: "global_observation";
  readonly content: Content;
  /** Numbered pieces of evidence. */
  readonly sources?: readonly Source[];
}

/** A manager's summary of the phase that `phaseId` names. */
export interface SynthesisEntry extends EntryBase {
  readonly type: "synthesis";
  readonly content: Content;
}

/** An agent's report when its task is done. */
export interface FinalEntry extends EntryBase {
  readonly type: "final";
  readonly content: Content;
}

/** The orchestrator's plan. */
export interface StrategicPlanEntry extends EntryBase {
  readonly type: "strategic_plan";
  readonly content: Content;
}

/** Records that work was given to another agent. */
export interface DelegationEntry extends EntryBase {
  readonly type: "delegation";
  readonly content: Content;
  /** The agent that got the work. */
  readonly to?: Agent;
}
