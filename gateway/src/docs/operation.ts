import {
  isRedirect,
  mediaOf,
  neededPermissions,
  type Operation,
  permissionsByField,
  replyStatus,
  signedIn,
  takesIdempotencyKey,
} from '@tandem/contract';
import type { z } from 'zod';
import { successExample, successSchema } from './envelope.ts';
import { errorResponses } from './error-responses.ts';
import { exampleOf } from './examples.ts';
import { offByDefault, successHeaders } from './headers.ts';
import type { JsonSchema, Part } from './json.ts';
import type { Schemas } from './schemas.ts';
import { tagOf } from './tags.ts';
import { isForKeys, takesIfMatch } from './traits.ts';

/** One operation of the document. */
export function operationPart(row: Operation, all: Operation[], schemas: Schemas): Part {
  const hasIfMatch = takesIfMatch(row, all);
  const parameters = [
    ...pathParameters(row, schemas),
    ...queryParameters(row, schemas),
    ...headerReferences(row, hasIfMatch),
  ];
  const given = row.body ?? row.form;
  const sent = given && whatIsSent(row, given, schemas);
  return {
    operationId: row.id,
    tags: [tagOf(row.path)],
    summary: row.summary,
    description: description(row),
    security: security(row),
    ...(row.deprecated && { deprecated: true }),
    ...(row.permission && { 'x-permission': row.permission }),
    ...(parameters.length && { parameters }),
    ...(sent && { requestBody: requestBody(row, sent) }),
    responses: {
      ...(row.mayExist && { 200: success(row, sent?.example, schemas, 200) }),
      [replyStatus(row)]: success(row, sent?.example, schemas),
      ...errorResponses(row, hasIfMatch),
    },
  };
}

/** `/v1/leads/:id` as OpenAPI writes it: `/v1/leads/{id}`. */
export function pathTemplate(path: string): string {
  return path.replace(/\/:([a-zA-Z]+)/g, '/{$1}');
}

function description(row: Operation): string {
  const access =
    row.permission === undefined
      ? 'Needs no credentials.'
      : row.permission === signedIn
        ? 'Every signed-in caller may use it.'
        : accessTo(row);
  const end = row.deprecated && `Works until ${row.deprecated.sunset}; use \`${row.deprecated.successor}\` instead.`;
  return [row.description, end, access].filter(Boolean).join('\n\n');
}

/** `Needs the permissions `a` and `b`, and `c` for leadId.` */
function accessTo(row: Operation): string {
  const needed = neededPermissions(row).map((one) => `\`${one}\``);
  const fields = permissionsByField(row).map(({ permission, for: field }) => `\`${permission}\` for \`${field}\``);
  const always = `Needs the permission${needed.length > 1 ? 's' : ''} ${needed.join(' and ')}`;
  return fields.length ? `${always}, and ${fields.join(' and ')}.` : `${always}.`;
}

function security(row: Operation): Part[] {
  if (row.audience === 'public') return [];
  // Since 3.1 the names in the brackets say, for any scheme, what the caller must be allowed to do.
  const needed = neededPermissions(row);
  if (row.audience === 'portal') return [{ PortalToken: needed }];
  const byToken = { AccessToken: needed, TenantId: [] };
  return row.peopleOnly ? [byToken] : [{ ApiKey: needed }, byToken];
}

function pathParameters({ params }: Operation, schemas: Schemas): Part[] {
  return Object.entries(params?.shape ?? {}).map(([name, schema]) => {
    const { description: text, examples, ...rest } = schemas.body(schema as z.ZodType);
    return {
      name,
      in: 'path',
      required: true,
      ...(text && { description: text }),
      schema: rest,
      ...(examples && { example: examples[0] }),
    };
  });
}

function queryParameters({ query, id }: Operation, schemas: Schemas): Part[] {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    const { description: text, examples, ...rest } = schemas.query(schema as z.ZodType);
    const required = !(schema as z.ZodType).safeParse(undefined).success;
    const preset = rest.default ?? rest.enum?.[0];
    return {
      ...{ name, in: 'query' },
      ...(required && {
        required,
        example: exampleOf({ ...rest, ...(examples && { examples }) }, { named: {}, owner: `${id}.${name}` }),
      }),
      ...(!required && preset !== undefined && { examples: offByDefault(preset) }),
      ...(text && { description: text }),
      // `customFields[industry]=engineering`
      ...(rest.type === 'object' && { style: 'deepObject', explode: true }),
      schema: rest,
    };
  });
}

function headerReferences(row: Operation, hasIfMatch: boolean): Part[] {
  const names = [
    ...(takesIdempotencyKey(row) ? ['IdempotencyKey'] : []),
    ...(hasIfMatch ? ['IfMatch'] : []),
    ...(isForKeys(row) ? ['OnBehalfOf'] : []),
    ...(row.audience === 'public' ? [] : ['Environment']),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

interface Sent {
  schema: JsonSchema;
  example: unknown;
}

function whatIsSent(row: Operation, body: z.ZodType, schemas: Schemas): Sent {
  const schema = schemas.body(body);
  // A request makes or changes what the operation answers with.
  const { $ref } = schemas.reply(row.reply);
  const owner = $ref?.slice($ref.lastIndexOf('/') + 1) ?? row.id;
  return { schema, example: exampleOf(schema, { named: schemas.named, owner, isRequest: true }) };
}

function requestBody(row: Operation, { schema, example }: Sent): Part {
  // curl reads the file that stands behind the `@`. The other fields are optional: a sample that sets them needs a record.
  if (row.form)
    return {
      required: true,
      content: { 'multipart/form-data': { schema: withFile(schema), example: { file: '@offer.pdf' } } },
    };
  return { required: schema.required !== undefined, content: { 'application/json': { schema, example } } };
}

/** A form has its file beside its fields. */
function withFile(schema: JsonSchema): JsonSchema {
  // `format: binary` is of OpenAPI 3.0; code generators look at it to make a Blob or File.
  const file = {
    type: 'string',
    format: 'binary',
    contentMediaType: 'application/octet-stream',
    description: 'The file',
  };
  return { ...schema, properties: { file, ...schema.properties }, required: ['file', ...(schema.required ?? [])] };
}

function success(row: Operation, sent: unknown, schemas: Schemas, status = replyStatus(row)): Part {
  const head = { description: row.message, headers: successHeaders(row) };
  if (status === 204) return head;
  if (isRedirect(row.reply)) return { ...head, headers: { ...head.headers, Location: location } };
  const types = mediaOf(row.reply);
  if (types) return { ...head, content: Object.fromEntries(types.map((type) => [type, {}])) };
  const data = schemas.reply(row.reply);
  const example = successExample(row, status, answerTo(sent, exampleOf(data, { named: schemas.named, owner: row.id })));
  return { ...head, content: { 'application/json': { schema: successSchema(row, status, data), example } } };
}

const location: Part = {
  description: 'The address to go on to.',
  schema: { type: 'string', format: 'uri' },
};

/** The example of an answer, with what the example of the request set. */
function answerTo(sent: unknown, data: unknown): unknown {
  if (!isRecord(sent) || !isRecord(data)) return data;
  const { allowedTransitions } = data;
  const kept = Object.entries(sent).filter(([field]) => field in data);
  const next = Array.isArray(allowedTransitions) && {
    allowedTransitions: allowedTransitions.filter((status) => status !== sent.status),
  };
  return { ...data, ...next, ...Object.fromEntries(kept) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
