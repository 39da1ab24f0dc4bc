import type { ToolCall } from "@agent-history/core";

import { callIds, pairedCalls, toolNames, uniqueCalls } from "./call-rules.ts";
import type { NameShape } from "./call-rules.ts";
import { blankText, knownMessages, partsOfRole, wellFormedText } from "./content-rules.ts";
import type { BlankOptions, TakesPart } from "./content-rules.ts";
import type { WireRule } from "./wire-rules.ts";

/** What formats refuse alike, as far as they differ in it. */
export interface CommonRules extends BlankOptions {
  /** The reference of the API. */
  readonly source: string;
  /** The format's name: what came from others is written without what only they know. */
  readonly format: string;
  /** Tells a part that came in this format and may stand where it is. Default: all may. */
  readonly takes?: TakesPart;
  /** Names of tools. Default: any. */
  readonly names?: NameShape;
  /** Ids of calls, each of which stands once in a request. Default: any, as often as they come. */
  readonly ids?: NameShape;
  /** Tells a call that may be sent without a result at the end, because the provider runs it. Default: none. */
  readonly mayWait?: (call: ToolCall) => boolean;
}

/** Returns the rules that formats share: valid text, known messages and parts, ids and names, pairs of calls and results, nothing blank. */
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
