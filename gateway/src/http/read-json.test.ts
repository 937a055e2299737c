import fc from 'fast-check';
import { readJson } from './read-json.ts';

const read = (text: string) => readJson(Buffer.from(text));

describe('readJson', () => {
  it('reads what JSON.parse reads, when no key stands twice', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) =>
        expect(read(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value))),
      ),
    );
  });

  it.each([
    ['not JSON', '{ a: 1 }'],
    ['a key twice', '{"a":1,"b":{"c":1},"a":2}'],
    ['a key twice, once written with an escape', '{"a":1,"\\u0061":2}'],
    ['a key twice below', '{"x":[{"a":1 , "a" : 2}]}'],
    ['too deep', '['.repeat(21) + ']'.repeat(21)],
    [
      'too many keys',
      JSON.stringify(Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`k${index}`, 1]))),
    ],
    ['a number beyond all numbers', '{"a":[-1E+400]}'],
    ['a number of too many digits', `{"a":${'9'.repeat(310)}}`],
    ['nothing', ''],
    ['a truncated text', '{"a":"b'],
  ])('refuses %s', (_, text) => {
    expect(() => read(text)).toThrow('The request body is not valid JSON');
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => readJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow();
  });

  it.each([
    '{"a":"1e400","b":1e300}',
    '{"a":{"a":1},"b":{"a":2}}',
    '{"a":"a:\\"a\\":1"}',
    '["a","a"]',
    '{"__proto__":1}',
    '{"a":"\\\\"}',
  ])('takes %s', (text) => {
    expect(read(text)).toEqual(JSON.parse(text));
  });

  it('does not stall on hostile text', () => {
    const began = performance.now();
    for (const text of [`"${'\\"'.repeat(100_000)}"`, `{"${'a'.repeat(200_000)}":1}`, `[${'"x",'.repeat(50_000)}1]`])
      read(text);
    // Some milliseconds; a minute if the time grew with the square of the length.
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
