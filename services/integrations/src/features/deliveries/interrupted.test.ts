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

/** Leaves the rows as a process does that is killed while it sends: under way, with a lease that runs out. */
async function killedWhileSending(deliveryId: string): Promise<void> {
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

it('takes a delivery up again whose process died in the middle of an attempt, under a new number', async () => {
  const api = service.as();
  const hook = await receiver((_, response) => response.writeHead(503, { 'Retry-After': '600' }).end(), 200);
  const id = await aWebhook(api, hook.url);
  await publish(service, leadCreated, api.caller, leadData());
  const { id: deliveryId } = await inStatus(api, id, 'retrying');
  await killedWhileSending(deliveryId);
  const delivery = await inStatus(api, id, 'succeeded');
  expect(delivery.attempts.map(({ number }: { number: number }) => number)).toEqual([1, 3]);
  expect(delivery.attemptCount).toBe(2);
  await hook.close();
});
