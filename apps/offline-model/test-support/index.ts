// What the tests of this package and of the demo share.
export { GARDEN_FILES } from "./garden-files.ts";
export { temporaryFolder } from "./temporary-folder.ts";
export type { TemporaryFolder } from "./temporary-folder.ts";
