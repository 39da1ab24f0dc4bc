let lastMs = 0;
let counter = 0;

/**
 * Makes a UUID of version 7 (RFC 9562): it sorts by the time it was made. Within one millisecond a counter of 12 bits keeps the
 * order (section 6.2, method 1); where it runs over, the next millisecond is taken. The rest is random.
 */
export function uuidV7(): string {
  const now = Date.now();
  counter = now > lastMs ? 0 : counter + 1;
  lastMs = Math.max(now, lastMs) + (counter >> 12);
  counter &= 0xfff;
  const time = lastMs.toString(16).padStart(12, "0");
  const version = (0x7000 + counter).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}${crypto.randomUUID().slice(18)}`;
}
