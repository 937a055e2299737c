import { z } from 'zod';
import { id } from './id.ts';
import { dropUnknownFields, idPathsVersion, unknownFields } from './known-fields.ts';

describe('the version of id positions', () => {
  const before = z.object({ id: id('lead'), name: z.string() });
  it('is the same when other fields change', () =>
    expect(idPathsVersion(before.extend({ score: z.int() }))).toBe(idPathsVersion(before)));
  it.each([
    ['an id is added', before.extend({ teamId: id('team').nullable() })],
    ['an id is of another type', before.extend({ id: id('task') })],
    ['a list of ids is added', before.extend({ others: z.array(z.object({ id: id('lead') })) })],
  ])('differs when %s', (_, after) => expect(idPathsVersion(after)).not.toBe(idPathsVersion(before)));
});

describe('unknown fields', () => {
  const schema = z.array(
    z.object({
      id: id('lead'),
      inner: z.object({ a: z.string() }).nullable(),
      either: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]).optional(),
      custom: z.record(z.string(), z.unknown()),
      anything: z.unknown(),
    }),
  );
  it('are removed at every depth, and free-form values stay', () => {
    const known = { id: '1', inner: { a: 'x' }, either: { b: 'y' }, custom: { k: { deep: 1 } }, anything: { c: 2 } };
    const value = [{ ...known, teamId: '5', inner: { a: 'x', ownerId: '7' }, either: { b: 'y', c: '8' } }];
    dropUnknownFields(schema, value);
    expect(value).toEqual([known]);
  });
});

describe('the paths of unknown fields', () => {
  const address = z.object({ zip: z.string() });
  const body = z.object({
    name: z.string(),
    address: address.nullish(),
    items: z.array(z.object({ sku: z.string() })).optional(),
    byName: z.record(z.string(), address).optional(),
    either: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]).optional(),
    custom: z.record(z.string(), z.unknown()).optional(),
    strict: z.strictObject({ a: z.string() }).optional(),
    leadId: id('lead').optional(),
    anything: z.unknown(),
  });

  it.each<[string, unknown, string[]]>([
    ['known fields', { name: 'a', address: { zip: '1' }, either: { a: '', b: '' } }, []],
    ['a field that the caller may not set', { name: 'a', tenantId: '7', createdAt: 'x' }, ['tenantId', 'createdAt']],
    ['a nested object', { address: { zip: '1', zipp: '2' } }, ['address.zipp']],
    [
      'array elements and values of a record',
      { items: [{}, { nam: 1 }], byName: { x: { y: 1 } } },
      ['items.1.nam', 'byName.x.y'],
    ],
    ['a union', { either: { c: 1 } }, ['either.c']],
    ['free-form and strict values', { custom: { a: { b: 1 } }, anything: { a: 1 }, strict: { b: 1 } }, []],
    ['values of another type', { name: { a: 1 }, items: 'x', address: [1], leadId: { a: 1 } }, []],
    ['no object', 'text', []],
  ])('are found in %s', (_, value, paths) => expect(unknownFields(body, value, 10)).toEqual(paths));

  it('are limited, and a large body costs no more than a bounded walk', () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({ sku: 'a', [`x${index}`]: 1 }));
    expect(unknownFields(body, { items }, 10)).toHaveLength(10);
    const known = { items: [...Array.from({ length: 20_000 }, () => ({ sku: 'a' })), { nam: 1 }] };
    expect(unknownFields(body, known, 10)).toEqual([]);
  });
});
