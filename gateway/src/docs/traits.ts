import { isPage, type Operation, unwrap } from '@tandem/contract';
import { z } from 'zod';

// Properties of operations that follow from the rules for all operations (api/README.md).

/** Whether the operation accepts API keys: not in the portal, not without credentials, not where only people are allowed. */
export function isForKeys(row: Operation): boolean {
  return (row.audience ?? 'tenant') === 'tenant' && !row.peopleOnly;
}

/** Whether the response is a single record with a version, with which its ETag begins. */
export function isVersioned({ reply }: Operation): boolean {
  if (isPage(reply)) return false;
  const schema = unwrap(reply);
  // The version of an addon is a text and no ETag.
  return (
    schema instanceof z.ZodObject && 'version' in schema.shape && unwrap(schema.shape.version) instanceof z.ZodNumber
  );
}

/** Whether the operation reads a record with an ETag, so that If-None-Match applies. */
export function takesIfNoneMatch(row: Operation): boolean {
  return row.method === 'GET' && isVersioned(row);
}

/** Whether the operation changes an existing record with a version. */
export function takesIfMatch(row: Operation, all: Operation[]): boolean {
  if (row.ifMatch) return true;
  const creates = row.status === 201 || (row.method === 'POST' && !row.path.includes('/:'));
  if (row.method === 'GET' || creates) return false;
  const read = all.find(({ method, path }) => method === 'GET' && path === row.path);
  return isVersioned(row) || (read !== undefined && isVersioned(read));
}
