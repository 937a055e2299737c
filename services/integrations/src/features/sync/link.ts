import { createHash } from 'node:crypto';
import type { ExternalRecord, RecordKind, Sync } from '../../connectors/sync.ts';
import type { SyncLink as LinkRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type { LinkRow };

/** The records that links are about: those of a connection, and of a part of the connected system. */
export interface Place {
  connectionId: number;
  scope: string;
}

/** The place of the records of a config. */
export function placeOf(connectionId: number, sync: Sync, settings: Record<string, unknown>): Place {
  return { connectionId, scope: sync.scope?.(settings) ?? '' };
}

/** Reads the links of records of a page, and of those that they refer to, by kind and id. */
export async function readLinks(
  tx: Tx,
  place: Place,
  keys: readonly { kind: RecordKind; id: string }[],
): Promise<Map<string, LinkRow>> {
  if (!keys.length) return new Map();
  const kinds = [...new Set(keys.map(({ kind }) => kind))];
  const found = await tx.syncLink.findMany({
    where: { ...place, kind: { in: kinds }, externalId: { in: [...new Set(keys.map(({ id }) => id))] } },
  });
  return new Map(found.map((row) => [linkKey(row.kind, row.externalId), row]));
}

/** The link of a record of the platform. */
export function linkOf(tx: Tx, place: Place, kind: RecordKind, recordId: number): Promise<LinkRow | null> {
  return tx.syncLink.findFirst({ where: { ...place, kind, recordId } });
}

export function linkKey(kind: string, externalId: string): string {
  return `${kind} ${externalId}`;
}

/** The content of a link. */
export type LinkData = Pick<LinkRow, 'recordId' | 'hash'> & Partial<Pick<LinkRow, 'recordHash'>>;

/** Links a record of the connected system to a record here, or updates the link. */
export async function storeLink(
  tx: Tx,
  { connectionId, scope }: Place,
  { kind, id, version }: Pick<ExternalRecord, 'kind' | 'id' | 'version'>,
  data: LinkData,
): Promise<void> {
  const now = new Date();
  const key = { connectionId, scope, kind, externalId: id };
  const content = { ...data, version: version.slice(0, 255), seenAt: now, updatedAt: now };
  const { count } = await tx.syncLink.updateMany({ where: key, data: content });
  if (!count) await tx.syncLink.createMany({ data: [{ ...key, ...content }], skipDuplicates: true });
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
