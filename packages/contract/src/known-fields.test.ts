import { z } from 'zod';
import { id } from './id.ts';
import { dropUnknownFields, idPathsVersion } from './known-fields.ts';

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
