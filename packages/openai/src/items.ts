// Public API of the entry point `./items`, for formats with other names for the Responses API's items.
export { itemsReader, itemsTarget, itemsWriter } from "./item-format.ts";
export type { ItemFormat } from "./item-format.ts";
export type { ResponseItemLike } from "./response-item.ts";
