/**
 * Why a file or folder is not among the documents.
 *
 * - `ignored` by a `.gitignore` of the folder, or a name that is never read (`.git`, `node_modules`, …)
 * - `link-out` a link that leads out of the folder
 * - `link` a link within the folder: its target is read where it stands
 * - `binary` bytes that are not UTF-8 text
 * - `too-large` a file above the limit
 * - `unreadable` the system refuses, or a link has no target
 * - `not-a-file` a socket, a pipe, a device
 * - `limit` the folder is larger than the limits: nothing from here on was looked at
 */
export type SkipReason =
  | "ignored"
  | "link-out"
  | "link"
  | "binary"
  | "too-large"
  | "unreadable"
  | "not-a-file"
  | "limit";

/** What was not read, and why. A folder counts once, whatever is in it. */
export interface SkippedFile {
  readonly path: string;
  readonly reason: SkipReason;
}
