// The contract of `@agent-history/core/move-thread`: each line is public.
export { checkExport } from "./check-export.ts";
export { exportThread } from "./export-thread.ts";
export { importThread } from "./import-thread.ts";
export type { ImportedThread } from "./import-thread.ts";
export type { MoveOptions, MoveProgress } from "./move-options.ts";
