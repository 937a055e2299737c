import { randomUUID } from 'node:crypto';
import { publish, until } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

const at = '2026-03-02T10:00:00.000Z';

/** A tenant, and how campaign reports to it. */
function aTenant() {
  const api = service.as();
  const told = { service, tenantId: api.caller.tenantId as number };
  const list = async () => (await api.listRecordedEvents({ query: { includeAutomated: 'true' } })).data;
  return {
    list,
    recorded: (count: number) => until('it is recorded', async () => (await list()).length === count && (await list())),
    visited: (data: object, id?: string) =>
      publish(
        told,
        'landing_page.visited',
        { target: { type: 'landing_page', id: 4 }, data: { ...aVisit, ...data }, record: { id: '4' } },
        id,
      ),
    submitted: (data: object, id?: string) =>
      publish(
        told,
        'form.submitted',
        { target: { type: 'form', id: 5 }, data: { ...aSubmission, ...data }, record: { id: '5' }, occurredAt: at },
        id,
      ),
  };
}

const aVisit = {
  leadId: '7',
  message: 'Mq83vEjRWeJCrze8',
  insertId: 'campaign-12',
  at,
  automated: false,
  url: 'https://api.example.com/p/acme/spring',
};
const aSubmission = { formId: '5', leadId: '7', fields: { email: 'ada@example.com' }, submissionId: '9' };

it('records visits of pages, with the message that led there, once each', async () => {
  const tenant = aTenant();
  const id = randomUUID();
  for (const _ of [1, 2]) await tenant.visited({}, id);
  await tenant.visited({});
  await tenant.visited({ leadId: null, message: null, automated: true, insertId: 'campaign-13' });
  const events = await tenant.recorded(2);
  expect(events).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({
        type: 'page_visit',
        leadId: '7',
        messageId: aVisit.message,
        insertId: 'campaign-12',
        timestamp: at,
        properties: { url: aVisit.url },
        automated: false,
      }),
      expect.objectContaining({ leadId: null, messageId: null, automated: true }),
    ]),
  );
});

it('records processed submissions of forms, and none that failed', async () => {
  const tenant = aTenant();
  await tenant.submitted({ leadId: null, submissionId: '8' });
  await tenant.submitted({});
  await tenant.submitted({});
  await tenant.visited({});
  const events = await tenant.recorded(2);
  expect(events.find(({ type }: { type: string }) => type === 'form_submission')).toMatchObject({
    leadId: '7',
    insertId: 'campaign-form-9',
    timestamp: at,
    automated: false,
    properties: {},
  });
});
