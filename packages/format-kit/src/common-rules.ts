import type { ToolCall } from "@agent-history/core";

import { callIds, pairedCalls, toolNames, uniqueCalls } from "./call-rules.ts";
import type { NameShape } from "./call-rules.ts";
import { blankText, knownMessages, partsOfRole, wellFormedText } from "./content-rules.ts";
import type { BlankOptions, TakesPart } from "./content-rules.ts";
import type { WireRule } from "./wire-rules.ts";

/** Parameters of the rules that formats share. */
export interface CommonRules extends BlankOptions {
  /** URL of the API reference. */
  readonly source: string;
  /** The format's name. Entries of other formats are written without their format-specific data. */
  readonly format: string;
  /** Returns whether a part of this format may be in its message. Default: all may. */
  readonly takes?: TakesPart;
  /** Shape of tool names. Default: any. */
  readonly names?: NameShape;
  /** Shape of call ids, which must then be unique in a request. Default: any, duplicates allowed. */
  readonly ids?: NameShape;
  /** Returns whether a trailing call may be sent without a result, because the provider runs it. Default: no call. */
  readonly mayWait?: (call: ToolCall) => boolean;
}

/** Returns the rules that formats share: valid text, known messages and parts, ids and names, paired calls and results, nothing blank. */
export function commonRules({
  source,
  format,
  takes,
  names,
  ids,
  mayWait,
  ...blank
}: CommonRules): readonly WireRule[] {
  return [
    wellFormedText(),
    knownMessages(source),
    partsOfRole(source, format, takes),
    ...(names === undefined ? [] : [toolNames(names)]),
    ...(ids === undefined ? [] : [callIds(ids)]),
    pairedCalls(source, mayWait),
    ...(ids === undefined ? [] : [uniqueCalls(source)]),
    blankText(source, format, blank),
  ];
}
