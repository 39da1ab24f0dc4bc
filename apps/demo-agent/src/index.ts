// The contract of the demo for those who build on it: each line is public.
export { createAgentTeam } from "./team/create-agent-team.ts";
export type { AgentTeam } from "./team/create-agent-team.ts";
export type { AgentTeamOptions } from "./team/agent-team-options.ts";
export type { AgentAnswer } from "./team/answer-question.ts";
export type { Planners } from "./team/turn.ts";
export type { AskedQuestion } from "./team/conversation.ts";
export type { ModelCallRecord } from "./prompt/model-call-record.ts";
export { roleWindows } from "./history/role-windows.ts";
export type { CompressionRecord } from "./history/compression-record.ts";
export type { ExpansionRecord } from "./history/expand-summaries.ts";

// Documents, and the model without a key
export { offlineModel, openFolder } from "@agent-history/offline-model";
export type {
  ChatMessage,
  ChatModel,
  DocumentFolder,
  ModelEvent,
  ModelReply,
  ModelRequest,
  ModelUsage,
  OpenFolderOptions,
  SkipReason,
  SkippedFile,
} from "@agent-history/offline-model";

// Models with a key
export { chooseModel } from "../providers/choose-model.ts";
export type { ModelChoice } from "../providers/choose-model.ts";
export type { RetryOptions } from "../providers/provider-chat-model.ts";

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
