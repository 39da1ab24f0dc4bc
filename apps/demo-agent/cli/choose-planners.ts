import { chatPlanner } from "../src/planners/chat-planner.ts";
import { managerScriptPlanner } from "../src/planners/manager-script-planner.ts";
import type {
  ManagerPlanner,
  OrchestratorPlanner,
  WorkerPlanner,
} from "../src/planners/planner.ts";
import { reactPlanner } from "../src/planners/react-planner.ts";
import { strategicDecomposerPlanner } from "../src/planners/strategic-decomposer-planner.ts";
import { strategicPlanner } from "../src/planners/strategic-planner.ts";
import { workerRouterPlanner } from "../src/planners/worker-router-planner.ts";
import type { Planners } from "../src/team/turn.ts";

/** Which planner each role has. */
export interface PlannerChoice {
  readonly orchestrator: "strategic" | "chat" | "router";
  readonly manager: "decomposer" | "script";
  readonly worker: "react";
}

/** The planners of one role by the names that its flag takes; the first is the default. */
type Named<Name extends string, MadePlanner> = Readonly<Record<Name, () => MadePlanner>>;

const ORCHESTRATOR_PLANNERS: Named<PlannerChoice["orchestrator"], OrchestratorPlanner> = {
  strategic: strategicPlanner,
  chat: chatPlanner,
  router: workerRouterPlanner,
};
const MANAGER_PLANNERS: Named<PlannerChoice["manager"], ManagerPlanner> = {
  decomposer: strategicDecomposerPlanner,
  script: managerScriptPlanner,
};
const WORKER_PLANNERS: Named<PlannerChoice["worker"], WorkerPlanner> = { react: reactPlanner };

/** What `--orchestrator` takes. */
export const ORCHESTRATORS: readonly string[] = Object.keys(ORCHESTRATOR_PLANNERS);
/** What `--manager` takes. */
export const MANAGERS: readonly string[] = Object.keys(MANAGER_PLANNERS);
/** What `--worker` takes. */
export const WORKERS: readonly string[] = Object.keys(WORKER_PLANNERS);

/** Makes the planners that were chosen, each with its own filter. */
export function choosePlanners({ orchestrator, manager, worker }: PlannerChoice): Planners {
  return {
    orchestrator: ORCHESTRATOR_PLANNERS[orchestrator](),
    manager: MANAGER_PLANNERS[manager](),
    worker: WORKER_PLANNERS[worker](),
  };
}
