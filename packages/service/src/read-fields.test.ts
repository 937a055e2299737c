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
  ['a missing value whose schema has a message', z.string('Must be blue'), undefined, 'it: Is required'],
  ['a missing value for an enum', z.enum(['a', 'b']), undefined, 'it: Is required'],
  ['a missing value for a union', z.union([z.string(), z.number()]), undefined, 'it: Is required'],
  ['null', z.string(), null, 'it: Must be a string'],
  ['a number for text', z.string(), 5, 'it: Must be a string'],
  ['text for a number', z.number(), '5', 'it: Must be a number'],
  ['a fraction', z.int(), 1.5, 'it: Must be a whole number'],
  ['text for a boolean', z.boolean(), 'yes', 'it: Must be true or false'],
  ['an object for a list', z.array(z.string()), {}, 'it: Must be a list'],
  ['a list for an object', z.object({}), [], 'it: Must be an object'],
  ['text for a record', z.record(z.string(), z.string()), 'x', 'it: Must be an object'],
  ['a value that must be omitted', z.never(), 1, 'it: Must be omitted'],
  ['a value outside the enum', z.enum(['a', 'b']), 'c', 'it: Must be one of a, b'],
  ['a value other than the literal', z.literal(true), false, 'it: Must be true'],
  ['too small a number', z.number().min(1), 0, 'it: Must be at least 1'],
  ['too large a number', z.number().max(9), 10, 'it: Must be at most 9'],
  ['a number at an exclusive bound', z.number().positive(), 0, 'it: Must be more than 0'],
  ['a number at an exclusive upper bound', z.number().lt(9), 9, 'it: Must be less than 9'],
  ['a number that is not a multiple', z.number().multipleOf(2), 3, 'it: Must be a multiple of 2'],
  [
    'a number outside of two bounds with one message',
    z.int({ error: 'Must fit' }).max(9, 'Must fit'),
    1e308,
    'it: Must fit',
  ],
  ['empty text', z.string().min(1), '', 'it: Must not be empty'],
  ['too short a text', z.string().min(8), 'x', 'it: Must be at least 8 characters'],
  ['too long a text', z.string().max(1), 'xx', 'it: Must be at most 1 character'],
  ['a text of the wrong length', z.string().length(3), 'xx', 'it: Must be exactly 3 characters'],
  ['too short a list', z.array(z.int()).min(1), [], 'it: Must contain at least 1 entry'],
  ['too long a list', z.array(z.int()).max(2), [1, 2, 3], 'it: Must contain at most 2 entries'],
  ['an invalid e-mail address', z.email(), 'x', 'it: Must be a valid e-mail address'],
  ['an invalid URL', z.url(), 'x', 'it: Must be a URL such as https://example.com'],
  ['an invalid time', z.iso.datetime(), 'x', 'it: Must be an ISO 8601 date and time'],
  ['a format without a message', z.cuid2(), '-', 'it: Must match /^[0-9a-z]+$/'],
  ['a pattern mismatch', z.string().regex(/^a$/), 'b', 'it: Must match /^a$/'],
  ['the wrong prefix', z.string().startsWith('a'), 'b', 'it: Must begin with a'],
  ['an unknown field', z.strictObject({}), { b: 1 }, 'it: Must not contain unknown fields, such as b'],
  ['a value of no union type', z.union([z.string(), z.null()]), 1, 'it: Must be a string, or must be null'],
  [
    'an unknown discriminator',
    z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
    { k: 'c' },
    'it.k: Must be one of a, b',
  ],
  ['an invalid key', z.record(z.string().max(1), z.int()), { ab: 1 }, 'it.ab: The name must be at most 1 character'],
  ['an invalid entry', z.array(z.string()), ['a', 1], 'it.1: Must be a string'],
  ['a value that a rule without a message rejects', z.string().refine(() => false), 'x', 'it: Is invalid'],
  ['a schema with a message', z.string().max(1, 'Must be short'), 'xx', 'it: Must be short'],
])('reports what is valid for %s', (_, schema, value, expected) => {
  expect(wrong(schema, value)).toEqual([expected]);
});

it('reports that the value must be an object, without listing its fields', () => {
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

it('replaces the marks of ids in the name of a field, which the gateway would encode as an id', () => {
  const errors: FieldError[] = [];
  readFields(z.object({ data: z.record(z.string(), z.string()) }), { data: { '‹lead 5›': 1 } }, errors);
  expect(errors).toMatchObject([{ field: 'data.\uFFFDlead 5\uFFFD' }]);
});
