import { startFleet, type TestFleet, until } from './fleet.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { aTenant, type TestTenant } from './tenant.ts';

let fleet: TestFleet;
let tenant: TestTenant;
let receiver: Receiver;
beforeAll(async () => {
  fleet = await startFleet({ services: ['identity', 'crm', 'partner', 'integrations'] });
  tenant = await aTenant(fleet);
  receiver = await startReceiver();
}, 240_000);
afterAll(async () => {
  await receiver?.close();
  await fleet?.stop();
}, 60_000);

interface Delivered {
  type: string;
  data: Record<string, unknown>;
}
const delivered = (): Delivered[] => receiver.deliveries.map(({ body }) => JSON.parse(body));
const person = { firstName: 'Ada', lastName: 'Lovelace' };
const id = expect.stringMatching(/^[a-zA-Z0-9]{16,17}$/);

it('every event of the catalogue that has a source is delivered, with the fields that the catalogue shows', async () => {
  const { api } = tenant;
  await api.createWebhook({ body: { url: receiver.url, events: ['*'] } });

  const { data: partner } = await api.createPartner({
    body: { ...person, email: 'p@example.com', company: 'Engines' },
  });
  await api.approvePartner({ params: { id: partner.id }, body: {} });
  const make = async (name: string) =>
    (await api.createLead({ body: { ...person, email: `${name}@example.com` } })).data;
  const [won, lost, gone] = [await make('won'), await make('lost'), await make('gone')];
  await api.createReferral({ body: { partnerId: partner.id, leadId: won.id } });
  await api.deleteLead({ params: { id: gone.id } });
  const convert = async (leadId: string) =>
    (await api.convertLead({ body: { leadId, value: 1_000, currency: 'EUR' } })).data.id;
  const [wonDeal, lostDeal] = [await convert(won.id), await convert(lost.id)];
  await api.winOpportunity({ params: { id: wonDeal }, body: {} });
  await api.loseOpportunity({ params: { id: lostDeal }, body: { reasonCode: 'price' } });
  const { data: task } = await api.createTask({ body: { title: 'Call Ada back' } });

  const expected: Delivered[] = [
    { type: 'partner.registered', data: { partnerId: partner.id, company: 'Engines' } },
    { type: 'partner.approved', data: { partnerId: partner.id } },
    { type: 'lead.created', data: { leadId: won.id, email: 'won@example.com', source: null } },
    { type: 'lead.updated', data: { leadId: won.id, changes: expect.objectContaining({ status: 'qualified' }) } },
    { type: 'lead.deleted', data: { leadId: gone.id } },
    { type: 'opportunity.created', data: { opportunityId: wonDeal, value: 1_000, stage: 'prospecting' } },
    { type: 'opportunity.stage_changed', data: { opportunityId: wonDeal, from: 'prospecting', to: 'won' } },
    { type: 'opportunity.won', data: { opportunityId: wonDeal, value: 1_000 } },
    { type: 'opportunity.lost', data: { opportunityId: lostDeal, reason: 'price' } },
    { type: 'task.created', data: { taskId: task.id, title: 'Call Ada back', assigneeId: null } },
    // The partner is bronze, which earns 5 %.
    { type: 'commission.earned', data: { commissionId: id, amount: 50, partnerId: partner.id } },
  ];
  await until('all of them have arrived', () => {
    const types = new Set(delivered().map(({ type }) => type));
    return expected.every(({ type }) => types.has(type));
  });
  for (const { type, data } of expected)
    expect(
      delivered()
        .filter((one) => one.type === type)
        .map((one) => one.data),
    ).toContainEqual(data);

  // What is catalogued and has no source yet belongs to the later pages of those services.
  const { data: groups } = await api.getWebhookCatalog();
  const names = Object.values(groups as Record<string, { event: string }[]>).flatMap((group) =>
    group.map(({ event }) => event),
  );
  const sources = new Set(expected.map(({ type }) => type));
  expect(names.filter((name) => !sources.has(name)).sort()).toEqual([
    'commission.paid',
    'form.submitted',
    'task.completed',
  ]);
  expect(Object.keys(groups).sort()).toEqual(['commissions', 'forms', 'leads', 'opportunities', 'partners', 'tasks']);
});
