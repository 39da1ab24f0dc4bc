// The contract of the entry: each line is public.
export { claudeCodeLog } from "./claude-code-log.ts";
export type {
  ClaudeCodeLog,
  ClaudeCodeLogOptions,
  LoggedAnswer,
  LoggedCall,
  LoggedUsage,
} from "./claude-code-log.ts";
export { codexLog } from "./codex-log.ts";
export type { CodexLog, CodexUsage } from "./codex-log.ts";
