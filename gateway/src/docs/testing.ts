import { publicOperations } from '../contracts.ts';
import type { JsonSchema, Part } from './json.ts';
import { type OpenApiDocument, openApiDocument } from './openapi.ts';

/** The public operations. */
export const rows = publicOperations();
/** The document of the public operations, as it is served. */
export const document = JSON.parse(JSON.stringify(openApiDocument(rows))) as OpenApiDocument;
/** Every operation of the document. */
export const described = Object.values(document.paths).flatMap((item) => Object.values(item));

/** An operation of the document. */
export function byId(name: string): Part {
  return described.find(({ operationId }) => operationId === name) as Part;
}

/** A named schema of the document. */
export function schema(name: string): JsonSchema {
  return document.components.schemas?.[name] as JsonSchema;
}

/** Every object inside a value, with its JSON pointer. */
export function nodes(value: unknown, pointer = '#'): { pointer: string; value: Record<string, unknown> }[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([key, child]) => nodes(child, `${pointer}/${escaped(key)}`));
  return [{ pointer, value: value as Record<string, unknown> }, ...inside];
}

function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** The part of the document that a reference points to. */
export function at(reference: string): unknown {
  const steps = reference
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document);
}
