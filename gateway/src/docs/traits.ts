import { isPage, type Operation, unwrap } from '@tandem/contract';
import { z } from 'zod';

// What follows from a row without being written in it: the rules that hold for every operation (api/README.md).

/** Whether a tenant's programs and people call it; portal sessions and anybody else do not send API keys. */
export function isForKeys(row: Operation): boolean {
  return (row.audience ?? 'tenant') === 'tenant' && !row.peopleOnly;
}

/** Whether the answer is one record with a version, which is then its ETag. */
export function isVersioned({ reply }: Operation): boolean {
  if (isPage(reply)) return false;
  const schema = unwrap(reply);
  return schema instanceof z.ZodObject && 'version' in schema.shape;
}

/** Whether it changes a record that had a version before. */
export function takesIfMatch(row: Operation, all: Operation[]): boolean {
  if (row.ifMatch) return true;
  if (row.method === 'GET' || row.status === 201) return false;
  const read = all.find(({ method, path }) => method === 'GET' && path === row.path);
  return isVersioned(row) || (read !== undefined && isVersioned(read));
}
