import { readFileSync } from 'node:fs';
import type { Operation } from '@tandem/contract';
import { envelopeSchemas } from './envelope.ts';
import { createErrorResponses, errorExamples } from './error-responses.ts';
import { headerParameters, notModified, responseHeaders } from './headers.ts';
import { introduction } from './introduction.ts';
import type { Part } from './json.ts';
import { operationPart, pathTemplate } from './operation.ts';
import { createSchemas } from './schemas.ts';
import { shareParameters } from './shared-parameters.ts';
import { tagsOf } from './tags.ts';
import { catalogue } from './vocabulary.ts';
import { deliveryParameters, deliveryResponses, webhookParts } from './webhooks.ts';

/** The parts of an OpenAPI 3.1 document that other code reads. */
export interface OpenApiDocument extends Part {
  paths: Record<string, Record<string, Part>>;
  webhooks: Record<string, Record<string, Part>>;
  components: Record<string, Record<string, Part>>;
}

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/**
 * Generates the document of the public API from the operation rows and the events of the contracts. It contains no text
 * about single operations: all of it comes from their rows.
 */
export function openApiDocument(operations: { row: Operation; service: string }[]): OpenApiDocument {
  const rows = operations.map(({ row }) => row).filter((row) => row.audience !== 'internal');
  const schemas = createSchemas();
  const errors = createErrorResponses();
  const described = rows.map((row) => ({ row, part: operationPart(row, { all: rows, schemas, errors }) }));
  const parameters = shareParameters(described.map(({ part }) => part));
  const paths = pathsOf(described);
  const webhooks = webhookParts(catalogue, schemas);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tandem API',
      version,
      description: introduction,
      contact: { name: 'Tandem support', url: '/docs' },
      license: { name: 'Proprietary', url: '/docs' },
    },
    servers: [{ url: '/', description: 'This gateway' }],
    tags: tagsOf(rows.map(({ path }) => path)),
    paths,
    webhooks,
    components: {
      schemas: merged(envelopeSchemas, byName(schemas.named)),
      parameters: merged(headerParameters, byName(parameters), deliveryParameters),
      headers: responseHeaders,
      examples: errorExamples,
      responses: merged(byName(errors.shared), deliveryResponses, { NotModified: notModified }),
      securitySchemes,
    },
  };
}

const securitySchemes: Record<string, Part> = {
  ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key from POST /v1/api-keys.' },
  AccessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token from POST /v1/auth/login, valid for 15 minutes.',
  },
  TenantId: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Tenant-Id',
    description: 'The id of the tenant that the access token belongs to.',
  },
  PortalToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token of a partner’s portal session.',
  },
};

function pathsOf(described: { row: Operation; part: Part }[]): Record<string, Record<string, Part>> {
  const paths: Record<string, Record<string, Part>> = {};
  for (const { row, part } of described) {
    const path = pathTemplate(row.path);
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: part };
  }
  return paths;
}

/** @throws when two parts have the same name, because one would replace the other */
function merged<T>(...groups: Record<string, T>[]): Record<string, T> {
  const names = groups.flatMap((group) => Object.keys(group));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new Error(`Two components of the document are named ${twice}`);
  return Object.assign({}, ...groups) as Record<string, T>;
}

function byName<T>(parts: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)));
}
