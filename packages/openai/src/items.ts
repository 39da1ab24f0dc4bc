// The contract of the entry `./items`, for formats that name the items of the Responses API otherwise: each line is public.
export { itemsReader, itemsTarget, itemsWriter } from "./item-format.ts";
export type { ItemFormat } from "./item-format.ts";
export type { ResponseItemLike } from "./response-item.ts";
