const depthMax = 20;
const keysMax = 1_000;
// The largest body with this many values takes about 15 ms in each process.
const valuesMax = 20_000;

const notJson = 'The body is not JSON';

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Checks a JSON text against the limits in one linear pass: 20 levels, 1,000 keys in an object, 20,000 values, no number
 * that overflows to Infinity, and no duplicate key in an object, because parsers disagree on which one counts. The text
 * need not be valid JSON; `JSON.parse` finds the other errors.
 * @returns the problem as a sentence; undefined if the text is within the limits
 */
export function findProblem(text: string): string | undefined {
  // The keys of each open object; undefined for an open array.
  const levels: (Set<string> | undefined)[] = [];
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (isSpace(char) || char === comma || char === colon) continue;
    if (char === closeBrace || char === closeBracket) {
      levels.pop();
      continue;
    }
    if (char === quote) {
      const start = at + 1;
      at = stringEnd(text, start);
      if (at === text.length) return notJson;
      const level = levels.at(-1);
      if (level && isColonNext(text, at + 1)) {
        const key = readKey(text.slice(start, at));
        if (key === undefined) return notJson;
        if (level.has(key)) return `The key ${JSON.stringify(key.slice(0, 50))} occurs twice in one object`;
        level.add(key);
        if (level.size > keysMax) return `An object has more than ${formatted(keysMax)} keys`;
        continue;
      }
    } else if (char === openBrace || char === openBracket) {
      levels.push(char === openBrace ? new Set() : undefined);
      if (levels.length > depthMax) return `The body is nested more than ${depthMax} levels deep`;
    } else {
      const end = literalEnd(text, at);
      if (isInfinite(text, at, end)) return 'A number is too large';
      at = end - 1;
    }
    if (++values > valuesMax) return `The body has more than ${formatted(valuesMax)} values`;
  }
  return undefined;
}

function formatted(limit: number): string {
  return limit.toLocaleString('en-US');
}

function isSpace(char: number): boolean {
  return char <= 0x20;
}

/** The index of a string's closing quote; the length of the text if there is none. */
function stringEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === backslash) at++;
    else if (char === quote) return at;
  }
  return text.length;
}

function isColonNext(text: string, from: number): boolean {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return text.charCodeAt(at) === colon;
}

/** A key with its escapes decoded; undefined if they are invalid. */
function readKey(raw: string): string | undefined {
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(`"${raw}"`);
  } catch {
    return undefined;
  }
}

/** The end index of a number, `true`, `false` or `null`. */
function literalEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && !endsLiteral(text.charCodeAt(at))) at++;
  return at;
}

function endsLiteral(char: number): boolean {
  return (
    isSpace(char) ||
    char === comma ||
    char === closeBrace ||
    char === closeBracket ||
    char === colon ||
    char === quote ||
    char === openBrace ||
    char === openBracket
  );
}

// The shortest such number is 1e309.
const infiniteLengthMin = 5;

/** Whether a number parses as Infinity, which `JSON.stringify` writes as null. */
function isInfinite(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start);
  const isNumber = first === minus || (first >= zero && first <= nine);
  if (!isNumber || end - start < infiniteLengthMin) return false;
  return Math.abs(Number(text.slice(start, end))) === Number.POSITIVE_INFINITY;
}
