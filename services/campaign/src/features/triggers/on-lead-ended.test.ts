import type { campaign } from '@tandem/campaign-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { type TestService, until } from '@tandem/testing';
import { aNode, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import {
  type Api,
  email,
  enrolled,
  executionOf,
  inARow,
  inStatus,
  published,
  wait,
} from '../../engine.test-service.ts';

let crm: CrmPeer;
let mailbox: Mailbox;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  [crm, mailbox] = await Promise.all([crmPeer(), startMailbox()]);
  service = await startCampaign(undefined, undefined, { CRM_URL: crm.url, SMTP_URL: mailbox.smtpUrl });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([crm?.close(), mailbox?.close()]);
});

// Sessions of this database that wait for a row.
const waiters = `SELECT DISTINCT pid FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_locks
  WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database()))`;
const person = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0';

/** Locks the executions of a tenant until so many sessions wait for a row. */
const holdExecutions = (api: Api, count: number) =>
  service.sqlWithin(
    api.caller,
    `DO $$ BEGIN PERFORM FROM execution FOR UPDATE;
      WHILE (SELECT count(*) FROM (${waiters}) AS waiter) < ${count} LOOP PERFORM pg_sleep(0.02); END LOOP; END $$`,
  );

it('an unsubscription and an open of the same message do not end in a deadlock', async () => {
  const api = service.as();
  const leadId = crm.addLead(api.caller.tenantId as number);
  const opened = aNode('opened', { type: 'wait_for_event', data: { event: 'email_open', duration: 3 } });
  const id = await published(api, inARow(aNode('one', { data: { subjectLine: 'Hello' } }), opened));
  const executionId = await enrolled(api, id, leadId);
  await inStatus(api, executionId, 'waiting');
  await service.sqlWithin(api.caller, `UPDATE message SET sent_at = sent_at - interval '1 hour'`);
  const [mail] = mailbox.to(`lead${leadId}@example.com`);
  const [, openToken = ''] = /\/t\/o\/([^"]+)"/.exec(mail?.html ?? '') ?? [];
  const [, token = ''] = /unsubscribe\/([^>]+)>/.exec(mail?.headers['list-unsubscribe'] ?? '') ?? [];
  const held = holdExecutions(api, 2);
  await until('the execution is locked', async () => {
    const sql = `SELECT FROM pg_locks WHERE relation = 'execution'::regclass AND mode = 'RowShareLock' AND granted`;
    return (await service.sqlWithin(api.caller, sql)).length > 0;
  });
  const anyone = service.as({ type: 'anonymous', userAgent: person } as never);
  expect((await anyone.unsubscribe({ params: { token }, body: {} })).status).toBe(200);
  await until('the consumer waits', async () => (await service.sqlWithin(api.caller, waiters)).length === 1);
  const open = anyone.trackOpen({ params: { token: openToken } });
  await held;
  expect((await open).status).toBe(200);
  expect(await inStatus(api, executionId, 'exited')).toMatchObject({ endReason: 'unsubscribe' });
  const [message] = (await api.listMessages({ query: { leadId } })).data;
  expect(message).toMatchObject({ openedAt: expect.any(String), unsubscribedAt: expect.any(String) });
  const [counted] = await service.sql(`SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`);
  expect(counted).toEqual({ deadlocks: 0 });
});

it('an unsubscription from a topic ends the executions of campaigns with that topic, and no others', async () => {
  const api = service.as();
  const leadId = crm.addLead(api.caller.tenantId as number);
  const aTopic = async (name: string) => (await api.createTopic({ body: { name } })).data.id as string;
  const executionIn = async (topicId: string | null) => {
    const { data } = await api.createCampaign({ body: { name: `Spring ${topicId}`, status: 'active', topicId } });
    const sequence = await api.createSequence({
      params: { id: data.id },
      body: { name: 'Offer', ...inARow(email('one'), wait('pause')) },
    });
    await api.publishWorkflow({ params: { id: sequence.data.id }, body: {} });
    const executionId = await enrolled(api, sequence.data.id, leadId);
    await inStatus(api, executionId, 'waiting');
    return executionId;
  };
  const ended = await executionIn(await aTopic('News'));
  const [mail] = mailbox.to(`lead${leadId}@example.com`);
  const [, token = ''] = /unsubscribe\/([^>]+)>/.exec(mail?.headers['list-unsubscribe'] ?? '') ?? [];
  const others = [await executionIn(await aTopic('Offers')), await executionIn(null)];
  expect((await service.as({ type: 'anonymous' } as never).unsubscribe({ params: { token }, body: {} })).status).toBe(
    200,
  );
  expect(await inStatus(api, ended, 'exited')).toMatchObject({ endReason: 'unsubscribe' });
  for (const id of others) expect((await executionOf(api, id)).status).toBe('waiting');
});
