import { replyStatus, walkIds } from '@tandem/contract';
import type { z } from 'zod';
import { isExampleId } from './example-ids.ts';
import type { JsonSchema } from './json.ts';
import { at, byId, described, document, nodes, rows } from './testing.ts';
import { catalogue } from './vocabulary.ts';

describe('the schemas of the document', () => {
  it('have the names of the contracts, and names derived from the operations', () => {
    const names = Object.keys(document.components.schemas ?? {});
    for (const name of ['Lead', 'LeadDetail', 'LeadCreate', 'LeadUpdate', 'LeadStatus', 'LeadSource', 'LeadId'])
      expect(names).toContain(name);
    for (const name of [
      'ChangeLeadStatusRequest',
      'LeadResponse',
      'LeadPage',
      'LeadCreatedResponse',
      'LeadCreatedEvent',
    ])
      expect(names).toContain(name);
    const bodies = described.flatMap(({ operationId, requestBody }) => {
      const { content = {} } = (requestBody ?? {}) as { content?: Record<string, { schema: JsonSchema }> };
      // A body of which the service takes the bytes has no schema.
      const schemas = Object.entries(content).filter(([type]) => type !== '*/*');
      return schemas.map(([, { schema: body }]) => [operationId, body.$ref !== undefined]);
    });
    expect(bodies.filter(([, isNamed]) => !isNamed)).toEqual([]);
    expect(bodies.length).toBeGreaterThan(60);
  });

  it('contain each enum with several values once; a second use requires an exported schema', () => {
    const enums = nodes(document.components.schemas)
      .filter(
        ({ value, pointer }) => Array.isArray(value.enum) && value.enum.length > 1 && !pointer.includes('/examples/'),
      )
      .map(({ pointer, value }) => ({ pointer, words: JSON.stringify(value.enum) }));
    const inline = enums.filter(({ pointer }) => !/^#\/\w+$/.test(pointer));
    const repeated = inline.filter(({ words }) => enums.filter((other) => other.words === words).length > 1);
    expect(repeated).toEqual([]);
    expect(enums.length).toBeGreaterThan(50);
  });

  it('describe every property whose name does not explain it', () => {
    const undescribed = properties().filter(({ name, field }) => !selfExplaining.has(name) && !descriptionIn(field));
    expect(undescribed.map(({ pointer }) => pointer)).toEqual([]);
    expect(properties().length).toBeGreaterThan(800);
  });

  it('have the settings of every type of workflow node, and accept a draft that lacks some', () => {
    const { data } = at('#/components/schemas/WorkflowNode/properties') as Record<string, JsonSchema>;
    const shapes = data?.anyOf ?? [];
    const { enum: types = [] } = at('#/components/schemas/NodeTypeName') as JsonSchema;
    expect(shapes.map(({ title }) => title).toSorted()).toEqual([...types, 'draft'].toSorted());
    const ofSplit = shapes.find(({ title }) => title === 'split');
    expect([ofSplit?.required, Object.keys(ofSplit?.properties ?? {})]).toEqual([['variants'], ['label', 'variants']]);
    expect(shapes.at(-1)).toEqual({ title: 'draft', type: 'object', additionalProperties: true });
  });

  it('describe every parameter', () => {
    const parameters = nodes(document).filter(
      ({ value }) => value.in === 'query' || value.in === 'path' || value.in === 'header',
    );
    expect(parameters.filter(({ value }) => !value.description).map(({ pointer }) => pointer)).toEqual([]);
  });

  it('have ids of the right type in every example', () => {
    const wrong = rows.flatMap(({ row }) => {
      const success = (byId(row.id).responses as Record<string, { content?: Record<string, { example: unknown }> }>)[
        replyStatus(row)
      ];
      const { data } = (success?.content?.['application/json']?.example ?? {}) as { data?: unknown };
      const body = (byId(row.id).requestBody as { content?: Record<string, { example: unknown }> } | undefined)
        ?.content;
      return [...wrongIds(row.reply, data), ...wrongIds(row.body, body?.['application/json']?.example)].map(
        (found) => `${row.id}: ${found}`,
      );
    });
    expect(wrong).toEqual([]);
    expect(
      catalogue.flatMap(({ name, data, example }) => wrongIds(data, example).map((id) => `${name}: ${id}`)),
    ).toEqual([]);
  });
});

// Properties whose names need no explanation; every other one needs a description in its contract.
const selfExplaining = new Set([
  ...['name', 'title', 'description', 'email', 'firstName', 'lastName', 'password', 'company', 'filename'],
  ...['createdAt', 'updatedAt', 'version', 'success', 'status', 'message', 'data', 'meta'],
]);

/** Every property of every schema. */
function properties(): { pointer: string; name: string; field: JsonSchema }[] {
  return (
    nodes(document)
      .filter(({ pointer, value }) => value.properties !== undefined && !/\/(examples?|default)(\/|$)/.test(pointer))
      // `properties` is a map and not a schema, unless it is a property with that name.
      .filter(({ pointer }) => !pointer.endsWith('/properties') || pointer.endsWith('/properties/properties'))
      .flatMap(({ pointer, value }) =>
        Object.entries(value.properties as Record<string, JsonSchema>).map(([name, field]) => ({
          pointer: `${pointer}/properties/${name}`,
          name,
          field,
        })),
      )
      // The envelope's part of a response only refines fields that are already described.
      .filter(({ pointer, name }) => !(pointer.includes('/allOf/1/') && ['status', 'code'].includes(name)))
  );
}

/** The description of a property, or of the schema it refers to. */
function descriptionIn(field: JsonSchema): string | undefined {
  const value = field.anyOf?.[0] ?? field;
  return field.description ?? (value.$ref ? (at(value.$ref) as JsonSchema).description : value.description);
}

/** Values at id positions that are not ids of the type. */
function wrongIds(schemaWithIds: z.ZodType | undefined, example: unknown): string[] {
  return walkIds(schemaWithIds).flatMap(({ path, type }) =>
    valuesAt(example, path)
      .filter((value) => value !== null && value !== undefined && !isExampleId(type, String(value)))
      .map((value) => `${path.join('.')} is ${value}`),
  );
}

function valuesAt(value: unknown, [step, ...rest]: string[]): unknown[] {
  if (step === undefined) return [value];
  if (typeof value !== 'object' || value === null) return [];
  const inside = step === '*' ? Object.values(value) : [(value as Record<string, unknown>)[step]];
  return inside.flatMap((one) => valuesAt(one, rest));
}
