import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Part } from './json.ts';
import { at, document, nodes } from './testing.ts';

// Validators warn about an unknown format; here it is a failure.
const unknown = (warning: string) => {
  throw new Error(warning);
};
const logger = { log: unknown, warn: unknown, error: unknown };
const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true, logger })).addSchema(document, 'tandem');

describe('a validator with the schemas of the document', () => {
  it('accepts every phone number format that the API accepts', () => {
    const pointer = 'tandem#/components/schemas/LeadCreate';
    const validate = ajv.compile({ $ref: pointer });
    const takes = (phone: string) => validate({ email: 'a@example.com', firstName: 'A', lastName: 'B', phone });
    expect(['+491701234567', '+49 (170) 123-45.67', '(+49) 170 1234567'].map(takes)).toEqual([true, true, true]);
    expect(['0170 1234567', '+49', '+49 170 1234567 x2'].map(takes)).toEqual([false, false, false]);
  });

  it('accepts every example', () => {
    const invalid = examples().flatMap(({ pointer, value }) => {
      const validate = ajv.compile({ $ref: `tandem${pointer.schema}` });
      return validate(value) ? [] : [{ at: pointer.example, value, errors: validate.errors }];
    });
    expect(examples().length).toBeGreaterThan(200);
    expect(invalid).toEqual([]);
  });
});

function valueIn(example: Part): unknown {
  return typeof example.$ref === 'string' ? (at(example.$ref) as Part).value : example.value;
}

/** Every example with its schema. */
function examples(): { pointer: { schema: string; example: string }; value: unknown }[] {
  const insideAnExample = /\/(example|examples|default|const)(\/|$)/;
  return nodes(document)
    .filter(({ pointer }) => !insideAnExample.test(pointer.replaceAll('/properties/', '/')))
    .flatMap(({ pointer, value }) => {
      const found = (schema: string, example: string, one: unknown) => ({
        pointer: { schema, example: `${pointer}/${example}` },
        value: one,
      });
      if (Array.isArray(value.examples))
        return value.examples.map((one, index) => found(pointer, `examples/${index}`, one));
      if (!value.schema) return [];
      const several = Object.entries((value.examples ?? {}) as Record<string, Part>);
      return [
        ...('example' in value ? [found(`${pointer}/schema`, 'example', value.example)] : []),
        ...several.map(([name, one]) => found(`${pointer}/schema`, `examples/${name}`, valueIn(one))),
      ];
    });
}
