import { idUnions, isOfPlatform, type ResourceType, resourceTypes, unionMember, unionNumber } from '@tandem/contract';
import fc from 'fast-check';
import Sqids from 'sqids';
import { createIdCodec } from './codec.ts';

const alphabet = 'k3VqPz81RtLm0WcYTn5uQ2xJd7RfAe9BHgsXoNiKyUbMvDjEpZrFhCwS4G6OaIlT'.split('');
const distinct = [...new Set([...alphabet, ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'])].join(
  '',
);
const codec = createIdCodec(distinct);
// Two of 61 symbols.
const typesMax = 61 ** 2;
const types = Object.keys(resourceTypes) as ResourceType[];
const anId = fc.tuple(
  fc.constantFrom(...types),
  fc.integer({ min: 1, max: 2 ** 24 - 1 }),
  fc.integer({ min: 1, max: 2 ** 40 - 1 }),
);

describe('public ids', () => {
  it('have 17 characters at most for every number of a resource type within the bounds', () => {
    const sqids = new Sqids({ alphabet: distinct, minLength: 16, blocklist: new Set() });
    expect(Math.max(...Object.values(resourceTypes))).toBeLessThan(typesMax);
    for (const type of [60, 61, typesMax - 1])
      expect(sqids.encode([type, 2 ** 24 - 1, 2 ** 40 - 1]).length).toBeLessThanOrEqual(17);
  });

  it('decode to the original number and have 16 or 17 letters and digits', () => {
    fc.assert(
      fc.property(anId, ([type, tenant, id]) => {
        const code = codec.encode(type, tenant, id);
        expect(code).toMatch(/^[a-zA-Z0-9]{16,17}$/);
        expect(codec.decode(type, tenant, code)).toBe(id);
        expect(codec.decode(type, tenant, `${type}_${code}`)).toBe(id);
      }),
    );
  });

  it('are invalid for another type or tenant', () => {
    fc.assert(
      fc.property(
        anId,
        fc.constantFrom(...types),
        fc.integer({ min: 1, max: 1000 }),
        ([type, tenant, id], otherType, shift) => {
          const code = codec.encode(type, tenant, id);
          if (otherType !== type) expect(codec.decode(otherType, tenant, code)).toBeUndefined();
          if (!isOfPlatform(type)) expect(codec.decode(type, tenant + shift, code)).toBeUndefined();
        },
      ),
    );
  });

  it('tell their tenant where a request has none', () => {
    fc.assert(
      fc.property(anId, fc.constantFrom(...types), ([type, tenantId, id], otherType) => {
        const code = codec.encode(type, tenantId, id);
        expect(codec.locate(type, code)).toEqual({ tenantId: isOfPlatform(type) ? 0 : tenantId, id });
        if (otherType !== type) expect(codec.locate(otherType, code)).toBeUndefined();
      }),
    );
  });

  it('of the platform are the same for every tenant', () => {
    expect(codec.encode('addon', 1, 7)).toBe(codec.encode('addon', 2, 7));
    expect(codec.decode('addon', 3, codec.encode('addon', 1, 7))).toBe(7);
  });

  it('are rejected in any but the canonical form', () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9]{16}$/), (text) => {
        const id = codec.decode('lead', undefined, text);
        if (id !== undefined) accepted++;
      }),
      { numRuns: 2_000 },
    );
    expect(accepted).toBeLessThan(3);
  });

  it.each(['', '17', ' ', 'lead_', 'a'.repeat(16), 'é'.repeat(16), `${'9'.repeat(300)}`, '../../../../etc/pa'])(
    'refuse %j',
    (text) => {
      expect(codec.decode('lead', 1, text)).toBeUndefined();
    },
  );
});

it('the code of a union is the code of its record, and its number says which type it is', () => {
  for (const type of idUnions.learner) {
    const number = unionNumber('learner', type, 42);
    expect(unionMember('learner', number)).toEqual({ type, id: 42 });
    expect(codec.encode('learner', 7, number)).toBe(codec.encode(type, 7, 42));
    expect(codec.decode('learner', 7, codec.encode(type, 7, 42))).toBe(number);
    expect(codec.decode('learner', 8, codec.encode(type, 7, 42))).toBeUndefined();
  }
  expect(codec.decode('learner', 7, codec.encode('course', 7, 42))).toBeUndefined();
  expect(() => codec.encode('learner', 7, 7)).toThrow('7 is not the number of a learner');
});
