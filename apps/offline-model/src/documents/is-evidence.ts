import { fileKind } from "./file-kind.ts";
import { isTestPath } from "./is-test-path.ts";

/** Changes to other files, and what programs wrote for themselves. */
const NO_DOCUMENT =
  /\.(?:diff|patch|rej|orig|lock|map|snap)$|(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml)$/i;

/** Tells by its path whether a file can speak for anything: a change to a file cannot, nor a test with its invented texts. */
export function isEvidence(path: string): boolean {
  if (NO_DOCUMENT.test(path)) return false;
  return fileKind(path) === "prose" || !isTestPath(path);
}
