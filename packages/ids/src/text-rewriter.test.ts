import { freeForm, id, walkIds } from '@tandem/contract';
import { longestTurn } from '@tandem/testing';
import fc from 'fast-check';
import { z } from 'zod';
import { compileRewriter } from './rewriter.ts';
import { compileTextRewriter } from './text-rewriter.ts';

const schema = z.object({
  id: id('lead'),
  owner: id('user').nullable(),
  many: z.array(z.object({ id: id('team').optional(), customFields: freeForm() })),
  pair: z.array(id('lead')).length(2),
  byName: z.record(z.string(), z.object({ id: id('user') })),
  customFields: freeForm(),
});
const rewriteValue = compileRewriter(walkIds(schema));
const rewriteText = compileTextRewriter(walkIds(schema));
const replace = (type: string, found: unknown) => `${type}:${JSON.stringify(found)}`;

/** JSON values whose fields often have names of the schema. */
const { value: someValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    {
      weight: 2,
      arbitrary: fc.constantFrom<unknown>(null, true, 17, -0.5, '', '5', '"', '\\', '\\"', '{"id":"1"}', 'ä'),
    },
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.constantFrom('id', 'owner', 'many', 'pair', 'byName', 'customFields', '"id"', 'other'),
      tie('value'),
      { maxKeys: 5 },
    ),
  ),
}));

describe('the text rewriter', () => {
  it('writes the same as the rewriter of values', () => {
    const indent = fc.constantFrom(undefined, 2);
    fc.assert(
      fc.property(someValue, indent, (value, space) => {
        const copy = [structuredClone(value)];
        rewriteValue(copy[0], replace);
        const written = rewriteText(JSON.stringify(value, null, space), replace);
        // An id at the root cannot be replaced in place, and no response schema has one.
        expect(JSON.parse(written)).toEqual(copy[0]);
      }),
      { numRuns: 5_000 },
    );
  });

  it('copies everything else unchanged, digit by digit', () => {
    const text = '{ "a" : 1.0e0,"id":"1","customFields":{"id":"2","n":1e-7,"t":"\\u0041"} }';
    expect(rewriteText(text, () => 'x')).toBe(text.replace('"1"', '"x"'));
  });

  it.each([
    '',
    '{',
    '{"id"',
    '{"id":',
    '{"id":"1"',
    '{"id":"1"}}',
    '{"many":[{}',
    '{"id":,}',
    '<html>',
    '{"id":"1" "a":2}',
  ])('rejects %j, which is not JSON', (text) => {
    expect(() => rewriteText(text, replace)).toThrow(SyntaxError);
  });

  it.each<[string, unknown]>([
    ['objects', {}],
    ['numbers', 1],
    ['quotes', '"'.repeat(50)],
    ['backslashes', '\\'.repeat(50)],
  ])('takes less than 50 ms for a page of 3 MB of %s', async (_, value) => {
    const customFields = { list: Array(Math.floor(32_000 / (JSON.stringify(value).length + 1))).fill(value) };
    const text = JSON.stringify({ many: Array(100).fill({ id: '1', customFields }) });
    const rewrite = async () => expect(rewriteText(text, () => 'abcdefghij').length).toBeGreaterThan(text.length);
    expect(await longestTurn(rewrite)).toBeLessThan(50);
  });
});
