import { leadCreated } from '@tandem/crm-contract';
import { until } from '@tandem/testing';
import {
  aWebhook,
  closingReceivers,
  emitted,
  type Integrations,
  inStatus,
  leadData,
  publish,
  queryAsOwner,
  startIntegrations,
} from '../../testing.ts';

let service: Integrations;
const aHook = closingReceivers();

beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service.close());

describe('webhook health', () => {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  const setFailureState = async (
    id: string,
    { worked, since, failures }: { worked: number; since: number; failures: number },
  ) =>
    void (await queryAsOwner(
      service,
      'UPDATE webhook SET enabled_at = $2, failure_since = $3, failed_attempts = $4 WHERE id = $1',
      [id, hoursAgo(worked), hoursAgo(since), failures],
    ));

  it('disables a webhook after five days without success and ten failures over twelve hours', async () => {
    const api = service.as();
    const hook = await aHook(500);
    const id = await aWebhook(api, hook.url);
    await setFailureState(id, { worked: 121, since: 13, failures: 9 });
    await publish(service, leadCreated, api.caller, leadData());
    await until('it is disabled', async () => !(await api.getWebhook({ params: { id } })).data.active);
    expect((await api.getWebhook({ params: { id } })).data).toMatchObject({
      disabledReason: 'failing',
      disabledAt: expect.any(String),
    });
    expect(await inStatus(api, id, 'skipped')).toMatchObject({ attemptCount: 1 });
    await emitted(service, 'webhook.disabled', id);
  });

  it.each([
    ['less than five days have passed', { worked: 119, since: 100, failures: 50 }],
    ['there were few failures', { worked: 200, since: 100, failures: 3 }],
    ['all failures are within an hour', { worked: 200, since: 1, failures: 50 }],
  ])('stays active while %s', async (_, age) => {
    const api = service.as();
    const hook = await aHook(500);
    const id = await aWebhook(api, hook.url);
    await setFailureState(id, age);
    await publish(service, leadCreated, api.caller, leadData());
    await inStatus(api, id, 'failed');
    expect((await api.getWebhook({ params: { id } })).data.active).toBe(true);
  });

  it('warns once after a day, and emits webhook.recovered after a success', async () => {
    const api = service.as();
    const hook = await aHook(500, 500, 200);
    const id = await aWebhook(api, hook.url);
    await setFailureState(id, { worked: 26, since: 25, failures: 3 });
    await publish(service, leadCreated, api.caller, leadData());
    await inStatus(api, id, 'succeeded');
    await emitted(service, 'webhook.failing', id);
    await emitted(service, 'webhook.recovered', id);
    expect(
      service.events.filter(
        ({ name, data }) => name === 'webhook.failing' && (data as { webhookId: string }).webhookId === id,
      ),
    ).toHaveLength(1);
    expect((await api.getWebhook({ params: { id } })).data).toMatchObject({
      active: true,
      failureSince: null,
      version: 1,
    });
  });
});
