import { createIdCodec } from '@tandem/ids';
import { measureImports } from '../imports.ts';
import type { Place } from '../place.ts';
import type { Row } from '../results.ts';
import { listCases, otherCases } from './cases.ts';
import { fillCrm } from './data.ts';
import type { Encode } from './lists.ts';
import { ask, measure } from './requests.ts';
import { measureWork } from './work.ts';

const members = ['gateway', 'identity', 'crm', 'files'];

/**
 * Measures lists of a tenant with millions of records, through the gateway, one request at a time: latency, not
 * throughput. To measure more, such as another service's search, fill its database next to `fillCrm` and add its cases.
 */
export async function measureSize(place: Place): Promise<Row[]> {
  for (const name of members) await place.startMember(name);
  const tenant = await place.aTenant();
  const ids = createIdCodec(place.environment['gateway']?.['IDS_ALPHABET'] as string);
  const tenantId = ids.decode('tenant', undefined, tenant.id) as number;
  const firstUser = ids.decode('user', tenantId, tenant.userId) as number;
  const narrowed = await tenant.owner.createApiKey({
    body: { name: 'own leads', environment: 'live', permissions: ['leads:read:own'] },
  });
  const keys = { all: tenant.live, own: narrowed.data.fullKey as string };
  for (const entityType of ['lead', 'opportunity', 'account'] as const)
    await tenant.api.createCustomField({
      body: { entityType, key: 'seats', label: 'Seats', type: 'number', sortable: true },
    });
  const [scored, plain] = [await place.aTenant(), await place.aTenant()];
  // After the API keys are created, because filling can take longer than the owner's token is valid.
  await fillCrm(place.databaseUrl('crm'), { id: tenantId, firstUser }, place.log);
  // Users are numbered from the owner, whose key is narrowed to own records.
  const code: Encode = (type, id) => ids.encode(type, tenantId, type === 'user' ? firstUser + id : id);
  const cursor = async (path: string) => (await ask(place, path, keys.all)).body.pagination.nextCursor;
  const [deal] = (await ask(place, '/v1/opportunities?status=open&limit=1', keys.all)).body.data;
  const search = 'status=qualified&source=referral&sort=-score';
  const view = await tenant.owner.createView({
    body: { resource: 'leads', name: 'Referrals', search, visibility: 'tenant' },
  });
  const cases = [...(await listCases({ code, cursor, deal })), ...otherCases(code, view.data.id)];
  const rows: Row[] = [];
  for (const one of cases) {
    const row = await measure(place, one, { key: one.isNarrowed ? keys.own : keys.all, id: 'size' });
    place.log(`${row.what}: ${row.reached} (${row.detail})`);
    rows.push(row);
  }
  const number = ids.decode('tenant', undefined, scored.id) as number;
  const scoredTenant = { ...scored, number, firstUser: ids.decode('user', number, scored.userId) as number };
  const work = await measureWork(place, { large: { key: keys.all }, scored: scoredTenant, plain });
  const imported = await measureImports(place);
  for (const row of [...work, ...imported]) place.log(`${row.what}: ${row.reached} (${row.detail})`);
  return [...rows, ...work, ...imported];
}
