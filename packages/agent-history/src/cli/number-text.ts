/** Formats tokens compactly: 950, 12.3k, 4.56M, 1.20G. */
export function tokensText(tokens: number | undefined): string {
  if (tokens === undefined) return "–";
  if (tokens < 1000) return `${Math.round(tokens)}`;
  if (tokens < 999_950) return `${(tokens / 1000).toFixed(1)}k`;
  if (tokens < 999_995_000) return `${(tokens / 1_000_000).toFixed(2)}M`;
  return `${(tokens / 1_000_000_000).toFixed(2)}G`;
}

/** Formats dollars; amounts below a cent are shown as such. */
export function dollarsText(dollars: number | undefined): string {
  if (dollars === undefined) return "–";
  if (dollars > 0 && dollars < 0.01) return "<$0.01";
  return `$${dollars.toFixed(2)}`;
}

/** Formats a percentage; `–` if the whole is 0. */
export function shareText(part: number, whole: number): string {
  return whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)}%`;
}

/** Formats a count with its noun: 1 session, 2 sessions. */
export function countText(count: number, one: string, several: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** Formats a duration: 45s, 12m, 3h 20m, 2d 4h. */
export function spanText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.round(ms / 1000)}s`;
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${minutes % 60}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

/** Formats an instant in UTC, to the minute. */
export function instantText(atMs: number | undefined): string {
  return atMs === undefined ? "–" : new Date(atMs).toISOString().slice(0, 16).replace("T", " ");
}
