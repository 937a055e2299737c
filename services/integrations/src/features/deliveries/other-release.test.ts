import { leadCreated } from '@tandem/crm-contract';
import { until } from '@tandem/testing';
import {
  aWebhook,
  closingReceivers,
  type Integrations,
  inStatus,
  leadData,
  publish,
  startIntegrations,
} from '../../testing.ts';

let service: Integrations;
const receiver = closingReceivers();
beforeAll(async () => {
  service = await startIntegrations({ WEBHOOK_RETRY_SCHEDULE_SECONDS: [0, 3_600] });
});
afterAll(() => service?.close());

/** A delivery of an event that only another release knows; its next attempt is due after `release`. */
async function aForeignDelivery() {
  const api = service.as();
  const hook = await receiver(500, 200);
  const id = await aWebhook(api, hook.url, { events: ['lead.*'] });
  await publish(service, leadCreated, api.caller, leadData());
  await inStatus(api, id, 'retrying');
  const sql = (text: string) => service.sqlWithin(api.caller, text);
  await sql(`UPDATE delivery SET event = 'lead.of_another_release'`);
  return { api, id, hook, sql, release: () => sql('UPDATE platform.job SET due_at = now()') };
}

it('keeps a delivery until an instance that knows its event takes it', async () => {
  const { api, id, hook, sql, release } = await aForeignDelivery();
  await release();
  await until('the job is postponed', async () => {
    const [job] = await sql(
      `SELECT FROM platform.job WHERE state = 'waiting' AND due_at BETWEEN now() AND now() + interval '1 minute'`,
    );
    return job !== undefined;
  });
  expect(hook.requests).toHaveLength(1);
  await sql(`UPDATE delivery SET event = 'lead.created'`);
  await release();
  await inStatus(api, id, 'succeeded');
});

it('skips a delivery whose event no instance has known for a day', async () => {
  const { api, id, sql, release } = await aForeignDelivery();
  await sql(`UPDATE delivery SET created_at = now() - interval '25 hours'`);
  await release();
  expect(await inStatus(api, id, 'skipped')).toMatchObject({ lastError: 'not_permitted' });
});
