// The public exports of the entry.
export { findTranscripts, transcriptFolders } from "./find-transcripts.ts";
export type { FindTranscriptsOptions, TranscriptFile } from "./find-transcripts.ts";
export { readTranscriptFile } from "./read-transcript-file.ts";
export type { ReadTranscriptFileOptions } from "./read-transcript-file.ts";
export { transcriptLines } from "./read-transcript-file.ts";
