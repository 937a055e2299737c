import { publishLeadMerge, until } from '@tandem/testing';
import { type Api, codeOf, inARowAfter, published } from '../../engine.test-service.ts';
import { day, dayMs, hourMs, pause, time, triggerTests } from './scheduled-triggers.test-service.ts';

const { service, crm, aLead, leadsIn, search, isWaiting } = triggerTests();

const startedBy = (api: Api, trigger: Record<string, unknown>) => published(api, inARowAfter(trigger, pause));

describe('a date trigger', () => {
  it('starts leads on the day with the offset, at its time in the zone of the lead, once', async () => {
    const api = service().as();
    const due = Date.now() - hourMs / 2;
    const trial = (at: number) => ({ customFields: { trialEnd: day(at) } });
    const [now, tokyo, other] = [
      aLead(api, trial(due + 3 * dayMs)),
      aLead(api, { ...trial(due + 3 * dayMs), timezone: 'Asia/Tokyo' }),
      aLead(api, trial(due + 4 * dayMs)),
    ];
    const id = await startedBy(api, {
      triggerType: 'date',
      dateField: 'customFields.trialEnd',
      offsetDays: -3,
      at: time(due),
    });
    await search(api, id);
    expect(await leadsIn(api, id)).toEqual([now]);
    await search(api, id);
    expect(await leadsIn(api, id)).toEqual([now]);
    // In Tokyo it was this time of the day nine hours ago.
    await search(api, id, 12);
    expect(await leadsIn(api, id)).toEqual([now, tokyo].toSorted());
    expect(await leadsIn(api, id)).not.toContain(other);
  });

  it('starts leads every year, and only those that meet its conditions', async () => {
    const api = service().as();
    const due = Date.now() - hourMs / 2;
    const born = (year: number) => ({ customFields: { birthday: `${year}${day(due).slice(4)}` } });
    const [hot, cold] = [aLead(api, { ...born(1990), score: 80 }), aLead(api, { ...born(1985), score: 10 })];
    const id = await startedBy(api, {
      triggerType: 'date',
      dateField: 'customFields.birthday',
      repeat: 'yearly',
      at: time(due),
      conditions: [{ field: 'score', operator: 'at_least', value: 50 }],
    });
    await search(api, id);
    expect(await leadsIn(api, id)).toEqual([hot]);
    expect(cold).not.toBe(hot);
  });

  it('catches up at most one day after downtime', async () => {
    const api = service().as();
    const at = Date.now() - 2 * hourMs;
    const dates = [at, at - dayMs].map((one) => aLead(api, { customFields: { date: day(one) } }));
    const id = await startedBy(api, { triggerType: 'date', dateField: 'customFields.date', at: time(at) });
    await search(api, id, 72);
    expect(await leadsIn(api, id)).toEqual([dates[0]]);
  });
});

describe('an inactivity trigger', () => {
  it('starts leads whose last engagement was so many days ago, without what the platform or software did', async () => {
    const api = service().as();
    const [quiet, active, never] = [aLead(api), aLead(api), aLead(api)];
    const engaged = (leadId: string, type: string, at: number, automated = false) =>
      service().sqlWithin(api.caller, 'INSERT INTO engagement (type, lead_id, at, automated) VALUES ($1, $2, $3, $4)', [
        type,
        leadId,
        new Date(at).toISOString(),
        automated,
      ]);
    const due = Date.now() - 30 * dayMs - hourMs / 2;
    await engaged(quiet, 'link_click', due);
    await engaged(quiet, 'email_open', due + 5 * dayMs, true);
    await engaged(quiet, 'email_sent', due + 6 * dayMs);
    await engaged(active, 'link_click', due);
    await engaged(active, 'page_visit', due + 5 * dayMs);
    const id = await startedBy(api, { triggerType: 'inactivity', inactiveDays: 30 });
    await search(api, id);
    await search(api, id);
    expect(await leadsIn(api, id)).toEqual([quiet]);
    expect(await leadsIn(api, id)).not.toContain(never);
  });
});

describe('a segment trigger', () => {
  it('starts leads at once when they are added to a static segment, and not those that it had', async () => {
    const api = service().as();
    const [before, added, other] = [aLead(api), aLead(api), aLead(api)];
    const { data: segment } = await api.createSegment({ body: { name: 'Fixed', type: 'static', leadIds: [before] } });
    const { data: another } = await api.createSegment({ body: { name: 'Other', type: 'static' } });
    const id = await startedBy(api, { triggerType: 'segment', segmentId: codeOf(api, 'segment', segment.id) });
    await api.updateSegment({ params: { id: another.id }, body: { addLeadIds: [other] } });
    await api.updateSegment({ params: { id: segment.id }, body: { addLeadIds: [before, added] } });
    await until('the added lead is in the workflow', async () => (await leadsIn(api, id)).length > 0);
    expect(await leadsIn(api, id)).toEqual([added]);
  });

  it('starts leads that a filter segment has since the last search, again after they left it', async () => {
    const api = service().as();
    const [before, later] = [aLead(api, { score: 80 }), aLead(api, { score: 10 })];
    const conditions = [{ field: 'score', operator: 'at_least', value: 50 }];
    const { data: segment } = await api.createSegment({ body: { name: 'Hot', type: 'filter', conditions } });
    const id = await published(
      api,
      inARowAfter({ triggerType: 'segment', segmentId: codeOf(api, 'segment', segment.id) }),
      { reentry: 'always' },
    );
    await search(api, id);
    expect(await leadsIn(api, id)).toEqual([]);
    crm().changeLead(later, { score: 60 });
    await search(api, id);
    await search(api, id);
    expect(await leadsIn(api, id)).toEqual([later]);
    crm().changeLead(later, { score: 10 });
    await search(api, id);
    crm().changeLead(later, { score: 90 });
    await search(api, id);
    await until('it is in the workflow again', async () => (await leadsIn(api, id)).length === 2);
    expect(await leadsIn(api, id)).not.toContain(before);
  });
});

it('a lead does not enter a segment anew because a lead of the segment was merged into it', async () => {
  const api = service().as();
  const tenantId = api.caller.tenantId as number;
  const [merged, remains] = [aLead(api, { score: 80 }), aLead(api, { score: 10 })];
  const conditions = [{ field: 'score', operator: 'at_least', value: 50 }];
  const { data: segment } = await api.createSegment({ body: { name: 'Hot', type: 'filter', conditions } });
  const id = await startedBy(api, { triggerType: 'segment', segmentId: codeOf(api, 'segment', segment.id) });
  await search(api, id);
  const members = async () => {
    const sql = 'SELECT lead_id::text AS id FROM trigger_member WHERE workflow_id = $1';
    return (await service().sqlWithin(api.caller, sql, [id])).map((row) => row.id);
  };
  expect(await members()).toEqual([merged]);
  crm().removeLead(merged);
  crm().changeLead(remains, { score: 80 });
  await publishLeadMerge({ service: service(), tenantId }, { leadId: merged, into: remains, version: 2 });
  await until('the member is the lead that remains', async () => (await members())[0] === remains);
  await search(api, id);
  expect(await leadsIn(api, id)).toEqual([]);
  expect(await members()).toEqual([remains]);
});

it('a paused workflow does not search, and searches again after it is resumed', async () => {
  const api = service().as();
  const due = Date.now() - hourMs / 2;
  const lead = aLead(api, { customFields: { date: day(due) } });
  const id = await startedBy(api, { triggerType: 'date', dateField: 'customFields.date', at: time(due) });
  await until('the first search has ended', () => isWaiting(api, id));
  await api.pauseWorkflow({ params: { id } });
  await service().sqlWithin(
    api.caller,
    `UPDATE workflow_trigger SET ran_until = now() - interval '1 hour' WHERE workflow_id = $1`,
    [id],
  );
  await service().sqlWithin(
    api.caller,
    `UPDATE platform.job SET due_at = now() WHERE name = 'run-trigger' AND payload ->> 'workflowId' = $1`,
    [id],
  );
  await until('the job has ended', async () => {
    const jobs = await service().sqlWithin(
      api.caller,
      `SELECT 1 FROM platform.job WHERE name = 'run-trigger' AND payload ->> 'workflowId' = $1 AND state = 'waiting'`,
      [id],
    );
    return jobs.length === 0;
  });
  expect(await leadsIn(api, id)).toEqual([]);
  await api.resumeWorkflow({ params: { id } });
  await until('the lead is in the workflow', async () => (await leadsIn(api, id)).includes(lead));
});

it('cannot be published without what it needs, naming the field', async () => {
  const api = service().as();
  const fields = async (trigger: Record<string, unknown>) => {
    const { data } = await api.createWorkflow({ body: { name: 'Test', ...inARowAfter(trigger, pause) } });
    const reply = await api.publishWorkflow({ params: { id: data.id }, body: {} });
    return [reply.status, reply.body.errors?.map(({ field }) => field)];
  };
  expect(await fields({ triggerType: 'date' })).toEqual([422, ['nodes.start.dateField']]);
  expect(await fields({ triggerType: 'date', dateField: 'createdAt' })).toEqual([422, ['nodes.start.dateField']]);
  expect(await fields({ triggerType: 'inactivity', inactiveDays: 0 })).toEqual([422, ['nodes.start.inactiveDays']]);
  expect(await fields({ triggerType: 'segment' })).toEqual([422, ['nodes.start.segmentId']]);
  const segmentId = codeOf(api, 'segment', '999999');
  expect(await fields({ triggerType: 'segment', segmentId })).toEqual([422, ['nodes.start.segmentId']]);
});
