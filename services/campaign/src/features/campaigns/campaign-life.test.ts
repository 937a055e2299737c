import type { campaign } from '@tandem/campaign-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { type TestService, until } from '@tandem/testing';
import { startCampaign } from '../../campaign.test-service.ts';
import { graph, later, readyCampaign, recipients, tenantOf } from '../../campaign-life.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import type { Api } from '../../engine.test-service.ts';

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

const ready = (api: Api, leads?: number, fields?: object) => readyCampaign(api, crm, leads, fields);
const mailsTo = (leadId: string) => mailbox.to(`lead${leadId}@example.com`);

describe('a campaign that is activated', () => {
  it('sends its first e-mail to each lead of its audience once, and lists the recipients', async () => {
    const api = service.as();
    const { id, workflowId, leadIds } = await ready(api);
    const reply = await api.activateCampaign({ params: { id } });
    expect([reply.status, reply.data?.status, reply.data?.phase]).toEqual([200, 'active', 'running']);
    await allSent(api, id, 2);
    for (const leadId of leadIds) expect(mailsTo(leadId)).toHaveLength(1);
    expect(await recipients(api, id)).toMatchObject(
      leadIds.toReversed().map((leadId) => ({ leadId, workflowId, status: 'waiting', uncertain: 0 })),
    );
    const stats = (await api.getCampaignStats({ params: { id } })).data;
    // The id of the event is made of internal ids.
    const executions = (await api.listWorkflowExecutions({ params: { id: workflowId } })).data;
    expect(executions.map(({ eventId, source }: Record<string, string>) => [eventId, source])).toEqual([
      [null, 'campaign'],
      [null, 'campaign'],
    ]);
    expect(stats).toMatchObject({
      recipients: 2,
      messages: { sent: 2, opened: 0, skipped: 0 },
      nodes: [{ workflowId, nodeId: 'one', variant: null, sent: 2 }],
    });
  });

  it('lists everything that is missing, and stays a draft', async () => {
    const api = service.as();
    const { data } = await api.createCampaign({ body: { name: 'Empty' } });
    const reply = await api.activateCampaign({ params: { id: data.id } });
    expect([reply.status, reply.body.errors?.map(({ field }: { field: string }) => field)]).toEqual([
      422,
      ['sequences', 'audience'],
    ]);
    expect((await api.getCampaign({ params: { id: data.id } })).data).toMatchObject({ status: 'draft', version: 1 });
  });

  it('needs no audience if a trigger starts its sequences', async () => {
    const api = service.as();
    const { data } = await api.createCampaign({ body: { name: 'Welcome' } });
    const sequence = await api.createSequence({
      params: { id: data.id },
      body: { name: 'S', ...graph('lead_created') },
    });
    await api.publishWorkflow({ params: { id: sequence.data.id }, body: {} });
    expect((await api.activateCampaign({ params: { id: data.id } })).status).toBe(200);
  });

  it('with a future start is scheduled, takes no leads before, and starts then', async () => {
    const api = service.as();
    const { id, workflowId, leadIds } = await ready(api, 1, { startAt: later(60) });
    expect((await api.activateCampaign({ params: { id } })).data).toMatchObject({
      status: 'active',
      phase: 'scheduled',
    });
    const enroll = { params: { id: workflowId }, body: { leadIds } };
    expect((await api.enrollLeads(enroll)).body.code).toBe('campaign_not_running');
    expect(await recipients(api, id)).toEqual([]);
    await hurry(api, 'enroll-audience');
    await until('the mail arrives', () => mailsTo(leadIds[0] as string).length === 1);
  });

  it('enrolls only leads that whoever activates it can read', async () => {
    const api = service.as();
    const { id } = await ready(api, 2);
    const narrowed = service.as({
      ...api.caller,
      type: 'user',
      userId: 1,
      permissions: ['campaigns:*', 'workflows:*', 'leads:read:own'],
    });
    await narrowed.activateCampaign({ params: { id } });
    await until('crm was asked', async () => crm.narrowed.some((one) => one.tenantId === tenantOf(api)));
  });
});

it('a campaign that is created active is announced as active, and sends once it has an audience', async () => {
  const api = service.as();
  const { data } = await api.createCampaign({ body: { name: 'Spring', status: 'active' } });
  const of = { params: { id: data.id } };
  const events = await until('the events arrive', () => {
    const found = service.events.filter(({ tenantId }) => tenantId === api.caller.tenantId);
    return found.length === 2 && found.map(({ name }) => name);
  });
  expect(events.toSorted()).toEqual(['campaign.activated', 'campaign.created']);
  const sequence = await api.createSequence({ ...of, body: { name: 'Offer', ...graph() } });
  expect((await api.publishWorkflow({ params: { id: sequence.data.id }, body: {} })).status).toBe(200);
  const body = { include: [{ leadIds: [crm.addLead(tenantOf(api))] }] };
  expect((await api.setAudience({ ...of, body })).body.code).toBe('campaign_active');
  await api.pauseCampaign(of);
  expect((await api.setAudience({ ...of, body })).status).toBe(200);
  expect((await api.resumeCampaign(of)).status).toBe(200);
  await allSent(api, data.id, 1);
});

it('a sequence that is published while its campaign runs gets the audience', async () => {
  const api = service.as();
  const { id, leadIds } = await ready(api, 1);
  await api.activateCampaign({ params: { id } });
  await allSent(api, id, 1);
  const { data } = await api.createSequence({ params: { id }, body: { name: 'More', ...graph() } });
  const withoutLeads = service.as({ ...api.caller, permissions: ['workflows:write'] });
  expect((await withoutLeads.publishWorkflow({ params: { id: data.id }, body: {} })).status).toBe(403);
  expect((await api.publishWorkflow({ params: { id: data.id }, body: {} })).status).toBe(200);
  await allSent(api, id, 2);
  expect(await recipients(api, id)).toMatchObject([{ leadId: leadIds[0], workflowId: data.id }, {}]);
});

it('a sequence that was paused when its campaign was activated gets the audience when it is resumed, once', async () => {
  const api = service.as();
  const { id, leadIds } = await ready(api, 1);
  const { data } = await api.createSequence({ params: { id }, body: { name: 'More', ...graph() } });
  const sequence = { params: { id: data.id } };
  await api.publishWorkflow({ ...sequence, body: {} });
  await api.pauseWorkflow(sequence);
  await api.activateCampaign({ params: { id } });
  await allSent(api, id, 1);
  await until('the audience is enrolled', async () => (await enrollments(api)).length === 0);
  for (const round of [1, 2]) {
    expect([round, (await api.resumeWorkflow(sequence)).status]).toEqual([round, 200]);
    await until('the audience is enrolled', async () => (await enrollments(api)).length === 0);
    await allSent(api, id, 2);
    expect(await recipients(api, id)).toMatchObject([{ leadId: leadIds[0], workflowId: data.id }, {}]);
    await api.pauseWorkflow(sequence);
  }
});

/** The jobs that enroll an audience and have not ended. */
const enrollments = (api: Api) =>
  service.sqlWithin(
    api.caller,
    `SELECT 1 FROM platform.job WHERE name = 'enroll-audience' AND state IN ('waiting', 'queued', 'running')`,
  );

/** Waits until so many recipients have got one message each. */
const allSent = (api: Api, id: string, count: number) =>
  until('all are sent', async () => {
    const found = await recipients(api, id);
    return found.filter(({ sent }: { sent: number }) => sent === 1).length === count;
  });

/** Lets the jobs of a name be due now. */
async function hurry(api: Api, name: string) {
  const campaign = `UPDATE campaign SET start_at = now() - interval '1 second' WHERE start_at > now()`;
  await service.sqlWithin(api.caller, campaign);
  await service.sqlWithin(
    api.caller,
    `UPDATE platform.job SET due_at = now() WHERE name = '${name}' AND state = 'waiting'`,
  );
}

describe('a pause', () => {
  it('stops before the next message; resuming continues from the record of recipients, and sends nothing twice', async () => {
    const api = service.as();
    const { id, leadIds } = await ready(api);
    await api.activateCampaign({ params: { id } });
    await allSent(api, id, 2);
    expect((await api.pauseCampaign({ params: { id } })).data).toMatchObject({ status: 'paused', phase: 'paused' });
    await dueNow(api);
    await until(
      'the executions are parked',
      async () => (await service.sqlWithin(api.caller, 'SELECT 1 FROM execution WHERE parked')).length === 2,
    );
    const joined = crm.addLead(tenantOf(api));
    await api.setAudience({ params: { id }, body: { include: [{ leadIds: [...leadIds, joined] }] } });
    for (const leadId of leadIds) expect(mailsTo(leadId)).toHaveLength(1);
    expect((await api.resumeCampaign({ params: { id } })).data).toMatchObject({ status: 'active' });
    await until('the second mails arrive', () => leadIds.every((leadId) => mailsTo(leadId).length === 2));
    await until('the lead that joined gets the first mail', () => mailsTo(joined).length === 1);
    expect(mailsTo(leadIds[0] as string).map(({ subject }) => subject.split(' ')[0])).toEqual(['Hello', 'Again']);
    expect(await recipients(api, id)).toHaveLength(3);
  });
});

describe('a campaign with sequences of others', () => {
  it('sends them too when somebody activates and resumes it who cannot read them', async () => {
    const api = service.as();
    const { id, workflowId, leadIds } = await ready(api, 1);
    const [leadId = ''] = leadIds;
    await service.sqlWithin(api.caller, 'UPDATE campaign SET owner_id = 77 WHERE id = $1', [id]);
    const can = ['campaigns:write:own', 'workflows:read:own', 'leads:read'];
    const narrowed = service.as({ tenantId: tenantOf(api), userId: 77, can });
    expect((await narrowed.getWorkflow({ params: { id: workflowId } })).status).toBe(404);
    const activated = await narrowed.activateCampaign({ params: { id } });
    expect([activated.status, activated.body.errors]).toEqual([200, undefined]);
    await allSent(api, id, 1);
    await api.pauseCampaign({ params: { id } });
    await dueNow(api);
    await until(
      'the execution is parked',
      async () => (await service.sqlWithin(api.caller, 'SELECT 1 FROM execution WHERE parked')).length === 1,
    );
    expect((await narrowed.resumeCampaign({ params: { id } })).status).toBe(200);
    await until('the second mail arrives', () => mailsTo(leadId).length === 2);
  });
});

/** Lets the waits of the tenant end now. */
async function dueNow(api: Api) {
  await service.sqlWithin(api.caller, 'UPDATE execution SET due_at = now() WHERE due_at > now()');
  await service.sqlWithin(
    api.caller,
    `UPDATE platform.job SET due_at = now() WHERE name = 'advance-executions' AND state = 'waiting'`,
  );
}

describe('a completed campaign', () => {
  it('has no executions left, takes no leads, and cannot be activated again', async () => {
    const api = service.as();
    const { id, workflowId, leadIds } = await ready(api);
    await api.activateCampaign({ params: { id } });
    await until(
      'all are waiting',
      async () =>
        (await recipients(api, id)).filter(({ status }: { status: string }) => status === 'waiting').length === 2,
    );
    expect((await api.completeCampaign({ params: { id } })).data).toMatchObject({
      status: 'completed',
      allowedTransitions: [],
    });
    await until('all are cancelled', async () =>
      (await recipients(api, id)).every(({ endReason }: { endReason: string }) => endReason === 'campaign_completed'),
    );
    expect((await api.enrollLeads({ params: { id: workflowId }, body: { leadIds } })).status).toBe(409);
    const [{ executionId }] = await recipients(api, id);
    await service.sqlWithin(api.caller, "UPDATE execution SET status = 'failed' WHERE id = $1", [executionId]);
    expect((await api.retryExecution({ params: { id: executionId } })).body.code).toBe('campaign_not_running');
    for (const change of ['activateCampaign', 'resumeCampaign', 'pauseCampaign', 'completeCampaign'] as const)
      expect((await api[change]({ params: { id } })).status).toBe(409);
    const renamed = await api.updateCampaign({ params: { id }, body: { name: 'Done' } });
    expect(renamed.data).toMatchObject({ name: 'Done' });
    expect((await api.updateCampaign({ params: { id }, body: { type: 'sms' } })).body.code).toBe('campaign_completed');
  });

  it('is completed at endAt, also if the end was changed, and a removed end has no effect', async () => {
    const api = service.as();
    const { id } = await ready(api, 1);
    await api.updateCampaign({ params: { id }, body: { endAt: later(60) } });
    await api.activateCampaign({ params: { id } });
    await api.updateCampaign({ params: { id }, body: { endAt: null } });
    await hurryEnd(api);
    await until('the job has ended', async () => (await openJobs(api)).length === 0);
    expect((await api.getCampaign({ params: { id } })).data.status).toBe('active');
    await api.updateCampaign({ params: { id }, body: { endAt: later(120) } });
    await hurryEnd(api);
    await until('it is completed', async () => (await api.getCampaign({ params: { id } })).data.status === 'completed');
  });
});

const openJobs = (api: Api) =>
  service.sqlWithin(
    api.caller,
    `SELECT 1 FROM platform.job WHERE name = 'complete-campaign' AND state IN ('waiting', 'queued', 'running')`,
  );
const hurryEnd = (api: Api) =>
  service.sqlWithin(
    api.caller,
    `UPDATE platform.job SET due_at = now() WHERE name = 'complete-campaign' AND state = 'waiting'`,
  );

it('a campaign with a topic respects those who unsubscribed from that topic', async () => {
  const api = service.as();
  const { data: topic } = await api.createTopic({ body: { name: 'News' } });
  const { id, leadIds } = await ready(api, 2, { topicId: topic.id });
  const [first, second] = leadIds as [string, string];
  const value = `lead${first}@example.com`;
  await api.createSuppression({ body: { channel: 'email', value, topicId: topic.id, reason: 'manual' } });
  await api.activateCampaign({ params: { id } });
  await until('the other lead gets the mail', () => mailsTo(second).length === 1);
  await until('the first is skipped', async () =>
    (await api.listMessages({ query: { leadId: first } })).data.some(
      ({ skipReason }: { skipReason: string }) => skipReason === 'suppressed',
    ),
  );
  expect(mailsTo(first)).toEqual([]);
  expect((await api.deleteTopic({ params: { id: topic.id } })).status).toBe(409);
});
