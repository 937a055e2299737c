import { lookupsOf } from './lookups.ts';
import type { Field, Model } from './models.ts';

const field = (name: string, type: Field['type'], isList = false): [string, Field] => [
  name,
  { name, column: name, type, isList, isNullable: false, isUpdatedAt: false },
];
const lead: Model = {
  name: 'Lead',
  table: 'lead',
  fields: new Map([field('custom', 'Json'), field('tags', 'String', true)]),
  relations: new Map(),
  toMany: new Map(),
  indexes: [],
  isPlain: true,
};
const known = new Set(['lead_with_custom', 'lead_with_tags']);
const find = (where: object) =>
  lookupsOf(lead, { where: { ...where }, sort: 'id', isDescending: false, skip: 0, take: 1 }, known);

it('finds the records of a list by a member, and those of a JSON object by a member of its own', () => {
  expect(find({ tags: { has: 'vip' }, custom: { path: ['size'], equals: 5 } })).toEqual([
    { name: 'lead_with_tags', values: ['vip'] },
    { name: 'lead_with_custom', values: ['{"size":5}'] },
  ]);
});

it.each([
  { path: ['address', 'city'], equals: 'Berlin' },
  { path: [], equals: 'Berlin' },
  { path: ['size'], gt: 5 },
])('finds nothing for a condition that the function cannot answer: %j', (custom) => {
  const flat = { custom: { path: ['city'], equals: 'Berlin' } };
  expect([find({ custom }), find({ OR: [flat, { custom }] })]).toEqual([[], []]);
});
