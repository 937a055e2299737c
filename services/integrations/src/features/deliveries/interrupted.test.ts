import { leadCreated } from '@tandem/crm-contract';
import {
  aWebhook,
  type Integrations,
  inStatus,
  leadData,
  publish,
  receiver,
  startIntegrations,
} from '../../testing.ts';

let service: Integrations;
beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service.close());

/** Sets the rows to the state after a process is killed while sending: running, with an expired lease. */
async function simulateCrashWhileSending(deliveryId: string): Promise<void> {
  for (const table of ['delivery', 'platform.job'])
    await service.sql(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
  await service.sql(
    `UPDATE delivery SET status = 'delivering', next_attempt_at = NULL, last_attempt_number = last_attempt_number + 1 WHERE id = $1`,
    [deliveryId],
  );
  await service.sql(
    `UPDATE platform.job SET state = 'running', lease_until = now() - interval '1 second' WHERE payload->>'deliveryId' = $1`,
    [deliveryId],
  );
}

it('resumes a delivery after a crash during an attempt, with a new attempt number', async () => {
  const api = service.as();
  const hook = await receiver((_, response) => response.writeHead(503, { 'Retry-After': '600' }).end(), 200);
  const id = await aWebhook(api, hook.url);
  await publish(service, leadCreated, api.caller, leadData());
  const { id: deliveryId } = await inStatus(api, id, 'retrying');
  await simulateCrashWhileSending(deliveryId);
  const delivery = await inStatus(api, id, 'succeeded');
  expect(delivery.attempts.map(({ number }: { number: number }) => number)).toEqual([1, 3]);
  expect(delivery.attemptCount).toBe(2);
  await hook.close();
});
