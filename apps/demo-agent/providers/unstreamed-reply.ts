/** A reply that came whole, where a stream was asked for. */
export interface UnstreamedReply extends Error {
  readonly isUnstreamed: true;
}

/** Makes the error of a reply that came whole. */
export function unstreamed(): UnstreamedReply {
  return Object.assign(new Error("The server does not stream."), { isUnstreamed: true } as const);
}

/** Tells whether an error is that of a reply that came whole. */
export function isUnstreamed(error: unknown): error is UnstreamedReply {
  return error instanceof Error && "isUnstreamed" in error;
}
