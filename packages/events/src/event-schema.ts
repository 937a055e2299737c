import { createHash } from 'node:crypto';
import type { EventDef } from '@tandem/contract';
import { z } from 'zod';

/** JSON Schema of the wire form of an event's data and record, without descriptions and examples. */
export function eventJsonSchema({ data, record }: EventDef): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(z.object({ data, record }), {
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
    version = createHash('sha256')
      .update(JSON.stringify(eventJsonSchema(event)))
      .digest('base64url')
      .slice(0, 12);
    versions.set(event, version);
  }
  return version;
}
