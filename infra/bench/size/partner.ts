import { createIdCodec } from '@tandem/ids';
import type { TestTenant } from '@tandem/test-fleet';
import { formatNumber } from '../numbers.ts';
import type { Place } from '../place.ts';
import type { Row } from '../results.ts';
import type { Case } from './cases.ts';
import { commissionsOfLargest, commissionsOfPartner, fillPartner, firstId, partnerCount } from './partner-data.ts';
import { measure } from './requests.ts';

const members = ['gateway', 'identity', 'crm', 'partner', 'files', 'training'];
const goals = { list: 50, statement: 200, dashboard: 100 };
const payoutGoalS = 30;
const payoutWaitMs = 300_000;
const pollMs = 200;

/** Measures partner with 10,000 partners and 1,000,000 commissions in one tenant, through the gateway. */
export async function measurePartner(place: Place): Promise<Row[]> {
  for (const name of members) await place.startMember(name);
  const tenant = await place.aTenant();
  // The first request of the tenant creates its records.
  await tenant.api.listPartners({});
  const ids = createIdCodec(place.environment['gateway']?.['IDS_ALPHABET'] as string);
  const tenantId = ids.decode('tenant', undefined, tenant.id) as number;
  await fillPartner(place.databaseUrl('partner'), tenantId, place.log);
  const code = (type: 'partner' | 'commission' | 'opportunity', id: number) => ids.encode(type, tenantId, id);
  const rows: Row[] = [];
  const add = (row: Row) => {
    place.log(`${row.what}: ${row.reached} (${row.detail})`);
    rows.push(row);
  };
  for (const one of cases(code)) add(await measure(place, one, { key: tenant.live, id: 'partner-size' }));
  for (const one of await dashboards(tenant, code)) add(await measure(place, one, one.session));
  add(await measurePayout(tenant));
  return rows;
}

function cases(code: (type: 'partner' | 'commission' | 'opportunity', id: number) => string): Case[] {
  const half = Math.floor(partnerCount / 2);
  const partner = code('partner', firstId + half);
  const month = new Date(Date.now() - 100 * 86_400_000).toISOString().slice(0, 7);
  const opportunity = code('opportunity', firstId + half * commissionsOfPartner + 3);
  const list = (what: string, query: string): Case => ({
    what: `commissions ${what}`,
    goalMs: goals.list,
    path: `/v1/partners/commissions?${query}`,
    hasRecords: true,
  });
  const own = `/v1/partners/${partner}/commissions`;
  return [
    list('of all partners', ''),
    list('of all partners, page 2,000', 'page=2000'),
    list('that are pending', 'status=pending'),
    list('that are cancelled, the oldest first', 'status=cancelled&sort=createdAt'),
    list('that are earned', 'type=earned'),
    list('of a month', `period=${month}`),
    list('in euros', 'currency=EUR'),
    list('of a partner', `partnerId=${partner}`),
    list('of a partner and month', `partnerId=${partner}&period=${month}`),
    list('of a deal', `opportunityId=${opportunity}`),
    { what: 'approved commissions of a partner', goalMs: goals.list, path: `${own}?status=approved`, hasRecords: true },
    { what: 'statements of a partner', goalMs: goals.statement, path: `${own}/statements`, hasRecords: true },
    { what: 'a partner with its balance', goalMs: goals.statement, path: `/v1/partners/${partner}` },
  ];
}

/** The dashboards of two partners in the portal, each with a session. */
async function dashboards(tenant: TestTenant, code: (type: 'partner', id: number) => string) {
  const partners = [
    { what: 'dashboard of a partner', id: code('partner', firstId + Math.floor(partnerCount / 2)) },
    {
      what: `dashboard of a partner with ${formatNumber(commissionsOfLargest)} commissions`,
      id: code('partner', firstId + 1),
    },
  ];
  const password = 'a long phrase is best';
  return Promise.all(
    partners.map(async ({ what, id }, index) => {
      const email = `portal.${index}@example.com`;
      await tenant.api.createPortalUser({ params: { id }, body: { email, password, role: 'owner' } });
      const { data } = await tenant.api.loginToPortal({ body: { email, password, tenant: tenant.id } });
      return {
        what,
        goalMs: goals.dashboard,
        path: '/v1/partners/portal/dashboard',
        session: { key: { token: (data as { token: string }).token }, id: 'partner-size' },
      };
    }),
  );
}

/** Prepares a payout to all partners. */
async function measurePayout(tenant: TestTenant): Promise<Row> {
  const body = { periodEnd: new Date().toISOString(), currency: 'EUR' };
  const startedAt = performance.now();
  const created = await tenant.api.createPayout({ body });
  const { id } = created.data as { id: string };
  const read = async () => (await tenant.api.getPayout({ params: { id } })).data as Prepared;
  let payout = await read();
  while (!payout.preparedAt && performance.now() - startedAt < payoutWaitMs) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    payout = await read();
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    id: 'partner-payout',
    what: `Payout to ${formatNumber(partnerCount)} partners as a job`,
    goal: `≤ ${payoutGoalS} s`,
    reached: `${formatNumber(seconds)} s`,
    detail: `${payout.itemCount} payments, ${payout.commissionCount} commissions`,
    isReached: seconds <= payoutGoalS && payout.itemCount === partnerCount,
  };
}

interface Prepared {
  preparedAt: string | null;
  itemCount: number;
  commissionCount: number;
}
