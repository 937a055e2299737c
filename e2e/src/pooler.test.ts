import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';

// PgBouncer in transaction mode runs each transaction on any free connection. Therefore services must not rely on
// session state, above all not for the tenant scope.

const tenantsCount = 6;
const leadsEach = 25;

let fleet: TestFleet;
let tenants: TestTenant[];
beforeAll(async () => {
  fleet = await startFleet({
    services: ['identity', 'crm', 'integrations'],
    // Far fewer connections than clients, so that each connection serves all tenants.
    pooled: 2,
    env: { DATABASE_NAMED_STATEMENTS: 'false' },
  });
  tenants = await Promise.all(Array.from({ length: tenantsCount }, () => aTenant(fleet)));
}, 240_000);
afterAll(() => fleet?.stop(), 90_000);

describe('behind PgBouncer in transaction mode', () => {
  it('concurrent tenants read and write only their own records', async () => {
    await Promise.all(
      tenants.map(async ({ api }, tenant) => {
        for (let number = 0; number < leadsEach; number++) {
          const email = `tenant${tenant}.lead${number}@example.com`;
          const { data } = await api.createLead({ body: { email, firstName: 'A', lastName: `T${tenant}` } });
          // A refused update rolls back its transaction on a connection that others use next.
          await api
            .updateLead({ params: { id: data.id }, body: { firstName: 'B' }, ifMatch: '"99"' } as never)
            .catch(() => {});
          await api.updateLead({ params: { id: data.id }, body: { lastName: `Tenant${tenant}` } });
          const page = await api.listLeads({ query: { limit: 100 } });
          expect(page.data.every((lead) => lead.email.startsWith(`tenant${tenant}.`))).toBe(true);
        }
      }),
    );
    for (const [tenant, { api }] of tenants.entries()) {
      const { data, pagination } = await api.listLeads({ query: { limit: 100 } });
      expect(pagination?.total).toBe(leadsEach);
      expect(new Set(data.map(({ lastName }) => lastName))).toEqual(new Set([`Tenant${tenant}`]));
    }
  }, 120_000);

  it("another tenant's record is not found", async () => {
    const [one, other] = tenants as [TestTenant, TestTenant];
    const { data } = await one.api.listLeads({ query: { limit: 1 } });
    await expect(other.api.getLead({ params: { id: data[0]?.id as string } })).rejects.toMatchObject({ status: 404 });
  });

  it('events pass outbox and inbox, and take effect once', async () => {
    for (const { api } of tenants)
      await until('every lead is in the audit log', async () => {
        const { pagination } = await api.listAuditLogs({ query: { action: 'lead.create', limit: 1 } });
        return pagination?.total === leadsEach;
      });
  }, 120_000);
});
