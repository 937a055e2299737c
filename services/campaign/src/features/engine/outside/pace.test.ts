import type { campaign } from '@tandem/campaign-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { type TestService, until } from '@tandem/testing';
import { aNode, startCampaign } from '../../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../../crm-peer.test-service.ts';
import { type NameServer, nameServer } from '../../../dns.test-service.ts';

let crm: CrmPeer;
let mailbox: Mailbox;
let names: NameServer;
let service: TestService<typeof campaign>;
const domainPerMinuteMax = 6;
beforeAll(async () => {
  [crm, mailbox, names] = await Promise.all([crmPeer(), startMailbox(), nameServer()]);
  service = await startCampaign(undefined, undefined, {
    CRM_URL: crm.url,
    SMTP_URL: mailbox.smtpUrl,
    DNS_SERVERS: [names.address],
    MAIL_PER_DOMAIN_MINUTE_MAX: domainPerMinuteMax,
    MAIL_PER_DAY_MAX: 8,
  });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([crm?.close(), mailbox?.close(), names?.close()]);
});

type Api = ReturnType<typeof service.as>;

let domains = 0;

async function aSender(api: Api, fields: Record<string, unknown> = {}) {
  const { data: domain } = await api.createSendingDomain({ body: { domain: `sender${++domains}.example` } });
  for (const { name, value } of domain.records) names.txt.set(name, [value]);
  await api.verifySendingDomain({ params: { id: domain.id } });
  const body = { name: 'Ada "The" Sender', fromEmail: `ada@${domain.domain}`, ...fields };
  const { data: sender } = await api.createSender({ body });
  return { domain, sender };
}

/** Sends one e-mail of a campaign to each address; returns the executions. */
async function sendTo(api: Api, addresses: readonly string[], senderId: string | null): Promise<string[]> {
  const { data } = await api.createCampaign({ body: { name: 'Spring', status: 'active', senderId } });
  const nodes = [
    aNode('start', { type: 'trigger', data: { triggerType: 'manual' } }),
    aNode('one', { type: 'email', data: { subjectLine: 'Hello' } }),
  ];
  const edges = [{ edgeId: 'e1', source: 'start', target: 'one' }];
  const { data: workflow } = await api.createWorkflow({ body: { name: 'Test', nodes, edges, campaignId: data.id } });
  await api.publishWorkflow({ params: { id: workflow.id }, body: {} });
  const leadIds = addresses.map((email) => crm.addLead(api.caller.tenantId as number, { email }));
  const reply = await api.enrollLeads({ params: { id: workflow.id }, body: { leadIds } });
  return reply.data.results.map(({ executionId }: { executionId: string }) => executionId);
}

interface Execution {
  status: string;
  dueAt: string | null;
  steps: { nodeId: string; result: { reason?: string } }[];
}

/** The executions once each has ended or waits. */
const settled = (api: Api, ids: readonly string[]) =>
  until('all executions have ended or wait', async () => {
    const all: Execution[] = await Promise.all(
      ids.map(async (id) => (await api.getWorkflowExecution({ params: { id } })).data),
    );
    return all.every(({ status }) => status !== 'running') && all;
  });

const reasonsOf = (all: readonly Execution[]) =>
  all.filter(({ status }) => status === 'waiting').map(({ steps }) => steps.at(-1)?.result.reason);
const sentOf = (all: readonly Execution[]) => all.filter(({ status }) => status === 'completed').length;

let people = 0;
const addresses = (count: number, domain?: string) =>
  Array.from({ length: count }, () => `person${++people}@${domain ?? `recipient${people}.example`}`);

describe('a campaign with a sender', () => {
  it('sends from it, with its Reply-To and the signature of its domain', async () => {
    const api = service.as();
    const { domain, sender } = await aSender(api, { replyTo: 'team@example.com' });
    const [to] = addresses(1) as [string];
    await settled(api, await sendTo(api, [to], sender.id));
    const [mail] = mailbox.to(to);
    expect(mail).toMatchObject({
      from: `"Ada The Sender" <ada@${domain.domain}>`,
      messageId: expect.stringMatching(new RegExp(`@${domain.domain}>$`)),
    });
    expect(mail?.headers['reply-to']).toContain('team@example.com');
    const selector = domain.records[1].name.split('.')[0];
    const signature = mail?.headers['dkim-signature']?.replaceAll(/\s/g, '');
    expect(signature).toContain(`d=${domain.domain}`);
    expect(signature).toContain(`s=${selector}`);
  });

  it('signs with the old key of a rotation until the record of the new one was found', async () => {
    const api = service.as();
    const { domain, sender } = await aSender(api);
    const params = { id: domain.id };
    const selectorOf = (data: typeof domain, purpose: string): string =>
      data.records.find((record: { purpose: string }) => record.purpose === purpose).name.split('.')[0];
    const { data: rotating } = await api.updateSendingDomain({ params, body: { rotateKey: true } });
    const [before, after] = addresses(2) as [string, string];
    await settled(api, await sendTo(api, [before], sender.id));
    for (const { name, value } of rotating.records) names.txt.set(name, [value]);
    await api.verifySendingDomain({ params });
    await settled(api, await sendTo(api, [after], sender.id));
    const signatures = [before, after].map((to) => mailbox.to(to)[0]?.headers['dkim-signature']?.replaceAll(/\s/g, ''));
    expect(signatures).toEqual([
      expect.stringContaining(`s=${selectorOf(domain, 'dkim')};`),
      expect.stringContaining(`s=${selectorOf(rotating, 'next_dkim')};`),
    ]);
  });

  it('waits while its domain is not verified', async () => {
    const api = service.as();
    const { domain, sender } = await aSender(api);
    names.txt.delete(domain.records[0].name);
    await api.verifySendingDomain({ params: { id: domain.id } });
    const all = await settled(api, await sendTo(api, addresses(1), sender.id));
    expect(reasonsOf(all)).toEqual(['sender_not_verified']);
  });

  it('sends what its warm-up allows today, and the rest waits for tomorrow', async () => {
    const api = service.as();
    const { sender } = await aSender(api, { dailyCap: 4, warmupPlan: { start: 2, growthPercent: 50 } });
    const all = await settled(api, await sendTo(api, addresses(5), sender.id));
    expect([sentOf(all), reasonsOf(all)]).toEqual([2, Array(3).fill('sender_limit')]);
    const midnight = new Date();
    midnight.setUTCHours(24, 0, 0, 0);
    const until = new Set(all.flatMap(({ dueAt }) => (dueAt ? [dueAt] : [])));
    expect([...until]).toEqual([midnight.toISOString()]);
    const params = { id: sender.id };
    expect((await api.getSender({ params })).data).toMatchObject({ allowedToday: 2, sentToday: 2 });
    const daysAgo = (days: number) =>
      service.sqlWithin(api.caller, `UPDATE sender SET warmup_from = warmup_from - make_interval(days => $1)`, [days]);
    await daysAgo(1);
    expect((await api.getSender({ params })).data.allowedToday).toBe(3);
    await daysAgo(10);
    expect((await api.getSender({ params })).data.allowedToday).toBe(4);
  });
});

describe('the limit of a sender', () => {
  it('is never exceeded by campaigns that send at the same time', async () => {
    const api = service.as();
    const { sender } = await aSender(api, { dailyCap: 5 });
    const batches = await Promise.all([1, 2, 3].map(() => sendTo(api, addresses(3), sender.id)));
    const all = await settled(api, batches.flat());
    expect([sentOf(all), reasonsOf(all)]).toEqual([5, Array(4).fill('sender_limit')]);
    expect((await api.getSender({ params: { id: sender.id } })).data).toMatchObject({ allowedToday: 5, sentToday: 5 });
  });
});

describe('a message that the mail server postpones', () => {
  it('counts once for its sender', async () => {
    const api = service.as();
    const { sender } = await aSender(api, { dailyCap: 5 });
    const [to] = addresses(1) as [string];
    mailbox.refuse(to, 451);
    const [execution] = await sendTo(api, [to], sender.id);
    const [waiting] = await settled(api, [execution as string]);
    expect(waiting?.steps.at(-1)?.result.reason).toBe('mail_server');
    mailbox.refuse(to, undefined);
    await until('the message arrives', () => mailbox.to(to).length === 1);
    expect((await api.getSender({ params: { id: sender.id } })).data.sentToday).toBe(1);
  });
});

describe('the pace', () => {
  it('to one domain within a minute is limited per tenant, and the rest waits for the next minutes', async () => {
    const [api, other] = [service.as(), service.as()];
    const started = Date.now();
    const all = await settled(api, await sendTo(api, addresses(8, 'busy.example'), null));
    // A test that runs over the end of a minute may send the rest in the next one.
    expect(sentOf(all)).toBeGreaterThanOrEqual(domainPerMinuteMax);
    for (const reason of reasonsOf(all)) expect(reason).toBe('domain_pace');
    for (const { dueAt } of all.filter(({ status }) => status === 'waiting'))
      expect(new Date(dueAt as string).getTime() - started).toBeLessThanOrEqual(120_000);
    expect(sentOf(await settled(other, await sendTo(other, addresses(1, 'busy.example'), null)))).toBe(1);
  });

  it('lets no more messages wake in one minute than may leave in it', async () => {
    const api = service.as();
    const started = Date.now();
    const all = await settled(api, await sendTo(api, addresses(20, 'crowded.example'), null));
    const waking = Map.groupBy(
      all.flatMap(({ dueAt }) => dueAt ?? []),
      (dueAt) => dueAt,
    );
    expect(waking.size).toBeGreaterThanOrEqual(2);
    for (const [dueAt, group] of waking) {
      expect(group.length).toBeLessThanOrEqual(domainPerMinuteMax);
      expect(new Date(dueAt).getTime() - started).toBeLessThanOrEqual(240_000);
    }
  });

  it('keeps the daily limit of the tenant, and grants what is left of it', async () => {
    const api = service.as();
    const all = await settled(api, await sendTo(api, addresses(10), null));
    expect([sentOf(all), reasonsOf(all)]).toEqual([8, ['daily_limit', 'daily_limit']]);
  });
});

it('does not send to an address that is suppressed after the checks', async () => {
  const api = service.as();
  const [to] = addresses(1) as [string];
  // Holds back the count of the pace, which comes between the checks and the claim.
  const held = service.sqlWithin(
    api.caller,
    `DO $$ BEGIN LOCK TABLE domain_pace IN EXCLUSIVE MODE;
      WHILE NOT EXISTS (SELECT FROM suppression) LOOP PERFORM pg_sleep(0.02); END LOOP; END $$`,
  );
  const isLocked = (granted: boolean) =>
    until('the lock is taken or waited for', async () => {
      const rows = await service.sqlWithin(
        api.caller,
        `SELECT FROM pg_locks WHERE relation = 'domain_pace'::regclass AND granted = $1
          AND mode IN ('ExclusiveLock', 'RowExclusiveLock')`,
        [granted],
      );
      return rows.length > 0;
    });
  await isLocked(true);
  const executions = await sendTo(api, [to], null);
  await isLocked(false);
  await api.createSuppression({ body: { channel: 'email', value: to, reason: 'unsubscribe' } });
  await held;
  const [execution] = await settled(api, executions);
  expect(execution?.steps.at(-1)).toMatchObject({ outcome: 'skipped', skipReason: 'suppressed' });
  expect(mailbox.to(to)).toEqual([]);
});

it('sends a message of a campaign once to an address that several leads have', async () => {
  const api = service.as();
  const [to] = addresses(1) as [string];
  const all = await settled(api, await sendTo(api, [to, to.toUpperCase()], null));
  expect(
    all.map(({ steps }) => steps.at(-1)).filter((step) => step && 'skipReason' in step && step.skipReason),
  ).toMatchObject([{ outcome: 'skipped', skipReason: 'duplicate' }]);
});
