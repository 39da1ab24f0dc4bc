// The contract of the demo for those who build on it: each line is public.
export { createAgentTeam } from "./team/create-agent-team.ts";
export type { AgentTeam, AgentTeamOptions } from "./team/create-agent-team.ts";
export type { AgentAnswer } from "./team/answer-question.ts";
export type { Planners } from "./team/turn.ts";
export type { ModelCallRecord } from "./prompt/ask-model.ts";

// Documents
export { openFolder } from "./documents/open-folder.ts";
export type { DocumentFolder, OpenFolderOptions } from "./documents/open-folder.ts";
export type { SkippedFile, SkipReason } from "./documents/skipped-file.ts";

// Models
export type { ChatMessage, ChatModel, ModelReply, ModelRequest } from "./model/chat-model.ts";
export { offlineModel } from "./model/offline-model.ts";

// Planners
export { chatPlanner } from "./planners/chat-planner.ts";
export { managerScriptPlanner } from "./planners/manager-script-planner.ts";
export { reactPlanner } from "./planners/react-planner.ts";
export { strategicDecomposerPlanner } from "./planners/strategic-decomposer-planner.ts";
export { strategicPlanner } from "./planners/strategic-planner.ts";
export { workerRouterPlanner } from "./planners/worker-router-planner.ts";
export type {
  ManagerPlanner,
  OrchestratorPlan,
  OrchestratorPlanner,
  Phase,
  Planner,
  ScriptedCall,
  Step,
  WorkerMove,
  WorkerPlanner,
} from "./planners/planner.ts";
