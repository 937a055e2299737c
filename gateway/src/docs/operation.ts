import {
  type Feature,
  fillPath,
  includesOf,
  isPage,
  isRedirect,
  jobStartedMessage,
  lowestPlanWith,
  mediaOf,
  neededPermissions,
  nowOrJob,
  type Operation,
  permissionsByField,
  plans,
  portalRoles,
  portalRolesOf,
  replyStatus,
  signedIn,
  takesIdempotencyKey,
  viewResource,
} from '@tandem/contract';
import type { z } from 'zod';
import { describeLike, descriptionOf } from './descriptions.ts';
import { successExample, successName, successSchema } from './envelope.ts';
import type { ErrorResponses } from './error-responses.ts';
import { exampleOf } from './examples.ts';
import { offByDefault, successHeaders } from './headers.ts';
import type { JsonSchema, Part } from './json.ts';
import { pascal } from './pascal.ts';
import type { Schemas } from './schemas.ts';
import { tagOf } from './tags.ts';
import { isForKeys, takesIfMatch, takesIfNoneMatch } from './traits.ts';

/** The components shared by all operations of a document. */
interface Context {
  all: Operation[];
  schemas: Schemas;
  errors: ErrorResponses;
}

/** One operation of the document. */
export function operationPart(row: Operation, { all, schemas, errors }: Context): Part {
  const hasIfMatch = takesIfMatch(row, all);
  const parameters = [
    ...pathParameters(row, schemas),
    ...queryParameters(row, schemas),
    ...pageParameters(row),
    ...headerReferences(row, hasIfMatch),
    ...rawHeaderParameters(row),
    ...cookieParameters(row),
  ];
  const later = nowOrJob(row.reply);
  const reply = schemas.reply(later?.now ?? row.reply, `${pascal(row.id)}Result`);
  const body = row.body ?? row.form;
  const sent = body && requestOf(row, body, reply, schemas);
  return {
    operationId: row.id,
    tags: [tagOf(row.path)],
    summary: row.summary,
    description: description(row),
    security: security(row),
    ...(row.hosts && { servers: [tenantServer] }),
    ...(row.deprecated && { deprecated: true }),
    ...(row.permission && { 'x-permission': row.permission }),
    ...(row.audience === 'portal' && { 'x-portal-roles': portalRolesOf(row) }),
    ...(row.feature && { 'x-feature': row.feature }),
    ...(parameters.length && { parameters }),
    ...(sent && { requestBody: requestBody(row, sent, schemas) }),
    ...(row.rawBody && { requestBody: { required: true, content: { '*/*': {} } } }),
    responses: {
      ...(row.mayExist && { 200: success(row, reply, sent?.example, schemas, 200) }),
      [replyStatus(row)]: success(row, reply, sent?.example, schemas),
      ...(row.mayRedirect && { 302: redirected(row) }),
      ...(later && {
        202: success({ ...row, message: jobStartedMessage }, schemas.reply(later.job), undefined, schemas, 202),
      }),
      ...(takesIfNoneMatch(row) && { 304: { $ref: '#/components/responses/NotModified' } }),
      ...errors.of(row, hasIfMatch),
    },
  };
}

const tenantServer = {
  url: 'https://{host}',
  description: 'A verified page domain',
  variables: { host: { default: 'www.example.com', description: 'The host of the page domain' } },
};

/** The schema name of a request body: `LeadCreate`, `LeadUpdate`, and `ChangeLeadStatusRequest` for other verbs. */
function bodyName(operation: string): string {
  const [, verb, subject] = /^(create|update)([A-Z]\w*)$/.exec(operation) ?? [];
  return verb && subject ? subject + pascal(verb) : `${pascal(operation)}Request`;
}

/** Converts `/v1/leads/:id` to the OpenAPI form `/v1/leads/{id}`. */
export function pathTemplate(path: string): string {
  return fillPath(path, (field) => `{${field}}`);
}

function description(row: Operation): string {
  const access =
    row.permission === undefined
      ? 'Requires no credentials.'
      : row.permission === signedIn
        ? signedInAs(row)
        : accessTo(row);
  const end =
    row.deprecated && `Deprecated: works until ${row.deprecated.sunset}. Use \`${row.deprecated.successor}\` instead.`;
  const plan = row.feature && featureText(row.feature);
  return [row.description, end, access, plan].filter(Boolean).join('\n\n');
}

function signedInAs(row: Operation): string {
  const roles = portalRolesOf(row);
  if (!roles) return 'Requires credentials, but no permission.';
  const who =
    roles.length === portalRoles.length ? 'any role' : `the role ${anyOf.format(roles.map((role) => `\`${role}\``))}`;
  return `Requires a portal user with ${who}.`;
}

/** `Requires the feature workflows: the plan Starter or higher, or an addon.` */
function featureText(feature: Feature): string {
  const lowest = lowestPlanWith(feature);
  const plan = lowest ? `the plan ${plans[lowest].name} or higher, or ` : '';
  return `Requires the feature \`${feature}\`: ${plan}an addon that includes it.`;
}

/** `Requires the permissions a and b; for leadId and ownerId also c.` */
function accessTo(row: Operation): string {
  const needed = neededPermissions(row);
  const byPermission = Map.groupBy(permissionsByField(row), ({ permission }) => permission);
  const inFields = [...byPermission].map(
    ([permission, fields]) => `; for ${listed(fields.map((one) => one.for))} also \`${permission}\``,
  );
  return `Requires the permission${needed.length > 1 ? 's' : ''} ${listed(needed)}${inFields.join('')}.`;
}

function listed(names: readonly string[]): string {
  return inWords.format(names.map((name) => `\`${name}\``));
}

const anyOf = new Intl.ListFormat('en', { type: 'disjunction' });
const inWords = new Intl.ListFormat('en');

function security(row: Operation): Part[] {
  if (row.audience === 'public') return [];
  // Since OpenAPI 3.1, the array may list required roles for any security scheme; here it lists permissions.
  const needed = neededPermissions(row);
  if (row.audience === 'portal') return [{ PortalToken: needed }];
  const byToken = { AccessToken: needed, TenantId: [] };
  return row.peopleOnly ? [byToken] : [{ ApiKey: needed }, byToken];
}

function pathParameters({ params }: Operation, schemas: Schemas): Part[] {
  return Object.entries(params?.shape ?? {}).map(([name, field]) => {
    const { description: own, examples, ...schema } = schemas.path(field as z.ZodType);
    return {
      name,
      in: 'path',
      required: true,
      description: own ?? descriptionOf(schema, schemas),
      schema,
      example: (examples ?? schemas.resolve(schema).examples)?.[0],
    };
  });
}

function queryParameters(row: Operation, schemas: Schemas): Part[] {
  const item = itemOf(row, schemas);
  return Object.entries(row.query?.shape ?? {}).map(([name, field]) => {
    const { description: own, examples, ...schema } = schemas.query(field as z.ZodType);
    const required = !(field as z.ZodType).safeParse(undefined).success;
    const preset = schema.default ?? examples?.[0] ?? schemas.resolve(schema).enum?.[0];
    const like = item?.properties?.[name];
    const description = own ?? (like ? filterText(name, like, schemas) : descriptionOf(schema, schemas));
    const example = required && exampleOf({ ...schema, ...(examples && { examples }) }, schemas, `${row.id}.${name}`);
    return {
      name,
      in: 'query',
      ...(required && { required, example }),
      ...(!required && preset !== undefined && { examples: offByDefault(preset) }),
      ...(description && { description }),
      // `customFields[industry]=engineering`
      ...(schema.type === 'object' && { style: 'deepObject', explode: true }),
      schema,
    };
  });
}

/** The parameters that the gateway reads itself. */
function pageParameters(row: Operation): Part[] {
  const names = [...includesOf(row).keys()];
  const include: Part = {
    name: 'include',
    in: 'query',
    description:
      'Adds the names of the records behind these ids to the response, as `included`. Separate several with commas.',
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { type: 'string', enum: names } },
    examples: offByDefault(names.slice(0, 1)),
  };
  const view = viewResource(row) === undefined ? [] : [{ $ref: '#/components/parameters/View' }];
  return [...(names.length ? [include] : []), ...view];
}

/** The schema of the records that a list returns. */
function itemOf({ reply }: Operation, schemas: Schemas): JsonSchema | undefined {
  const { items } = isPage(reply) ? schemas.reply(reply) : {};
  return items && schemas.resolve(items);
}

/**
 * The description of a query parameter that filters by a record field: `Filter by status. The qualification status of
 * the lead`.
 */
function filterText(name: string, field: JsonSchema, schemas: Schemas): string {
  const isRef = field.$ref ?? field.anyOf?.[0]?.$ref;
  const meaning = field.description ?? (isRef?.endsWith('Id') ? undefined : descriptionOf(field, schemas));
  return meaning ? `Filter by \`${name}\`. ${meaning}` : `Filter by \`${name}\``;
}

function headerReferences(row: Operation, hasIfMatch: boolean): Part[] {
  const names = [
    ...(takesIdempotencyKey(row) ? ['IdempotencyKey'] : []),
    ...(hasIfMatch ? ['IfMatch'] : []),
    ...(takesIfNoneMatch(row) ? ['IfNoneMatch'] : []),
    ...(isForKeys(row) ? ['OnBehalfOf'] : []),
    ...(row.audience === 'public' ? [] : ['Environment']),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** The headers that a service reads with the bytes of a body. */
function rawHeaderParameters({ rawBody }: Operation): Part[] {
  return Object.entries(rawBody?.headers ?? {}).map(([name, description]) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  }));
}

function cookieParameters({ cookies }: Operation): Part[] {
  return Object.entries(cookies ?? {}).map(([name, text]) => ({
    name,
    in: 'cookie',
    description: text,
    schema: { type: 'string' },
  }));
}

interface Sent {
  schema: JsonSchema;
  example: unknown;
}

function requestOf(row: Operation, body: z.ZodType, reply: JsonSchema, schemas: Schemas): Sent {
  const schema = schemas.body(body, bodyName(row.id));
  const fields = schemas.resolve(schema);
  // A request field has the same meaning as the field with the same name in the record that it creates or updates.
  describeLike(fields, schemas.resolve(reply), schemas);
  if (row.form) addFile(fields);
  return {
    schema,
    example: row.form ? { file: '@offer.pdf' } : exampleOf(fields, schemas, row.id, { isRequest: true }),
  };
}

function requestBody({ form }: Operation, { schema, example }: Sent, schemas: Schemas): Part {
  const required = form !== undefined || schemas.resolve(schema).required !== undefined;
  return { required, content: { [form ? 'multipart/form-data' : 'application/json']: { schema, example } } };
}

/** Adds the file to the fields of a form. */
function addFile(form: JsonSchema): void {
  // `format: binary` is defined in OpenAPI 3.0; code generators still use it to generate a Blob or File.
  const file = {
    type: 'string',
    format: 'binary',
    contentMediaType: 'application/octet-stream',
    description: 'The file',
  };
  form.properties = { file, ...form.properties };
  form.required = ['file', ...(form.required ?? [])];
}

function success(row: Operation, data: JsonSchema, sent: unknown, schemas: Schemas, status = replyStatus(row)): Part {
  const head = { description: row.message, headers: successHeaders(row) };
  if (status === 204) return head;
  if (isRedirect(row.reply)) return { ...head, headers: { ...head.headers, Location: location } };
  const types = mediaOf(row.reply);
  if (types) return { ...head, content: Object.fromEntries(types.map((type) => [type, {}])) };
  const record = exampleResponse(sent, exampleOf(data, schemas, row.id), row.example);
  const example = successExample(row, status, record);
  const envelope = successSchema(row, status, data);
  const schema = row.envelope === 'none' ? data : schemas.share(successName(row, status, data), envelope);
  return { ...head, content: { 'application/json': { schema, example } } };
}

function redirected(row: Operation): Part {
  return { description: 'A redirect to the address', headers: { ...successHeaders(row), Location: location } };
}

const location: Part = {
  description: 'The URL to redirect to.',
  schema: { type: 'string', format: 'uri' },
};

/** The example of a reply: the example of its schema, with the values of the request and of the row. */
function exampleResponse(sent: unknown, data: unknown, own: Record<string, unknown> | undefined): unknown {
  if (!isRecord(data)) return data;
  const kept = isRecord(sent) ? Object.entries(sent).filter(([field]) => field in data) : [];
  return { ...data, ...Object.fromEntries(kept), ...own };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
