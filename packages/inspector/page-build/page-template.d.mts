/** Returns the page of the inspector, with `%TITLE%` and `%DATA%` where a title and data belong. */
export function pageTemplate(): string;
