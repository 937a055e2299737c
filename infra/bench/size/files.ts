import { fleet } from '@tandem/gateway/contracts';
import { createIdCodec } from '@tandem/ids';
import type { Place } from '../place.ts';
import type { Row } from '../results.ts';
import { type Case, casesOf } from './cases.ts';
import { fileCounts, fillFiles, seeded } from './files-data.ts';
import type { MeasuredList } from './lists.ts';
import { ask, measure } from './requests.ts';

const members = ['gateway', 'identity', 'files'];
const goalMs = 30;
const goals = { page: goalMs, list: goalMs, search: goalMs };
const dayMs = 86_400_000;

/** Measures the list of files of a tenant with 1,000,000 files, through the gateway, one request at a time. */
export async function measureFilesSize(place: Place): Promise<Row[]> {
  for (const name of members) await place.startMember(name);
  const tenant = await place.aTenant();
  const ids = createIdCodec(place.environment['gateway']?.['IDS_ALPHABET'] as string);
  const tenantId = ids.decode('tenant', undefined, tenant.id) as number;
  const firstUser = ids.decode('user', tenantId, tenant.userId) as number;
  const narrowed = await tenant.owner.createApiKey({
    body: { name: 'own files', environment: 'live', permissions: ['files:read:own'] },
  });
  const keys = { all: tenant.live, own: narrowed.data.fullKey as string };
  await fillFiles(place.databaseUrl('files'), { id: tenantId, firstUser }, place.log);
  const cursor = async (path: string) => (await ask(place, path, keys.all)).body.pagination.nextCursor as string;
  const cases = [...(await casesOf(await filesList(cursor), cursor)), ...narrowedCases];
  const rows: Row[] = [];
  for (const one of cases) {
    const row = await measure(place, one, { key: one.isNarrowed ? keys.own : keys.all, id: 'files-size' });
    place.log(`${row.what}: ${row.reached} (${row.detail})`);
    rows.push(row);
  }
  return rows;
}

const { crowded, rareName, words } = seeded;

/** The list with values for its filters, and the second page of each kind by cursor. */
async function filesList(cursor: (path: string) => Promise<string>): Promise<MeasuredList> {
  const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
  const paged = [
    `entityType=lead&entityId=${crowded}`,
    'status=quarantined',
    'tag=signed',
    'contentType=application/pdf',
    'q=contract',
    `text=${words.common}`,
  ];
  const pages = paged.map(async (query): Promise<[string, string]> => {
    return [`second page of ${query}`, `${query}&cursor=${await cursor(`/v1/files?${query}`)}`];
  });
  return {
    row: fleet.files.listFiles,
    name: 'files',
    count: fileCounts.large,
    deepSort: '-size',
    goalMs: goals,
    pages: await Promise.all(pages),
    filters: {
      entityType: ['lead', 'opportunity'],
      entityId: [crowded, 'record-77'],
      contentType: ['application/pdf', 'image/tiff'],
      q: [rareName, 'contract-2026-00012345', '2026'],
      text: [words.rare, words.common, words.everywhere, 'w77 w1177'],
      tag: ['vip', 'tag7', 'signed'],
      status: ['available', 'quarantined'],
      deleted: ['true', 'false'],
      createdFrom: ['2020-01-01T00:00:00Z', daysAgo(1)],
      createdTo: daysAgo(100),
    },
    queries: [
      'entityType=lead&entityId=record-77',
      'contentType=application/pdf&status=available',
      'tag=signed&sort=filename',
      'tag=vip&sort=-size',
      'status=quarantined&tag=signed',
      `text=${words.common}&entityType=lead&entityId=${crowded}`,
      `text=${words.common}&sort=filename`,
      'q=contract&status=quarantined',
    ],
    searches: [
      ['a rare name', rareName],
      ['a part of every name', '2026'],
      ['a name that no file has', 'no such file'],
    ],
  };
}

const own = (what: string, query: string): Case => ({
  what: `files of a caller narrowed to own files: ${what}`,
  goalMs,
  path: `/v1/files${query}`,
  isNarrowed: true,
  hasRecords: true,
});
const narrowedCases = [
  own('first page', ''),
  own('a common word of names', '?q=contract'),
  own('a common word of texts', `?text=${words.common}`),
];
