/** The status line and headers of a response. */
export interface Head {
  status: number;
  /** Header names are in lower case; the last value of a repeated header wins. */
  headers: Record<string, string>;
  /** Offset of the body in bytes. */
  end: number;
  /** The body's length in bytes; undefined for a chunked body. */
  length: number | undefined;
}

/** The response is invalid, or uses an HTTP feature that no service of this fleet uses. */
export class InvalidResponseError extends Error {}

export const headMax = 16 * 1024;

const statusLine = /^HTTP\/1\.1 ([2-5]\d\d)(?: |$)/;
const digits = /^\d{1,15}$/;

/**
 * Parses the status line and headers (RFC 9112, sections 4 and 5) of a response with an explicit length.
 * @returns undefined until the end of the headers has arrived
 * @throws InvalidResponseError for any other response: if its end is uncertain, its bytes could be read as the next response
 */
export function parseHead(bytes: Buffer): Head | undefined {
  const cut = bytes.indexOf('\r\n\r\n');
  if (cut < 0) return undefined;
  if (cut > headMax) throw new InvalidResponseError('The response head is too large');
  const [first = '', ...lines] = bytes.toString('latin1', 0, cut).split('\r\n');
  const status = Number(statusLine.exec(first)?.[1] ?? 0);
  if (!status) throw new InvalidResponseError('Invalid status line');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) throw new InvalidResponseError('Header without a name');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'content-length' && headers[name] !== undefined && headers[name] !== value)
      throw new InvalidResponseError('Conflicting Content-Length headers');
    headers[name] = value;
  }
  const length = headers['content-length'];
  // Neither status has a body (RFC 9110, section 6.4.1).
  if (status === 204 || status === 304) return { status, headers, end: cut + 4, length: 0 };
  if (headers['transfer-encoding'] === 'chunked' && length === undefined)
    return { status, headers, end: cut + 4, length: undefined };
  if (headers['transfer-encoding'] !== undefined || length === undefined || !digits.test(length))
    throw new InvalidResponseError('Response without a length');
  return { status, headers, end: cut + 4, length: Number(length) };
}

const lastChunk = Buffer.from('0\r\n\r\n');
const chunkSize = /^[0-9a-f]{1,7}$/i;

/**
 * Decodes a chunked body without trailers (RFC 9112, section 7.1). Chunked JSON is rare in this fleet, so the body is
 * parsed only when its last chunk may have arrived.
 * @returns undefined until the last chunk has arrived
 * @throws InvalidResponseError for an invalid chunk
 */
export function readChunks(bytes: Buffer, start: number): Buffer | undefined {
  if (!bytes.subarray(-lastChunk.length).equals(lastChunk)) return undefined;
  const chunks: Buffer[] = [];
  let at = start;
  while (at < bytes.length) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = bytes.toString('latin1', at, lineEnd);
    if (lineEnd < 0 || !chunkSize.test(size)) throw new InvalidResponseError('Invalid chunk');
    const from = lineEnd + 2;
    const to = from + Number.parseInt(size, 16);
    if (to === from) return to + 2 === bytes.length ? Buffer.concat(chunks) : undefined;
    chunks.push(bytes.subarray(from, to));
    at = to + 2;
  }
  return undefined;
}
