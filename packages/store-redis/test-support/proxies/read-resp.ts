/** A RESP2 value. */
export type RespValue = string | null | readonly RespValue[];

/** Makes a parser that splits a stream of chunks into RESP2 values. */
export function respReader(): (chunk: Buffer) => RespValue[] {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const values: RespValue[] = [];
    for (;;) {
      const read = readValue(rest, 0);
      if (read === undefined) return values;
      values.push(read.value);
      rest = rest.subarray(read.end);
    }
  };
}

interface Read {
  readonly value: RespValue;
  readonly end: number;
}

function readValue(bytes: Buffer, start: number): Read | undefined {
  const lineEnd = bytes.indexOf("\r\n", start);
  if (lineEnd < 0) return undefined;
  const kind = bytes.toString("latin1", start, start + 1);
  const line = bytes.toString("utf8", start + 1, lineEnd);
  const end = lineEnd + 2;
  if (kind === "*") return readArray(bytes, end, Number(line));
  if (kind !== "$") return { value: line, end };
  if (line === "-1") return { value: null, end };
  const after = end + Number(line) + 2;
  if (after > bytes.length) return undefined;
  return { value: bytes.toString("utf8", end, after - 2), end: after };
}

function readArray(bytes: Buffer, start: number, length: number): Read | undefined {
  const value: RespValue[] = [];
  let end = start;
  for (let index = 0; index < length; index += 1) {
    const read = readValue(bytes, end);
    if (read === undefined) return undefined;
    value.push(read.value);
    ({ end } = read);
  }
  return { value, end };
}
