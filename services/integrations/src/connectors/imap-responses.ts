import { Transform } from 'node:stream';
import { CallError } from './connector.ts';

/** The highest number of a message (RFC 3501, section 2.3.1.1). */
export const uidMax = 4_294_967_295;

/**
 * The number of messages that one search may cover. A server may also return their numbers as a range, which the
 * library expands to a list.
 */
export const searchedMax = 10_000;

/** The length of a line. The longest one is the response to a search. */
export const lineBytesMax = 262_144;
// Other lines are split into tokens, which takes a thousand times as long as reading a number.
const otherLineBytesMax = 16_384;

// Limits of one session, which searches the numbers of messages, and reads at most 100 messages, each with a header and
// a delivery report of 64 KiB as literals.
const foundMax = 2 * searchedMax;
const linesMax = 10_000;
const linesBytesMax = 1_048_576;
const bytesMax = 32 * 1_048_576;

// The responses that the library needs (RFC 3501, section 7; RFC 2342; RFC 2971).
const needed = 'OK NO BAD PREAUTH BYE CAPABILITY NAMESPACE ID LIST XLIST LSUB FLAGS'.split(' ');
// RFC 3501, section 7.2.5, with spaces that some servers add.
const searchResponse = /^\* SEARCH[ \d]*$/i;
// RFC 9051, section 7.3.4: servers that speak only IMAP4rev2 respond to each search with it.
const extendedSearchResponse =
  /^\* ESEARCH(?: \(TAG "\w{1,20}"\))?(?: UID)?(?: (?:MIN|MAX|COUNT) \d{1,10}| ALL [\d:,]+)* ?$/i;

/**
 * Creates a filter for the bytes of an IMAP server, to be used before imapflow, which does work that the server chooses:
 * it walks a range such as `1:16777216` without returning to the event loop, and lists the numbers of a search. The
 * filter removes untagged responses that a sync does not need. It fails with a CallError at numbers and ranges that are
 * not plausible, and when a session exceeds the limits of lines and bytes. Responses pass as a whole, so the result does
 * not depend on how the bytes are split.
 */
export function responseFilter(): Transform {
  let line: Buffer[] = [];
  let lineBytes = 0;
  // The bytes of a literal that are still to come (RFC 3501, section 4.3).
  let literalBytes = 0;
  // Whether the response that has begun passes; undefined between two responses.
  let passes: boolean | undefined;
  let [bytes, lines, linesBytes, found] = [0, 0, 0, 0];

  const endOfLine = (): Buffer => {
    const whole = Buffer.concat(line);
    line = [];
    lineBytes = 0;
    lines += 1;
    linesBytes += whole.length;
    if (lines > linesMax || linesBytes > linesBytesMax) throw refusal();
    const text = whole.toString('latin1');
    const literal = /\{(\d+)\}\r?\n$/.exec(text);
    let isSearch = false;
    if (passes === undefined) {
      // Some servers pad lines with NUL, which the library ignores.
      const response = text.replace(/^\0+|\r?\n$/g, '');
      const numbers = numbersFound(response);
      isSearch = numbers !== undefined;
      found += numbers ?? 0;
      if (found > foundMax) throw refusal();
      passes = isSearch || isNeeded(response);
    }
    const isPassed = passes;
    if (isPassed && !isSearch && whole.length > otherLineBytesMax) throw refusal();
    literalBytes = literal ? Number(literal[1]) : 0;
    if (!literal) passes = undefined;
    return isPassed ? whole : Buffer.alloc(0);
  };

  function* passed(chunk: Buffer): Generator<Buffer> {
    for (let at = 0; at < chunk.length; ) {
      if (literalBytes) {
        const part = chunk.subarray(at, at + literalBytes);
        literalBytes -= part.length;
        at += part.length;
        if (passes) yield part;
        continue;
      }
      const lineFeed = chunk.indexOf(0x0a, at);
      const part = chunk.subarray(at, lineFeed < 0 ? undefined : lineFeed + 1);
      at += part.length;
      lineBytes += part.length;
      if (lineBytes > lineBytesMax) throw refusal();
      line.push(part);
      if (lineFeed >= 0) yield endOfLine();
    }
  }

  return new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      try {
        if (bytes > bytesMax) throw refusal();
        done(null, Buffer.concat([...passed(chunk)]));
      } catch (error) {
        done(error as CallError);
      }
    },
  });
}

/**
 * Counts the numbers of messages in the response to a search, with those in ranges; undefined for another response.
 * @throws CallError
 */
function numbersFound(response: string): number | undefined {
  const [, name] = /^\* (E?SEARCH)\b/i.exec(response) ?? [];
  if (!name) return undefined;
  const isExtended = name.length > 'SEARCH'.length;
  if (!(isExtended ? extendedSearchResponse : searchResponse).test(response)) throw refusal();
  let count = 0;
  for (const [, from, to = from] of response.replace(/\(.*?\)/, '').matchAll(/(\d+)(?::(\d+))?/g)) {
    if (Number(from) > uidMax || Number(to) > uidMax) throw refusal();
    const covered = Math.abs(Number(to) - Number(from)) + 1;
    count += covered;
    if (covered > searchedMax || count > foundMax) throw refusal();
  }
  return count;
}

/**
 * Whether the library needs a response. Others are removed, because a client must accept any (RFC 3501, section 7).
 * @throws CallError
 */
function isNeeded(response: string): boolean {
  const untagged = /^\* (.*)$/s.exec(response)?.[1];
  // The response to a command, or a request to continue.
  if (untagged === undefined) return response !== '';
  const [, digits, name = ''] = /^(?:(\d+) )?([A-Z]+)(?= |$)/i.exec(untagged) ?? [];
  // RFC 7162, section 3.2.10: only clients that enabled QRESYNC get it. The library walks its ranges.
  if (/^VANISHED$/i.test(name)) throw refusal();
  if (digits === undefined) return needed.includes(name.toUpperCase());
  if (digits.length > 10 || Number(digits) > uidMax) throw refusal();
  return /^(EXISTS|RECENT|EXPUNGE|FETCH)$/i.test(name);
}

function refusal(): CallError {
  return new CallError('provider_unavailable');
}
