import type { IdKind, IdPath } from '@tandem/contract';
import { compileSteps, type Step } from './rewriter.ts';

/**
 * Replaces every id in a JSON text. `replace` gets the current value and returns the new one.
 * @throws SyntaxError when the text is not JSON, as far as it is scanned
 */
export type TextRewriter = (json: string, replace: (type: IdKind, value: unknown) => unknown) => string;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Compiles the id positions of a schema (walkIds) into one pass over a text. Everything else is copied as it is: for
 * megabytes of customer data this costs a tenth of parsing and serializing.
 */
export function compileTextRewriter(paths: IdPath[]): TextRewriter {
  const root = compileSteps(paths);
  return (json, replace) => rewrite(json, root, replace);
}

function rewrite(json: string, root: Step, replace: (type: IdKind, value: unknown) => unknown): string {
  let written = '';
  let copiedTo = 0;

  /** Rewrites the value that begins at `start`, and returns its end. */
  const visit = (step: Step, start: number): number => {
    const first = json.charCodeAt(start);
    if (step.type) {
      const end = valueEnd(json, start);
      const value = JSON.parse(json.slice(start, end));
      if (value === null) return end;
      written += json.slice(copiedTo, start) + JSON.stringify(replace(step.type, value));
      copiedTo = end;
      return end;
    }
    if (first === openBrace && (step.every || step.fields.length)) return visitObject(step, start);
    if (first === openBracket && step.every) return visitList(step.every, start);
    return valueEnd(json, start);
  };

  const visitObject = (step: Step, start: number): number => {
    let at = skipSpace(json, start + 1);
    if (json.charCodeAt(at) === closeBrace) return at + 1;
    for (;;) {
      const keyEnd = stringEnd(json, at);
      const key = json.slice(at + 1, keyEnd - 1);
      at = skipSpace(json, expect(json, skipSpace(json, keyEnd), colon));
      const next = step.fields.find(([field]) => field === key)?.[1] ?? step.every;
      at = skipSpace(json, next ? visit(next, at) : valueEnd(json, at));
      if (json.charCodeAt(at) === closeBrace) return at + 1;
      at = skipSpace(json, expect(json, at, comma));
    }
  };

  const visitList = (every: Step, start: number): number => {
    let at = skipSpace(json, start + 1);
    if (json.charCodeAt(at) === closeBracket) return at + 1;
    for (;;) {
      at = skipSpace(json, visit(every, at));
      if (json.charCodeAt(at) === closeBracket) return at + 1;
      at = skipSpace(json, expect(json, at, comma));
    }
  };

  const end = skipSpace(json, visit(root, skipSpace(json, 0)));
  if (end !== json.length) throw notJson(end);
  return written + json.slice(copiedTo);
}

function notJson(at: number): SyntaxError {
  return new SyntaxError(`Invalid JSON at ${at}`);
}

function expect(json: string, at: number, char: number): number {
  if (json.charCodeAt(at) !== char) throw notJson(at);
  return at + 1;
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (json.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** The end of a value. Only the brackets of arrays and objects are scanned, not their content. */
function valueEnd(json: string, start: number): number {
  const first = json.charCodeAt(start);
  if (first === quote) return stringEnd(json, start);
  if (first !== openBrace && first !== openBracket) return literalEnd(json, start);
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const char = json.charCodeAt(at);
    if (char === quote) at = stringEnd(json, at) - 1;
    else if (char < openBracket) continue;
    else if (char === openBrace || char === openBracket) depth++;
    else if ((char === closeBrace || char === closeBracket) && --depth === 0) return at + 1;
  }
  throw notJson(json.length);
}

const literalStarts = '-0123456789tfn';

function literalEnd(json: string, start: number): number {
  if (!literalStarts.includes(json.charAt(start) || ' ')) throw notJson(start);
  let at = start + 1;
  while (at < json.length && !endsLiteral(json.charCodeAt(at))) at++;
  return at;
}

function endsLiteral(char: number): boolean {
  return char <= 0x20 || char === comma || char === closeBrace || char === closeBracket;
}

/** The end of a string, including its closing quote. */
function stringEnd(json: string, start: number): number {
  if (json.charCodeAt(start) !== quote) throw notJson(start);
  for (let at = start + 1; at < json.length; at++) {
    const char = json.charCodeAt(at);
    if (char === quote) return at + 1;
    if (char === backslash) at++;
  }
  throw notJson(json.length);
}
