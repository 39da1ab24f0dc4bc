/** Remembers long conversations place by place, for messages that are parsed again at each call: a memory by content holds less than they say. */
export interface LongConversations<Known> {
  readonly open: () => LongConversation<Known>;
}

/** One conversation, whose messages come in order. */
export interface LongConversation<Known> {
  /** Returns what a long conversation had at a place, if that is what is looked for. */
  readonly find: (index: number, isIt: (known: Known) => boolean) => Known | undefined;
  /** Returns what is known of this object at a place, in this conversation or a long one. */
  readonly ofObject: (message: object, index: number) => Known | undefined;
  /** Adds what is known of the message at a place. */
  readonly keep: (message: object, index: number, known: Known, size: number) => void;
}

interface Places<Known> {
  readonly messages: (object | undefined)[];
  readonly known: (Known | undefined)[];
  size: number;
}

/** What says more, in characters, is not remembered. */
const LONGEST = 100_000_000;

const MOST_HELD = 2;

/** Makes an empty memory. It holds the two newest conversations that are longer than this many characters. */
export function longConversations<Known>(longerThan: number): LongConversations<Known> {
  let held: readonly Places<Known>[] = [];

  function open(): LongConversation<Known> {
    const own: Places<Known> = { messages: [], known: [], size: 0 };
    let source: Places<Known> | undefined;
    const hold = (): void => {
      // The same conversation, parsed again, takes the place of what it was.
      const others = held.filter((one) => one !== own && one !== source);
      held = own.size > LONGEST ? others : [own, ...others].slice(0, MOST_HELD);
    };
    return {
      find: (index, isIt) => {
        if (source !== undefined && index >= source.known.length) source = undefined;
        const found = source?.known[index];
        if (found !== undefined && isIt(found)) return found;
        for (const one of held) {
          const known = one === source ? undefined : one.known[index];
          if (known === undefined || !isIt(known)) continue;
          source = one;
          return known;
        }
        return undefined;
      },
      ofObject: (message, index) => {
        if (own.messages[index] === message) return own.known[index];
        for (const one of held) {
          if (one.messages[index] !== message) continue;
          source = one;
          return one.known[index];
        }
        return undefined;
      },
      keep: (message, index, known, size) => {
        if (own.size > LONGEST) return;
        const wasLong = own.size > longerThan;
        own.size += size;
        own.messages[index] = message;
        own.known[index] = known;
        const isTooLong = own.size > LONGEST;
        if (isTooLong) own.messages.length = own.known.length = 0;
        if (isTooLong || (!wasLong && own.size > longerThan)) hold();
      },
    };
  }

  return { open };
}
