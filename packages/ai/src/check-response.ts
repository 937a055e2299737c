import { notJson, parseJson } from './parse-json.ts';
import { checkLevels, compileSchema } from './schema.ts';
import { SchemaError } from './schema-error.ts';

/** The value in a model's response, or its faults. */
export type Checked = { output: unknown; faults?: never } | { output?: never; faults: string[] };

const levelsMax = 40;

/** Parses a model's response, which must be JSON that matches a schema. */
export function checkResponse({ schema, response }: { schema: object; response: string }): Checked {
  const output = parseJson(response);
  if (output === undefined) return { faults: [notJson] };
  try {
    // A deeper value would overflow the stack when it is copied or serialized.
    checkLevels(output, levelsMax);
  } catch (error) {
    if (error instanceof SchemaError) return { faults: [`The value must be nested at most ${levelsMax} levels deep`] };
    throw error;
  }
  const faults = compileSchema(schema)(output);
  return faults.length ? { faults } : { output };
}
