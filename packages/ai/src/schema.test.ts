import { longestTurn } from '@tandem/testing';
import { checkResponse } from './check-response.ts';
import { compileSchema, smallestInstance } from './schema.ts';
import { SchemaError } from './schema-error.ts';
import { createSchemas } from './schemas.ts';

const nested = (levels: number): object => (levels ? { type: 'object', properties: { a: nested(levels - 1) } } : {});
const doubled = (levels: number) => {
  const steps = Array.from({ length: levels }, (_, n) => [
    `s${n}`,
    { allOf: [{ $ref: `#/$defs/s${n + 1}` }, { $ref: `#/$defs/s${n + 1}` }] },
  ]);
  return { $ref: '#/$defs/s0', $defs: { ...Object.fromEntries(steps), [`s${levels}`]: { type: 'string' } } };
};

describe('smallestInstance', () => {
  it.each<[object, unknown]>([
    [{ const: null }, null],
    [{ const: 7, default: 8 }, 7],
    [{ enum: ['b', 'a'] }, 'b'],
    [{ type: 'string', default: 'x', examples: ['y'] }, 'x'],
    [{ type: 'string', examples: ['y'] }, 'y'],
    [{ type: 'string', default: 5 }, ''],
    [{ type: 'string', minLength: 3 }, 'xxx'],
    [{ type: 'string', format: 'email' }, 'user@example.com'],
    [{ type: 'boolean' }, false],
    [{ type: 'null' }, null],
    [{ type: ['null', 'string'] }, null],
    [{ type: 'integer' }, 0],
    [{ type: 'integer', minimum: 5 }, 5],
    [{ type: 'integer', maximum: -5 }, -5],
    [{ type: 'integer', exclusiveMinimum: 5 }, 6],
    [{ type: 'integer', minimum: 5, multipleOf: 4 }, 8],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    [{ type: 'number', maximum: -1.5 }, -1.5],
    [{ type: 'array', items: { type: 'string' } }, []],
    [{ type: 'array', items: { type: 'integer' }, minItems: 3, uniqueItems: true }, [0, 1, 2]],
    [{ type: 'array', items: { enum: ['a', 'b'] }, minItems: 2, uniqueItems: true }, ['a', 'b']],
    [{ type: 'array', prefixItems: [{ const: 1 }, { const: 2 }], minItems: 2 }, [1, 2]],
    [{ type: 'array', contains: { const: 4 } }, [4]],
    [{ type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } }, required: ['b'] }, { b: 0 }],
    [
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } } },
      { a: '', b: 0 },
    ],
    [{ type: 'object', required: ['x'], additionalProperties: { type: 'integer' } }, { x: 0 }],
    [{ type: 'object', minProperties: 1, additionalProperties: { type: 'boolean' } }, { property1: false }],
    [{}, {}],
    [{ $ref: '#/$defs/a', $defs: { a: { type: 'integer', minimum: 2 } } }, 2],
    [{ allOf: [{ minimum: 3 }, { type: 'integer', minimum: 4 }] }, 4],
    [{ anyOf: [{ type: 'string', minLength: 1 }, { type: 'integer' }] }, 'x'],
    [{ oneOf: [{ type: 'number' }, { type: 'integer' }, { type: 'string' }] }, ''],
    [
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'array',
        items: [{ type: 'string' }, { type: 'integer' }],
        minItems: 2,
        additionalItems: false,
      },
      ['', 0],
    ],
    [
      {
        type: 'object',
        properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
        required: ['name', 'children'],
      },
      { name: '', children: [] },
    ],
    [{ type: 'object', properties: { parent: { $ref: '#' } } }, {}],
    [
      { type: 'object', properties: { pattern: { const: 1 }, $id: { const: 2 } }, required: ['pattern', '$id'] },
      { pattern: 1, $id: 2 },
    ],
  ])('builds for %j the value %j', (schema, expected) => {
    expect(smallestInstance(schema)).toEqual(expected);
    expect(compileSchema(schema)(expected)).toEqual([]);
  });

  it.each(
    'date time date-time duration email hostname ipv4 ipv6 uri uri-reference uri-template uuid json-pointer regex byte'.split(
      ' ',
    ),
  )('builds a text of the format %s', (format) => {
    const schema = { type: 'object', properties: { a: { type: 'string', format } }, required: ['a'] };
    expect(compileSchema(schema)(smallestInstance(schema))).toEqual([]);
  });
});

describe('a schema', () => {
  it.each<[string, unknown, RegExp]>([
    ['a list', [], /Must be an object/],
    ['nothing', null, /Must be an object/],
    ['more than 64 KB', { description: 'x'.repeat(65_536) }, /64 KB/],
    ['eleven levels', nested(11), /10 levels/],
    ['a reference to another document', { $ref: 'https://example.com/schema.json' }, /inside the schema/],
    ['a dangling reference', { $ref: '#/$defs/none' }, /can't resolve|Must be a valid JSON Schema/],
    ['a pattern', { properties: { a: { type: 'string', pattern: '^(a+)+$' } } }, /pattern is not supported/],
    ['a pattern of names', { patternProperties: { '^(a+)+$': {} } }, /patternProperties is not supported/],
    ['an $id', { $id: 'https://example.com/mine' }, /\$id is not supported/],
    ['asynchronous checks', { $async: true }, /\$async is not supported/],
    ['an unknown keyword', { typo: 'string' }, /unknown keyword/],
    ['an unknown type', { type: 'text' }, /Must be a valid JSON Schema/],
    ['an unknown format', { type: 'string', format: 'colour' }, /Must be a valid JSON Schema/],
    ['a contradiction', { type: 'string', minLength: 2, maxLength: 1 }, /No valid value/],
    ['an endless value', { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] }, /No valid value/],
    ['a huge list', { type: 'array', minItems: 1e9 }, /No valid value/],
    ['a huge text', { type: 'string', minLength: 1e9 }, /No valid value/],
    [
      'a long text many times',
      { type: 'array', minItems: 4_000, items: { type: 'string', minLength: 40_000 } },
      /No valid value/,
    ],
    [
      'a long constant many times',
      { type: 'array', minItems: 4_000, items: { const: 'x'.repeat(40_000) } },
      /No valid value/,
    ],
    [
      'a long name many times',
      { type: 'array', minItems: 2_000, items: { required: ['x'.repeat(40_000)] } },
      /No valid value/,
    ],
    ['a reference to itself', { $ref: '#' }, /endless references/],
    ['an impossible one', { not: {} }, /No valid value/],
  ])('is rejected when it is %s', (_, schema, message) => {
    expect(() => smallestInstance(schema)).toThrow(SchemaError);
    expect(() => smallestInstance(schema)).toThrow(message);
  });

  it('may have ten levels', () => {
    expect(compileSchema(nested(9))({})).toEqual([]);
  });

  it('lists the faults of a value', () => {
    const faults = compileSchema({ type: 'object', properties: { a: { enum: ['x'] } }, required: ['a'] });
    expect(faults({})).toEqual(["The value must have required property 'a'"]);
    expect(faults({ a: 'y' })).toEqual(['a must be equal to one of the allowed values (["x"])']);
  });

  it('leaves no state behind: the same ids can be reused', () => {
    for (const type of ['string', 'integer']) {
      expect(smallestInstance({ $ref: '#/$defs/a', $defs: { a: { type } } })).toBe(type === 'string' ? '' : 0);
    }
  });
});

describe('checkResponse', () => {
  const schema = { type: 'array', items: { $ref: '#' } };

  it('rejects a value that is too deep to be copied', () => {
    const response = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(checkResponse({ schema, response })).toEqual({ faults: [expect.stringContaining('40 levels')] });
  });

  it('returns a valid value', () => {
    expect(checkResponse({ schema, response: '[[],[[]]]' })).toEqual({ output: [[], [[]]] });
  });
});

describe('createSchemas', () => {
  const schemas = createSchemas();
  afterAll(() => schemas.close());

  const [customer, other] = [1, 2];
  const alternatives = (levels: number) => {
    const level = (n: number) => ({ anyOf: Array(3).fill({ $ref: `#/$defs/a${n + 1}` }) });
    const defs = Array.from({ length: levels }, (_, n): [string, object] => [`a${n}`, level(n)]);
    const last = { type: 'string', minLength: 1 };
    return {
      $ref: '#/$defs/a0',
      not: { type: 'string' },
      $defs: { ...Object.fromEntries(defs), [`a${levels}`]: last },
    };
  };

  it.each<[string, object]>([
    ['30 levels of 3 alternatives', alternatives(30)],
    ['40 levels of doubled conditions', doubled(40)],
  ])('rejects %s as too complex, without blocking the event loop, and reads the next schema', async (_, schema) => {
    const read = () => expect(schemas.read(schema, customer)).rejects.toThrow(/too complex/);
    expect(await longestTurn(read, 2)).toBeLessThan(50);
    for (const tenant of [customer, other])
      expect((await schemas.read({ type: 'integer', minimum: 3 }, tenant)).smallest).toBe(3);
  });

  it('reads the schema of one tenant while that of another is being rejected', async () => {
    // Start both threads first, so that only their work is measured.
    await Promise.all([customer, other].map((tenant) => schemas.read({ type: 'integer' }, tenant)));
    const ended: string[] = [];
    const refused = [1, 2, 3, 4, 5].map(() =>
      schemas.read(alternatives(30), customer).catch(() => void ended.push('too complex')),
    );
    await schemas.read({ type: 'integer' }, other).then(() => ended.push('read'));
    expect(ended.length).toBeLessThan(5);
    await Promise.all(refused);
    expect(ended).toHaveLength(6);
  });

  it('reports a response that takes too long to check', async () => {
    const { $defs } = alternatives(30);
    const schema = { type: ['integer', 'string'], if: { type: 'integer' }, else: { $ref: '#/$defs/a0' }, $defs };
    const { check } = await schemas.read(schema, customer);
    expect(await check('5')).toEqual({ output: 5 });
    expect(await check('""')).toEqual({ faults: [expect.stringContaining('too long')] });
  });
});
