import type { FieldError } from '@tandem/contract';
import { z } from 'zod';
import { readFields } from './read-fields.ts';

const wrong = (schema: z.ZodType, value: unknown) => {
  const errors: FieldError[] = [];
  readFields(z.object({ it: schema }), { it: value }, errors);
  return errors.map(({ field, message }) => `${field}: ${message}`);
};

it.each<[string, z.ZodType, unknown, string]>([
  ['nothing', z.string(), undefined, 'it: Is required'],
  ['nothing, where the schema has words of its own', z.string('Must be blue'), undefined, 'it: Is required'],
  ['nothing for a choice', z.enum(['a', 'b']), undefined, 'it: Is required'],
  ['nothing for alternatives', z.union([z.string(), z.number()]), undefined, 'it: Is required'],
  ['null', z.string(), null, 'it: Must be a string'],
  ['a number for text', z.string(), 5, 'it: Must be a string'],
  ['text for a number', z.number(), '5', 'it: Must be a number'],
  ['a fraction', z.int(), 1.5, 'it: Must be a whole number'],
  ['text for yes or no', z.boolean(), 'yes', 'it: Must be true or false'],
  ['an object for a list', z.array(z.string()), {}, 'it: Must be a list'],
  ['a list for an object', z.object({}), [], 'it: Must be an object'],
  ['text for a record', z.record(z.string(), z.string()), 'x', 'it: Must be an object'],
  ['what must not be there', z.never(), 1, 'it: Must be left out'],
  ['a value that is no choice', z.enum(['a', 'b']), 'c', 'it: Must be one of a, b'],
  ['another value than the only one', z.literal(true), false, 'it: Must be true'],
  ['too small a number', z.number().min(1), 0, 'it: Must be at least 1'],
  ['too large a number', z.number().max(9), 10, 'it: Must be at most 9'],
  ['a number on the bound', z.number().positive(), 0, 'it: Must be more than 0'],
  ['a number below a bound that is not', z.number().lt(9), 9, 'it: Must be less than 9'],
  ['an uneven number', z.number().multipleOf(2), 3, 'it: Must be a multiple of 2'],
  ['empty text', z.string().min(1), '', 'it: Must not be empty'],
  ['too short a text', z.string().min(8), 'x', 'it: Must be at least 8 characters'],
  ['too long a text', z.string().max(1), 'xx', 'it: Must be at most 1 character'],
  ['a text of another length', z.string().length(3), 'xx', 'it: Must be exactly 3 characters'],
  ['too short a list', z.array(z.int()).min(1), [], 'it: Must hold at least 1 entry'],
  ['too long a list', z.array(z.int()).max(2), [1, 2, 3], 'it: Must hold at most 2 entries'],
  ['no address', z.email(), 'x', 'it: Must be a valid e-mail address'],
  ['no URL', z.url(), 'x', 'it: Must be an address such as https://example.com'],
  ['no time', z.iso.datetime(), 'x', 'it: Must be an ISO 8601 date and time'],
  ['a format without words', z.cuid2(), '-', 'it: Must match /^[0-9a-z]+$/'],
  ['another form', z.string().regex(/^a$/), 'b', 'it: Must match /^a$/'],
  ['another beginning', z.string().startsWith('a'), 'b', 'it: Must begin with a'],
  ['a field too many', z.strictObject({}), { b: 1 }, 'it: Must not have other fields than it takes, such as b'],
  ['none of two types', z.union([z.string(), z.null()]), 1, 'it: Must be a string, or must be null'],
  [
    'a form of no kind',
    z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
    { k: 'c' },
    'it.k: Must be one of a, b',
  ],
  ['a wrong name', z.record(z.string().max(1), z.int()), { ab: 1 }, 'it.ab: The name must be at most 1 character'],
  ['a wrong entry', z.array(z.string()), ['a', 1], 'it.1: Must be a string'],
  ['what a rule without words refuses', z.string().refine(() => false), 'x', 'it: Must have another value'],
  ['what a schema has words for', z.string().max(1, 'Must be short'), 'xx', 'it: Must be short'],
])('says what is valid for %s', (_, schema, value, expected) => {
  expect(wrong(schema, value)).toEqual([expected]);
});

it('says that the value must be an object, without listing its fields', () => {
  const schema = z.object({ it: z.string() });
  const errors: FieldError[] = [];
  expect(readFields(schema, { it: 'x' }, errors)).toEqual({ it: 'x' });
  expect([readFields(schema, [1], errors), errors]).toEqual([
    undefined,
    [{ field: 'body', message: 'Must be an object' }],
  ]);
});

it.each([
  ['{"__proto__":1}', '__proto__'],
  ['{"data":{"__proto__":{"admin":true}}}', 'data.__proto__'],
  ['{"data":{"list":[{"\\u005f_proto__":1}]}}', 'data.list.0.__proto__'],
])('rejects the key __proto__ in %s and names its position', (text, field) => {
  const errors: { field: string; message: string }[] = [];
  const schema = z.object({ data: z.record(z.string(), z.unknown()).optional() });
  expect(readFields(schema, JSON.parse(text), errors)).toBeUndefined();
  expect(errors).toEqual([{ field, message: 'Must not be named __proto__' }]);
});

it('keeps the keys constructor and prototype', () => {
  const data = { constructor: 'x', prototype: 'y' };
  expect(readFields(z.object({ data: z.record(z.string(), z.unknown()) }), { data }, [])).toEqual({ data });
});
