import { longestTurn } from '@tandem/testing';
import fc from 'fast-check';
import { GatewayError } from './gateway-error.ts';
import { readJson } from './read-json.ts';

const read = (text: string) => readJson(Buffer.from(text));
/** Error message for a text; undefined if it is accepted. */
const errorOf = (text: string): string | undefined => {
  try {
    read(text);
    return undefined;
  } catch (error) {
    return (error as GatewayError).errors[0]?.message;
  }
};

describe('readJson', () => {
  it('reads what JSON.parse reads, if there are no duplicate keys', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) =>
        expect(read(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value))),
      ),
    );
  });

  it.each([
    ['not JSON', '{ a: 1 }'],
    ['a duplicate key', '{"a":1,"b":{"c":1},"a":2}'],
    ['a duplicate key, once with an escape', '{"a":1,"\\u0061":2}'],
    ['a nested duplicate key', '{"x":[{"a":1 , "a" : 2}]}'],
    ['too deep', '['.repeat(21) + ']'.repeat(21)],
    [
      'too many keys',
      JSON.stringify(Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`k${index}`, 1]))),
    ],
    ['a number that overflows', '{"a":[-1E+400]}'],
    ['a number with too many digits', `{"a":${'9'.repeat(310)}}`],
    ['an empty text', ''],
    ['a truncated text', '{"a":"b'],
  ])('rejects %s', (_, text) => {
    expect(() => read(text)).toThrow('The request body is not valid JSON');
  });

  it('accepts the items of a bulk request, whose keys are counted for each object', () => {
    const body = { items: Array.from({ length: 250 }, (_, number) => ({ a: 1, b: 2, c: 3, d: 4, number })) };
    expect(read(JSON.stringify(body))).toEqual(body);
  });

  it('rejects bytes that are not UTF-8', () => {
    expect(() => readJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow();
  });

  it.each([
    '{"a":"1e400","b":1e300}',
    '{"a":{"a":1},"b":{"a":2}}',
    '{"a":"a:\\"a\\":1"}',
    '["a","a"]',
    '{"__proto__":1}',
    '{"a":"\\\\"}',
  ])('accepts %s', (text) => {
    expect(read(text)).toEqual(JSON.parse(text));
  });

  const number = fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.constantFrom('0', '1', '9', '17', '1'.repeat(299), '9'.repeat(308), '9'.repeat(309), '1'.repeat(400)),
      fc.constantFrom('', '.0', '.5', `.${'9'.repeat(310)}`),
      fc.constantFrom('', 'e5', 'E+307', 'e308', 'e309', 'E+400', 'e-400', 'e000001', 'e0000400', 'e-0'),
    )
    .map((parts) => parts.join(''));
  const wrapper = fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => `[ ${text} ]`,
    (text) => `{"a":[{"b" :\n${text}},"1e999"]}`,
  );

  it('rejects exactly the numbers that JSON.parse turns into Infinity', () => {
    const hasInfinity = (value: unknown): boolean =>
      typeof value === 'object' && value !== null
        ? Object.values(value).some(hasInfinity)
        : Math.abs(Number(value)) === Number.POSITIVE_INFINITY && typeof value === 'number';
    fc.assert(
      fc.property(number, wrapper, (text, wrap) => {
        const body = wrap(text);
        const isRejected = errorOf(body) === 'A number is too large';
        expect([body, isRejected]).toEqual([body, hasInfinity(JSON.parse(body))]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('accepts or rejects any text as JSON.parse does', () => {
    const tokens = ['{', '}', '[', ']', ',', ':', '"a"', '"b"', '"\\"', '1', '-', 'e', 'true', ' ', '\\'];
    const token = fc.constantFrom(...tokens);
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        let parsed: unknown;
        try {
          parsed = JSON.parse(text);
        } catch {
          return expect(errorOf(text)).toBeDefined();
        }
        const problem = errorOf(text);
        if (problem === undefined) expect(read(text)).toEqual(parsed);
        else expect(problem).toContain('stands twice');
      }),
      { numRuns: 5_000 },
    );
  });

  it('accepts 20,000 values and rejects more, at any depth', () => {
    const list = (value: string, count: number) => `[${Array(count).fill(value).join(',')}]`;
    for (const value of ['1', '"a"', '[]', '{}', 'null']) {
      expect(read(list(value, 19_999))).toHaveLength(19_999);
      expect(errorOf(list(value, 20_000))).toBe('The body has more than 20,000 values');
    }
    expect(errorOf(`{"a":${list('1', 10_000)},"b":[${list('2', 10_000)}]}`)).toBe(
      'The body has more than 20,000 values',
    );
  });

  const fill = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / piece.length));
  it.each<[string, string]>([
    ['256 KB of 299-digit numbers', `{"x":[${fill(`${'1'.repeat(299)},`, 261_000)}1]}`],
    ['1 MB of 299-digit numbers', `{"x":[${fill(`${'1'.repeat(299)},`, 1_020_000)}1]}`],
    ['1.5 MB of 299-digit numbers', `{"x":[${fill(`${'1'.repeat(299)},`, 1_490_000)}1]}`],
    ['one number of 1.5 MB', `{"x":${'1'.repeat(1_490_000)}}`],
    ['a fraction of 1.5 MB', `{"x":0.${'1'.repeat(1_490_000)}}`],
    ['an exponent of 1.5 MB', `{"x":1e-${'1'.repeat(1_490_000)}}`],
    ['numbers with exponents', `{"x":[${fill('1e+99,', 1_490_000)}1]}`],
    ['750,000 numbers', `{"x":[${fill('1,', 1_490_000)}1]}`],
    ['500,000 objects', `{"x":[${fill('{},', 1_490_000)}1]}`],
    ['quotes', fill('"', 1_490_000)],
    ['escaped quotes', `{"x":"${fill('\\"', 1_490_000)}"}`],
    ['escaped characters', `{"x":"${fill('\\u0001', 1_490_000)}"}`],
    ['backslashes', `{"x":"${fill('\\\\', 1_490_000)}"}`],
    ['an unterminated string', `{"x":"${fill('a', 1_490_000)}`],
    ['a key of 1.5 MB', `{"${fill('\\u0061', 1_490_000)}":1}`],
    ['keys', `{${fill('"a":1,', 1_490_000)}"b":1}`],
    ['strings followed by spaces', `{"x":["${fill('a"           ,"', 1_490_000)}"]}`],
    ['spaces', `{"x" ${fill(' ', 1_490_000)}:1}`],
    ['nested arrays', fill('[', 1_490_000)],
    ['nested objects', fill('{"a":', 1_490_000)],
    ['closing brackets', fill(']', 1_490_000)],
    ['colons', fill(':', 1_490_000)],
    ['wide characters', `{"x":"${fill('漢', 490_000)}"}`],
  ])('takes less than 50 ms for %s', async (_, text) => {
    const bytes = Buffer.from(text);
    const ms = await longestTurn(async () => {
      try {
        readJson(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(GatewayError);
      }
    });
    expect(ms).toBeLessThan(50);
  });
});
