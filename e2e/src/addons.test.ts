import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';

let fleet: TestFleet;
let tenant: TestTenant;
beforeAll(async () => {
  fleet = await startFleet({ gateways: 1 });
  tenant = await aTenant(fleet, { plan: 'starter' });
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

async function addonWith(key: string): Promise<string> {
  const { data } = await tenant.owner.listAddonCatalog({});
  return data.find((addon) => addon.key === key)?.id as string;
}

it('an active addon switches a feature on in another service, and a suspended one switches it off', async () => {
  const addonId = await addonWith('ai_generation');
  const generate = async () => {
    const reply = await tenant.owner
      .generateSequence({ body: { prompt: 'Welcome new users' } })
      .catch((error: unknown) => error as { status: number; code?: string });
    return reply.status;
  };
  const params = { addonId };
  expect(await generate()).toBe(403);
  await tenant.owner.installAddon({ params, body: {} });
  expect(await generate()).toBe(403);
  for (const [change, status] of [
    [() => tenant.owner.activateAddon({ params }), 200],
    [() => tenant.owner.suspendAddon({ params, body: {} }), 403],
    [() => tenant.owner.activateAddon({ params }), 200],
    [() => tenant.owner.uninstallAddon({ params }), 403],
  ] as const) {
    await change();
    await until(`generating is ${status}`, async () => (await generate()) === status);
  }
}, 60_000);

it('a setting of an addon is obeyed by the service that it concerns', async () => {
  const params = { addonId: await addonWith('partner_program') };
  const terms = { termsVersion: '2026-01', termsUrl: 'https://example.com/terms' };
  await tenant.owner.installAddon({ params, body: { config: { autoApprove: true, ...terms } } });
  await tenant.owner.activateAddon({ params });
  let count = 0;
  await until('partners are approved when they register', async () => {
    const body = { email: `partner${++count}@example.com`, firstName: 'Joan', lastName: 'Clarke' };
    return (await tenant.api.createPartner({ body })).data.status === 'approved';
  });
  const person = { email: 'applicant@example.com', password: 'a long phrase is best' };
  const apply = (acceptedTerms: string) =>
    fleet.api().registerPartner({
      body: { ...person, tenant: tenant.id, firstName: 'Joan', lastName: 'Clarke', acceptedTerms },
    });
  await expect(apply('2025-01')).rejects.toMatchObject({ status: 422 });
  expect((await apply('2026-01')).data).toEqual({ accepted: true });
  const { data: session } = await fleet.api().loginToPortal({ body: { ...person, tenant: tenant.id } });
  expect(session.partner).toMatchObject({ status: 'approved', termsVersion: '2026-01' });
}, 60_000);
