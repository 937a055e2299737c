import type { campaign } from '@tandem/campaign-contract';
import { createSeal } from '@tandem/sealed';
import { aPerson, publish, type TestService, until } from '@tandem/testing';
import { aForm, aNode, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { contactToken } from '../preferences/contact-links.ts';

let crm: CrmPeer;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  crm = await crmPeer();
  service = await startCampaign(undefined, undefined, { CRM_URL: crm.url });
});
afterAll(async () => {
  await service?.close();
  await crm?.close();
});

const seal = createSeal(process.env.ENCRYPTION_KEY as string);
const address = 'ada@example.com';
const phone = '+491701234567';
const person = aPerson({
  leadIds: [1],
  emails: [address],
  names: ['Ada Lovelace'],
  phones: [phone],
});

/** A tenant with suppressions of the person and of another one, and a pause of the person. */
async function aTenant() {
  const api = service.as();
  const tenantId = api.caller.tenantId as number;
  const add = (channel: string, value: string) =>
    api.createSuppression({ body: { channel, value, reason: 'unsubscribe', note: 'Ada called' } });
  await add('email', 'Ada@example.com');
  await add('sms', phone);
  await add('email', 'bob@example.com');
  const leadId = Number(crm.addLead(tenantId, { email: address, phone }));
  const link = { tenantId, environment: 'live', leadId, messageId: null, channel: 'email', address } as const;
  const pauseUntil = new Date(Date.now() + 86_400_000).toISOString();
  const params = { token: contactToken({ seal }, { ...link, topicId: null }) };
  expect((await api.updatePreferences({ params, body: { pauseUntil } })).status).toBe(200);
  const read = async () => {
    const system = service.as({ type: 'system', tenantId });
    const { data } = await system.exportPerson({ body: { person } });
    return data.sections as { name: string; total: number; records: Record<string, unknown>[] }[];
  };
  return { api, tenantId, read };
}

it('the export of a person has their suppressions and pauses', async () => {
  const { read } = await aTenant();
  expect(await read()).toMatchObject([
    { name: 'suppressions', total: 2, records: [{ value: phone }, { value: address, reason: 'unsubscribe' }] },
    { name: 'messagePauses', total: 2 },
    { name: 'workflowExecutions', total: 0 },
    { name: 'messages', total: 0 },
    { name: 'formSubmissions', total: 0 },
  ]);
});

it('an erasure removes the address and the note of suppressions, which still suppress, and the pauses', async () => {
  const { api, tenantId, read } = await aTenant();
  const data = { person, services: ['campaign'] };
  const event = { target: { type: 'erasure', id: 1 }, data, record: { id: '1' } };
  await publish({ service, tenantId }, 'personal_data.erasure_requested', event);
  const left = await until('the address is erased', async () => {
    const sections = await read();
    const isErased = sections[0]?.records.every(({ value, note }) => value === null && note === null);
    return isErased && sections[1]?.total === 0 && sections;
  });
  expect(left[0]?.total).toBe(2);
  const { data: list } = await api.listSuppressions();
  expect(list.map(({ value, note }: { value: string; note: string }) => [value, note])).toEqual([
    ['bob@example.com', 'Ada called'],
    [null, null],
    [null, null],
  ]);
  const check = await api.checkSuppressions({ body: { channel: 'email', values: ['ADA@example.com'] } });
  expect(check.data.results[0].reason).toBe('unsubscribe');
  expect((await api.listSuppressions({ query: { value: address } })).data).toHaveLength(1);
});

it('an erasure ends the workflows of the person, and keeps their messages as numbers without address and texts', async () => {
  const api = service.as();
  const tenantId = api.caller.tenantId as number;
  const run = (sql: string) => service.sqlWithin(api.caller, sql);
  const nodes = [
    aNode('start', { type: 'trigger', data: { triggerType: 'manual' } }),
    aNode('pause', { type: 'wait', data: { duration: 1, durationUnit: 'days' } }),
  ];
  const edges = [{ edgeId: 'a', source: 'start', target: 'pause' }];
  const { data: workflow } = await api.createWorkflow({ body: { name: 'W', nodes, edges } });
  await api.publishWorkflow({ params: { id: workflow.id }, body: {} });
  await run(`INSERT INTO execution (workflow_id, number, lead_id, status, node_id, due_at, source, payload)
    VALUES (${workflow.id}, 1, 1, 'waiting', 'pause', now() + interval '1 day', 'manual', '{"name": "Ada"}')`);
  await run(`INSERT INTO execution_step (execution_id, number, node_id, type, outcome, input, started_at)
    SELECT id, 1, 'one', 'email', 'done', '{"recipient": "ada@example.com"}', now() FROM execution`);
  await run(`INSERT INTO message (workflow_id, node_id, lead_id, channel, recipient, subject, status, updated_at)
    VALUES (${workflow.id}, 'one', 1, 'email', 'ada@example.com', 'Hello Ada', 'sent', now())`);
  await run(`INSERT INTO engagement (type, lead_id, url) VALUES ('link_click', 1, 'https://example.com/?who=ada')`);
  await run(`INSERT INTO workflow_trigger (workflow_id, subject, wake) VALUES (${workflow.id}, 'segment', 1)`);
  await run(`INSERT INTO trigger_member (workflow_id, lead_id) VALUES (${workflow.id}, 1), (${workflow.id}, 2)`);
  const { data: form } = await api.createForm({ body: aForm() });
  await run(`INSERT INTO form_submission (form_id, status, fields, email, address_digest)
    VALUES (${form.id}, 'processed', '{"email": "ada@example.com"}', 'ada@example.com', 'x')`);
  const event = { target: { type: 'erasure', id: 2 }, data: { person, services: ['campaign'] }, record: { id: '2' } };
  await publish({ service, tenantId }, 'personal_data.erasure_requested', event);
  await until('the execution has ended', async () => {
    const { data } = await api.listWorkflowExecutions({ params: { id: workflow.id } });
    return data[0].status === 'exited' && data;
  });
  const left = await until('nothing names the person', async () => {
    const rows = await Promise.all(
      ['execution', 'execution_step', 'message', 'engagement', 'form_submission'].map((table) =>
        // A whole word: the UUIDs of the records can contain these three letters.
        run(String.raw`SELECT '${table}' AS "table" FROM ${table} AS record WHERE record::text ~* '\yada\y'`),
      ),
    );
    return rows.flat().length === 0 && (await api.listMessages({ query: { leadId: '1' } })).data;
  });
  expect(left).toMatchObject([{ status: 'sent', recipient: null, subject: null, nodeId: 'one' }]);
  expect(await run('SELECT lead_id::int AS lead FROM trigger_member')).toEqual([{ lead: 2 }]);
});
