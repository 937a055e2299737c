import { unknownId } from './id.ts';

it.each([
  ['lead', 'No lead with this id'],
  ['status_definition', 'No status definition with this id'],
  ['co_marketing_resource', 'No co-marketing resource with this id'],
  ['api_key', 'No API key with this id'],
] as const)('names the resource type %s in words', (type, message) => {
  expect(unknownId(type)).toBe(message);
});
