import { until } from '@tandem/testing';
import { aNode } from '../../campaign.test-service.ts';
import { type Api, inARowAfter } from '../../engine.test-service.ts';
import { day, hourMs, pause, time, triggerTests } from './scheduled-triggers.test-service.ts';

const { service, aLead, hurryJob, isWaiting, leadsIn, search } = triggerTests();

describe('a trigger of a sequence', () => {
  const due = Date.now() - hourMs / 2;

  /** A campaign that sends, with a sequence that starts leads on a day. */
  async function aCampaign(api: Api, fields: object = {}) {
    const { data } = await api.createCampaign({ body: { name: 'Trial', type: 'sms', ...fields } });
    const trigger = { triggerType: 'date', dateField: 'customFields.date', at: time(due) };
    const message = aNode('text', { type: 'sms', data: { text: 'Hello' } });
    const body = { name: 'Test', ...inARowAfter(trigger, pause, message) };
    const sequence = await api.createSequence({ params: { id: data.id }, body });
    const reply = await api.publishWorkflow({ params: { id: sequence.data.id }, body: {} });
    expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
    return { campaignId: data.id as string, id: sequence.data.id as string };
  }

  const openJobs = (api: Api) =>
    service().sqlWithin(
      api.caller,
      `SELECT due_at FROM platform.job WHERE name = 'run-trigger' AND state IN ('waiting', 'queued', 'running')`,
    );

  /** When the open jobs of triggers run. */
  async function openTimes(api: Api): Promise<string[]> {
    const times = (await openJobs(api)).map(({ due_at }) => new Date(due_at as string).toISOString());
    return [...new Set(times)];
  }

  it('looks for leads when its campaign is activated', async () => {
    const api = service().as();
    const lead = aLead(api, { customFields: { date: day(due) } });
    const { campaignId, id } = await aCampaign(api);
    await until('the job of the draft has ended', async () => (await openJobs(api)).length === 0);
    expect((await api.activateCampaign({ params: { id: campaignId } })).status).toBe(200);
    await search(api, id);
    expect(await leadsIn(api, id)).toEqual([lead]);
  });

  it('starts no leads whose date passed before the activation, and those whose date passed during a pause', async () => {
    const api = service().as();
    const lead = aLead(api, { customFields: { date: day(due) } });
    const { campaignId, id } = await aCampaign(api);
    const ranHoursAgo = (hours: number) =>
      service().sqlWithin(
        api.caller,
        'UPDATE workflow_trigger SET ran_until = now() - make_interval(hours => $2::int) WHERE workflow_id = $1',
        [id, hours],
      );
    await until('the job of the draft has ended', async () => (await openJobs(api)).length === 0);
    await ranHoursAgo(2);
    await api.activateCampaign({ params: { id: campaignId } });
    await until('the search has ended', () => isWaiting(api, id));
    expect(await leadsIn(api, id)).toEqual([]);
    await api.pauseCampaign({ params: { id: campaignId } });
    await ranHoursAgo(2);
    await api.resumeCampaign({ params: { id: campaignId } });
    await until('the lead is in the workflow', async () => (await leadsIn(api, id)).includes(lead));
  });

  it('starts no leads whose date passes before the start of the campaign', async () => {
    const api = service().as();
    const startAt = new Date(Date.now() + hourMs).toISOString();
    const { campaignId, id } = await aCampaign(api, { startAt });
    await api.activateCampaign({ params: { id: campaignId } });
    const [row] = await service().sqlWithin(
      api.caller,
      'SELECT ran_until FROM workflow_trigger WHERE workflow_id = $1',
      [id],
    );
    expect(new Date(row?.['ran_until'] as string).toISOString()).toBe(startAt);
  });

  it('starts leads without a zone of their own in that of the campaign', async () => {
    const api = service().as();
    const lead = aLead(api, { customFields: { date: day(due) } });
    const { campaignId, id } = await aCampaign(api, { timezone: 'Asia/Tokyo' });
    await api.activateCampaign({ params: { id: campaignId } });
    await search(api, id);
    expect(await leadsIn(api, id)).toEqual([]);
    await search(api, id, 12);
    expect(await leadsIn(api, id)).toEqual([lead]);
  });

  it('waits for the start of its campaign', async () => {
    const api = service().as();
    const startAt = new Date(Date.now() + hourMs).toISOString();
    const { campaignId } = await aCampaign(api, { startAt });
    expect((await api.activateCampaign({ params: { id: campaignId } })).status).toBe(200);
    expect(await openTimes(api)).toEqual([startAt]);
  });

  it('waits for the start of its campaign also when its job runs too early', async () => {
    const api = service().as();
    const startAt = new Date(Date.now() + hourMs).toISOString();
    const { campaignId, id } = await aCampaign(api, { startAt });
    await api.activateCampaign({ params: { id: campaignId } });
    await hurryJob(api, id);
    const again = new Date(new Date(startAt).getTime() + 1_000).toISOString();
    await until('the job waits again', async () => (await openTimes(api)).includes(again));
  });

  it('waits for the start of its campaign when it is resumed before', async () => {
    const api = service().as();
    const { campaignId, id } = await aCampaign(api);
    await until('the job of the draft has ended', async () => (await openJobs(api)).length === 0);
    await api.pauseWorkflow({ params: { id } });
    const startAt = new Date(Date.now() + hourMs).toISOString();
    await api.updateCampaign({ params: { id: campaignId }, body: { startAt } });
    // Another sequence, because a campaign without any is not activated.
    const message = aNode('text', { type: 'sms', data: { text: 'Hello' } });
    const body = { name: 'Other', ...inARowAfter({ triggerType: 'lead_created' }, message) };
    const other = await api.createSequence({ params: { id: campaignId }, body });
    await api.publishWorkflow({ params: { id: other.data.id }, body: {} });
    expect((await api.activateCampaign({ params: { id: campaignId } })).status).toBe(200);
    expect((await api.resumeWorkflow({ params: { id } })).status).toBe(200);
    expect(await openTimes(api)).toEqual([startAt]);
  });
});
