import { createHash } from 'node:crypto';
import type { ExternalRecord, RecordKind } from '../../connectors/sync.ts';
import type { SyncLink as LinkRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type { LinkRow };

/** Reads the links of records of a page, and of those that they refer to, by kind and id. */
export async function readLinks(
  tx: Tx,
  connectionId: number,
  keys: readonly { kind: RecordKind; id: string }[],
): Promise<Map<string, LinkRow>> {
  if (!keys.length) return new Map();
  const kinds = [...new Set(keys.map(({ kind }) => kind))];
  const found = await tx.syncLink.findMany({
    where: { connectionId, kind: { in: kinds }, externalId: { in: [...new Set(keys.map(({ id }) => id))] } },
  });
  return new Map(found.map((row) => [linkKey(row.kind, row.externalId), row]));
}

/** The link of a record of the platform. */
export function linkOf(tx: Tx, connectionId: number, kind: RecordKind, recordId: number): Promise<LinkRow | null> {
  return tx.syncLink.findFirst({ where: { connectionId, kind, recordId } });
}

export function linkKey(kind: string, externalId: string): string {
  return `${kind} ${externalId}`;
}

/** The records that a record refers to. */
export function referencesOf(record: ExternalRecord): { kind: RecordKind; id: string }[] {
  const refs: [RecordKind, string | null | undefined][] = [];
  if ('accountRef' in record) refs.push(['account', record.accountRef]);
  if ('leadRef' in record) refs.push(['lead', record.leadRef]);
  if ('occurrence' in record) refs.push(['calendar_event', record.occurrence?.seriesId]);
  return refs.flatMap(([kind, id]) => (id ? [{ kind, id }] : []));
}

/** A digest of the content of a record: equal contents are not written again, in either direction. */
export function hashOf(content: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(content)))
    .digest('base64url')
    .slice(0, 22);
}

/** A digest of what a record is written from: its content, and the records that it refers to. */
export function hashOfRecord(record: ExternalRecord): string {
  const { fields, isDeleted = false } = record;
  const more = 'outcome' in record ? [record.outcome, record.accountRef, record.leadRef] : [];
  return hashOf([fields, isDeleted, ...more, ...(record.kind === 'lead' ? [record.accountRef] : [])]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]));
}
