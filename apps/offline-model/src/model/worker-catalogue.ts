import { fileKind } from "../documents/file-kind.ts";

/** A worker as instructions introduce it. */
export interface ListedWorker {
  readonly key: string;
  readonly description: string;
  /** Which kind of file it reads, where the description says so. */
  readonly kind: string | undefined;
}

/** Reads the list of workers, `- key: description`, out of instructions. */
export function readWorkers(instructions: string): readonly ListedWorker[] {
  return [...instructions.matchAll(/^- ([\w-]+): (.*)$/gm)].map(
    ([, key = "", description = ""]) => ({
      key,
      description,
      kind: readKind(description),
    }),
  );
}

/** Reads which kind of file a worker reads: `(kind: prose)`. */
export function readKind(text: string): string | undefined {
  return /\(kind: (\w+)\)/.exec(text)?.[1];
}

/** The worker for a file: the one that reads its kind, else the first. */
export function workerFor(
  path: string,
  workers: readonly ListedWorker[],
): ListedWorker | undefined {
  return workers.find(({ kind }) => kind === fileKind(path)) ?? workers[0];
}
