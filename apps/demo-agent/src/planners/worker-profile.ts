import { fileKind } from "@agent-history/offline-model";
import type { Document, FileKind } from "@agent-history/offline-model";

/** A kind of worker that work can be given to. */
export interface WorkerProfile {
  /** Names it in plans; its agents are `<key>-1`, `<key>-2`, … */
  readonly key: string;
  /** What it reads, for those who choose. */
  readonly description: string;
}

const PROFILES: readonly (WorkerProfile & { readonly kind: FileKind })[] = [
  {
    key: "source-reader",
    kind: "code",
    description:
      "reads program sources: code, functions, classes, types, implementations (kind: code)",
  },
  {
    key: "document-reader",
    kind: "prose",
    description: "reads written text: guides, documentation, notes, explanations (kind: prose)",
  },
  {
    key: "data-reader",
    kind: "data",
    description: "reads data and configuration: settings, lists, versions (kind: data)",
  },
];

/** Returns a folder the workers that have something to read in it. */
export function workerProfiles(documents: readonly Document[]): readonly WorkerProfile[] {
  const kinds = new Set(documents.map(({ path }) => fileKind(path)));
  return PROFILES.filter(({ kind }) => kinds.has(kind));
}

/** Lists workers for instructions, one line for each. */
export function listWorkers(workers: readonly WorkerProfile[]): string {
  return workers.map(({ key, description }) => `- ${key}: ${description}`).join("\n");
}
