import { randomUUID } from 'node:crypto';
import { until } from '@tandem/testing';
import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

type Tenant = Awaited<ReturnType<typeof aTenant>>;

function notified(tenant: Tenant, data: object, id: string = randomUUID()) {
  const caller = { type: 'system', name: 'campaign', requestId: 'job_1' };
  const scope = { tenantId: tenant.tenantId, environment: 'live', occurredAt: '2026-11-21T10:00:00.000Z' };
  const name = 'workflow.notified';
  const target = { type: 'workflow', id: 7 };
  const record = { id: '7', name: 'Hot leads' };
  return service.publish(name, { id, name, ...scope, action: 'workflow.notify', target, caller, data, record }, id);
}

it('notifies the users of a node once, also when the event arrives twice', async () => {
  const tenant = await aTenant(service);
  const [member, other] = [await tenant.addUser('member'), await tenant.addUser('member')];
  const inbox = async (id: string) => (await tenant.as(id, ['notifications:read']).listNotifications()).data;
  const data = { workflowId: '7', executionId: '8', leadId: '9', userIds: [member.id], message: 'Ada is hot' };
  const id = randomUUID();
  await notified(tenant, data, id);
  await notified(tenant, data, id);
  await notified(tenant, { ...data, executionId: '10', userIds: [member.id, other.id], message: 'Grace is hot' });
  const shown = await until('both notifications arrive', async () => {
    const list = await inbox(member.id);
    return list.length === 2 && list;
  });
  const bodies = shown.map(({ title, body, category }: Record<string, string>) => [title, body, category]);
  expect(bodies).toContainEqual(['Workflow “Hot leads”', 'Ada is hot', 'workflows']);
  expect((await inbox(other.id)).map(({ body }: { body: string }) => body)).toEqual(['Grace is hot']);
});

it('moves an event that cannot be read to the dead letters', async () => {
  const tenant = await aTenant(service);
  await notified(tenant, { message: 'none' });
  await until('it is a dead letter', async () => (await service.deadLetters('notify-of-workflows')).length > 0);
});
