import type { DocumentFolder, SkipReason, SkippedFile } from "@agent-history/offline-model";

const REASONS: Readonly<Record<SkipReason, string>> = {
  ignored: "ignored",
  link: "links within the folder, whose targets are read at their own path",
  "link-out": "links that leave the folder, not followed",
  binary: "not text",
  "too-large": "too large",
  unreadable: "unreadable",
  "not-a-file": "not a file",
  limit: "folder too large: nothing further was read",
};
const MAX_NAMES = 3;

/** Says what was opened and, with its reason, what was not. */
export function describeFolder({
  root,
  documents,
  sizeBytes,
  skipped,
}: DocumentFolder): readonly string[] {
  const size = `${(sizeBytes / 1024).toFixed(0)} KiB`;
  const opened = `${root}: ${documents.length} text files, ${size}`;
  const reasons = [...new Set(skipped.map(({ reason }) => reason))];
  return [
    opened,
    ...reasons.map((reason) =>
      describeSkipped(
        reason,
        skipped.filter((file) => file.reason === reason),
      ),
    ),
  ];
}

function describeSkipped(reason: SkipReason, files: readonly SkippedFile[]): string {
  const names = files.slice(0, MAX_NAMES).map(({ path }) => path);
  const rest = files.length > names.length ? ", …" : "";
  return `  not read: ${files.length} ${REASONS[reason]} (${names.join(", ")}${rest})`;
}
