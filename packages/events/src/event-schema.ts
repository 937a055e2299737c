import { createHash } from 'node:crypto';
import type { EventDef } from '@tandem/contract';
import { z } from 'zod';

/** JSON Schema of the wire form of an event's data and record, without descriptions and examples. */
export function eventJsonSchema({ data, record }: EventDef): z.core.JSONSchema.BaseSchema {
  return plainSchema(z.object({ data, record }));
}

function plainSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      delete jsonSchema.description;
      delete jsonSchema.examples;
      delete jsonSchema.title;
    },
  });
}

const versions = new WeakMap<EventDef, string>();

/**
 * Version of an event's contract: a digest of its schema. Every message carries the version under which it was written, so
 * a consumer that cannot read an event knows whether the event is malformed or was written by another release.
 */
export function schemaVersion(event: EventDef): string {
  let version = versions.get(event);
  if (version === undefined) {
    version = digestOf(eventJsonSchema(event));
    versions.set(event, version);
  }
  return version;
}

/** A digest of the JSON Schema of data that webhooks receive, without descriptions and examples. */
export function dataSchemaDigest(data: z.ZodType): string {
  return digestOf(plainSchema(data));
}

function digestOf(schema: z.core.JSONSchema.BaseSchema): string {
  return createHash('sha256').update(JSON.stringify(schema)).digest('base64url').slice(0, 12);
}
