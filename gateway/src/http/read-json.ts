import { isUtf8 } from 'node:buffer';
import { Refusal } from './refusal.ts';

const depthMax = 20;
const keysMax = 1_000;

/**
 * Parses a JSON body that is within the limits of D16: 20 levels, 1,000 keys, and no key twice in one object, which
 * parsers read differently. Numbers must be finite.
 * @throws Refusal 400 naming the reason
 */
export function readJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8');
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('The body is not JSON');
  }
  const problem = scan(text);
  if (problem) throw malformed(problem);
  if (mayOverflow.test(text) && hasInfinity(value)) throw malformed('A number is too large');
  return value;
}

// 1e400 is JSON, but is read as Infinity, which would be written on as null.
const mayOverflow = /\d[eE]\+?\d{3}|\d{300}/;

function hasInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInfinity);
}

function malformed(message: string): Refusal {
  return new Refusal('malformed_json', { errors: [{ field: 'body', message }] });
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;

/** One pass over text that is known to be JSON; a string followed by a colon is a key. */
function scan(text: string): string | undefined {
  const levels: (Set<string> | undefined)[] = [];
  let keys = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === openBrace || char === openBracket) {
      levels.push(char === openBrace ? new Set() : undefined);
      if (levels.length > depthMax) return `The body is nested deeper than ${depthMax} levels`;
    } else if (char === closeBrace || char === closeBracket) {
      levels.pop();
    } else if (char === quote) {
      const end = stringEnd(text, at);
      const level = levels.at(-1);
      if (level && nextIsColon(text, end + 1)) {
        if (++keys > keysMax) return `The body has more than ${keysMax} keys`;
        const raw = text.slice(at + 1, end);
        const key = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
        if (level.has(key)) return `The key ${JSON.stringify(key.slice(0, 50))} stands twice in one object`;
        level.add(key);
      }
      at = end;
    }
  }
  return undefined;
}

function stringEnd(text: string, from: number): number {
  for (let at = from + 1; ; at++) {
    const char = text.charCodeAt(at);
    if (char === backslash) at++;
    else if (char === quote) return at;
  }
}

function nextIsColon(text: string, from: number): boolean {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === colon;
}
