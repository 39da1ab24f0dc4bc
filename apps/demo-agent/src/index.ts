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

// Documents
export { openFolder } from "./documents/open-folder.ts";
export type { DocumentFolder, OpenFolderOptions } from "./documents/open-folder.ts";
export type { SkippedFile, SkipReason } from "./documents/skipped-file.ts";

// Models
export type {
  ChatMessage,
  ChatModel,
  ModelEvent,
  ModelReply,
  ModelRequest,
  ModelUsage,
} from "./model/chat-model.ts";
export { chooseModel } from "./model/choose-model.ts";
export type { ModelChoice } from "./model/choose-model.ts";
export type { RetryOptions } from "./model/providers/provider-chat-model.ts";
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
