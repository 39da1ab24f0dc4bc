import type { ModelReply } from "@agent-history/offline-model";
import type * as z from "zod";

/** Reads the JSON object in a reply, whatever words or fences stand around it; nothing where there is none of that form. */
export function parseReply<Value>(reply: ModelReply, schema: z.ZodType<Value>): Value | undefined {
  const text = reply.text ?? "";
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}");
  if (start < 0 || end < start) return undefined;
  try {
    return schema.safeParse(JSON.parse(text.slice(start, end + 1))).data;
  } catch {
    return undefined;
  }
}
