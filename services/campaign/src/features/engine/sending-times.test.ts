import { until } from '@tandem/testing';
import { dayOf, wallClock } from '@tandem/time-zones';
import { aNode } from '../../campaign.test-service.ts';
import { readyCampaign } from '../../campaign-life.test-service.ts';
import {
  type Api,
  type Engine,
  enrolled,
  hurry,
  inARow,
  inStatus,
  published,
  startEngine,
} from '../../engine.test-service.ts';

// Times are relative to now, so that the tests hold at any time of any day.

let engine: Engine;
let { crm, mailbox, service } = {} as Engine;
beforeAll(async () => {
  engine = await startEngine();
  ({ crm, mailbox, service } = engine);
});
afterAll(() => engine?.close());

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
// Zones without clock changes, so that hours from now are hours on the clock.
const tokyo = 'Asia/Tokyo';
const honolulu = 'Pacific/Honolulu';

const email = aNode('one', { data: { subjectLine: 'Hello' } });
const wait = (data: object) => aNode('pause', { type: 'wait', data });
const leadOf = (api: Api, timezone = tokyo) => crm.addLead(api.caller.tenantId as number, { timezone });
const mailsTo = (leadId: string) => mailbox.to(`lead${leadId}@example.com`).length;
/** The time of the day in a zone, some hours from now. */
const timeIn = (hours: number, zone = tokyo) =>
  wallClock(new Date(Date.now() + hours * hourMs), zone)
    .toISOString()
    .slice(11, 16);
/** The day of the week in a zone, some hours from now. */
const weekdayIn = (hours: number, zone = tokyo) =>
  wallClock(new Date(Date.now() + hours * hourMs), zone).getUTCDay() || 7;
const shown = (at: string, zone = tokyo) => wallClock(new Date(at), zone).toISOString().slice(11, 16);

describe('working days', () => {
  it('hold a message back until the first of them begins in the zone of the lead', async () => {
    const api = service.as();
    const id = await published(api, inARow(email), { workingDays: [weekdayIn(48)] });
    const leadId = leadOf(api);
    const executionId = await enrolled(api, id, leadId);
    const { steps, dueAt } = await inStatus(api, executionId, 'waiting');
    expect(steps[1]).toMatchObject({ outcome: 'waiting', result: { reason: 'quiet_hours' } });
    expect([shown(dueAt), weekdayOf(dueAt)]).toEqual(['00:00', weekdayIn(48)]);
    expect(new Date(dueAt).getTime() - Date.now()).toBeLessThan(2 * dayMs);
    expect(mailsTo(leadId)).toBe(0);
  });

  it('let messages go on their days', async () => {
    const api = service.as();
    // Tomorrow too, in case that midnight passes during the test.
    const workingDays = [...new Set([weekdayIn(0), weekdayIn(1)])];
    const leadId = leadOf(api);
    const id = await published(api, inARow(email), { workingDays });
    await inStatus(api, await enrolled(api, id, leadId), 'completed');
    expect(mailsTo(leadId)).toBe(1);
  });

  it('are those of the tenant if the workflow says so', async () => {
    const api = service.as();
    const others = [1, 2, 3, 4, 5, 6, 7].filter((day) => day !== weekdayIn(0, 'UTC'));
    const id = await published(api, inARow(email), { workingDays: others, timezone: 'tenant' });
    const { dueAt } = await inStatus(api, await enrolled(api, id, leadOf(api)), 'waiting');
    expect(shown(dueAt, 'UTC')).toBe('00:00');
  });
});

describe('the send window of a campaign', () => {
  it('holds its messages back until it opens in the zone of the lead, and then sends them once', async () => {
    const api = service.as();
    const sendWindow = { from: timeIn(3), to: timeIn(5) };
    const { id, workflowId, leadIds } = await readyCampaign(api, crm, 1, { sendWindow });
    const leadId = leadIds[0] as string;
    crm.changeLead(leadId, { timezone: tokyo });
    expect((await api.activateCampaign({ params: { id } })).status).toBe(200);
    const executionId = await until('the lead is enrolled', async () => {
      const { data } = await api.listWorkflowExecutions({ params: { id: workflowId } });
      return data[0]?.id as string | undefined;
    });
    const { steps, dueAt } = await inStatus(api, executionId, 'waiting');
    expect(steps[1]).toMatchObject({ nodeId: 'one', result: { reason: 'quiet_hours' } });
    expect(shown(dueAt)).toBe(sendWindow.from);
    // Woken before its time, it waits again.
    await hurry(service, api, executionId);
    await until('it waits for the window again', async () => {
      const { data } = await api.getWorkflowExecution({ params: { id: executionId } });
      return data.status === 'waiting' && data.dueAt === dueAt;
    });
    expect(mailsTo(leadId)).toBe(0);
    // The lead moves to where the window is open: four hours ahead of Tokyo.
    crm.changeLead(leadId, { timezone: 'Etc/GMT-13' });
    await hurry(service, api, executionId);
    await until('the message arrives', () => mailsTo(leadId) === 1);
    await until('the execution is at the next node', async () => {
      const { data } = await api.getWorkflowExecution({ params: { id: executionId } });
      return data.nodeId === 'pause';
    });
  });
});

describe('a send window that is removed', () => {
  it.each(['while the campaign runs', 'during a pause'])('%s no longer holds messages back', async (when) => {
    const api = service.as();
    const { id, workflowId, leadIds } = await readyCampaign(api, crm, 1, {
      sendWindow: { from: timeIn(3), to: timeIn(5) },
    });
    const campaign = { params: { id } };
    await api.activateCampaign(campaign);
    await until('the lead waits for the window', async () => {
      const { data } = await api.listWorkflowExecutions({ params: { id: workflowId } });
      return data[0]?.status === 'waiting';
    });
    if (when === 'during a pause') await api.pauseCampaign(campaign);
    expect((await api.updateCampaign({ ...campaign, body: { sendWindow: null } })).status).toBe(200);
    if (when === 'during a pause') await api.resumeCampaign(campaign);
    await until('the message arrives', () => mailsTo(leadIds[0] as string) === 1);
  });
});

describe('a wait', () => {
  it.each([tokyo, honolulu])('until a time of the day ends at this time in the zone of the lead: %s', async (zone) => {
    const api = service.as();
    const at = timeIn(5, zone);
    const id = await published(api, inARow(wait({ at }), email));
    const { dueAt } = await inStatus(api, await enrolled(api, id, leadOf(api, zone)), 'waiting');
    expect(shown(dueAt, zone)).toBe(at);
    const length = new Date(dueAt).getTime() - Date.now();
    expect(length).toBeGreaterThan(4.9 * hourMs);
    expect(length).toBeLessThan(5.1 * hourMs);
  });

  it('with a length and a time of the day ends at the time after the length', async () => {
    const api = service.as();
    const at = timeIn(-5);
    const id = await published(api, inARow(wait({ duration: 2, durationUnit: 'days', at })));
    const { dueAt } = await inStatus(api, await enrolled(api, id, leadOf(api)), 'waiting');
    expect(shown(dueAt)).toBe(at);
    const length = new Date(dueAt).getTime() - Date.now();
    expect(length).toBeGreaterThan(2 * dayMs + 18.9 * hourMs);
    expect(length).toBeLessThan(2 * dayMs + 19.1 * hourMs);
  });

  it.each([tokyo, honolulu])('for working hours ends within them in the zone of the lead: %s', async (zone) => {
    const api = service.as();
    // 17:00 is the end of the working hours, so the next ones begin at 09:00 of a later working day.
    const id = await published(api, inARow(wait({ at: '17:00', workingHours: true })));
    const { dueAt } = await inStatus(api, await enrolled(api, id, leadOf(api, zone)), 'waiting');
    expect(shown(dueAt, zone)).toBe('09:00');
    expect([1, 2, 3, 4, 5]).toContain(weekdayOf(dueAt, zone));
    expect(dayOf(new Date(dueAt), zone) > dayOf(new Date(), zone)).toBe(true);
  });
});

const weekdayOf = (at: string, zone = tokyo) => wallClock(new Date(at), zone).getUTCDay() || 7;
