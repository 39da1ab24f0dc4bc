/** As much of a question as a search takes. */
const MAX_QUERY_LENGTH = 1_000;

/** A call of `search_text` for a request. */
export interface SearchCall {
  readonly query: string;
  readonly kind?: string;
}

/** Makes the arguments of a search: no more of a long request than the tool takes. */
export function searchCall(request: string, kind: string | undefined): SearchCall {
  const query = request.slice(0, MAX_QUERY_LENGTH);
  return kind === undefined ? { query } : { query, kind };
}
