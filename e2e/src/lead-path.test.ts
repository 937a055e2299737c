import { aTenant, type Receiver, startFleet, startReceiver, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import { Webhook } from 'standardwebhooks';

let fleet: TestFleet;
let tenant: TestTenant;
beforeAll(async () => {
  fleet = await startFleet({
    services: ['identity', 'crm', 'integrations'],
    env: { WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,1,1' },
  });
  tenant = await aTenant(fleet);
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

const receivers: Receiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});
async function aReceiver(answer?: Parameters<typeof startReceiver>[0]) {
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  return receiver;
}

describe('a lead, from an API client to a webhook', () => {
  it('reaches a receiver, with a signature that the public library verifies and public ids', async () => {
    const receiver = await aReceiver();
    const { data: webhook } = await tenant.api.createWebhook({ body: { url: receiver.url, events: ['lead.created'] } });
    const { data: lead } = await tenant.api.createLead({
      body: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', source: 'web' },
    });
    const delivered = await until('the webhook arrives', () => receiver.deliveries[0]);
    const event = new Webhook((webhook as unknown as { secret: string }).secret).verify(
      delivered.body,
      delivered.headers as Record<string, string>,
    ) as Record<string, unknown>;
    expect(event).toEqual({
      id: expect.stringMatching(/^[a-zA-Z0-9]{16,17}$/),
      type: 'lead.created',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { leadId: lead.id, email: 'ada@example.com', source: 'web', sequence: expect.any(Number) },
    });
    expect(delivered.headers['x-service-signature']).toMatch(/^t=\d+,id=\w+,v1=/);
  });

  it('is redelivered with an identical body and header names until the receiver accepts it', async () => {
    const receiver = await aReceiver((_, count) => (count < 3 ? 500 : 200));
    await tenant.api.createWebhook({ body: { url: receiver.url, events: ['lead.deleted'] } });
    const { data: lead } = await tenant.api.createLead({
      body: { email: 'again@example.com', firstName: 'A', lastName: 'B' },
    });
    await tenant.api.deleteLead({ params: { id: lead.id } });
    await until('the third attempt arrives', () => receiver.deliveries.length === 3);
    const [first, ...later] = receiver.deliveries.map(({ body, rawHeaders }) => ({
      body,
      names: rawHeaders.filter((_, index) => index % 2 === 0),
    }));
    expect(later).toEqual([first, first]);
  });

  it('is sent for sandbox data only to sandbox subscriptions', async () => {
    const receiver = await aReceiver();
    const sandbox = fleet.api({ apiKey: tenant.sandbox });
    await sandbox.createWebhook({ body: { url: receiver.url, events: ['*'] } });
    await tenant.api.createLead({ body: { email: 'live@example.com', firstName: 'A', lastName: 'B' } });
    await sandbox.createLead({ body: { email: 'sandbox@example.com', firstName: 'A', lastName: 'B' } });
    const delivered = await until('the sandbox webhook arrives', () => receiver.deliveries[0]);
    expect(JSON.parse(delivered.body).data.email).toBe('sandbox@example.com');
    expect(delivered.headers['x-service-environment']).toBe('sandbox');
    expect(receiver.deliveries).toHaveLength(1);
  });

  it('is listed as a duplicate, with both leads in the audit log', async () => {
    const owner = await aTenant(fleet);
    const body = { email: 'twin@example.com', firstName: 'Twin', lastName: 'One' };
    const { data: first } = await owner.api.createLead({ body });
    const { data: second } = await owner.api.createLead({ body: { ...body, firstName: 'Other' } });
    const pair = await until('the pair is listed', async () => (await owner.api.listLeadDuplicates()).data[0]);
    expect([...pair.leadIds].sort()).toEqual([first.id, second.id].sort());
    const entries = await until('both leads are in the audit log', async () => {
      const { data } = await owner.api.listAuditLogs({ query: { action: 'lead.create' } });
      return data.length === 2 && data;
    });
    expect(entries[0]).toMatchObject({ action: 'lead.create', targets: [{ type: 'lead', id: second.id }] });
  });
});

describe('acting on behalf of another user', () => {
  it('makes that user the creator, and records both users in the audit log', async () => {
    const { data: user } = await tenant.owner.createUser({
      body: { email: `b-${tenant.id}@example.com`, password: 'long enough', firstName: 'Bea', lastName: 'B' },
    });
    const reply = await tenant.api.createLead({
      body: { email: 'obo@example.com', firstName: 'A', lastName: 'B', assignedTo: user.id },
      onBehalfOf: user.id,
    });
    expect(reply.data).toMatchObject({ createdBy: user.id, assignedTo: user.id });
    expect(reply.headers.get('x-acting-user')).toBe(user.id);
    const entry = await until('the audit entry', async () => {
      const { data } = await tenant.api.listAuditLogs({ query: { targetId: reply.data.id } });
      return data[0];
    });
    expect(entry).toMatchObject({ onBehalfOf: { id: user.id }, actor: { id: tenant.userId } });
  });

  it('is refused with the message of the spec unless the target is an active user of the tenant', async () => {
    const stranger = await aTenant(fleet);
    const body = { email: 'no@example.com', firstName: 'A', lastName: 'B' };
    for (const target of [stranger.userId, 'AAAAAAAAAAAAAAAA', 'x', '17']) {
      await expect(tenant.api.createLead({ body, onBehalfOf: target })).rejects.toMatchObject({
        status: 403,
        message: 'Target user not found or not in the same tenant',
      });
    }
  });

  it('requires an API key', async () => {
    await expect(tenant.owner.listLeads({ onBehalfOf: tenant.userId })).rejects.toMatchObject({ status: 400 });
  });

  it('cannot assign to a user of another tenant', async () => {
    const stranger = await aTenant(fleet);
    await expect(
      tenant.api.createLead({
        body: { email: 'x@example.com', firstName: 'A', lastName: 'B', assignedTo: stranger.userId },
      }),
    ).rejects.toMatchObject({
      status: 422,
      errors: [{ field: 'assignedTo', message: 'No user with this id' }],
    });
  });
});
