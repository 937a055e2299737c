import { until } from '@tandem/testing';
import { type Reporting, sesBounce, sesComplaint, startReporting } from '../../provider-events.test-service.ts';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await startReporting();
});
afterAll(() => reporting?.close());

type Api = ReturnType<Reporting['service']['as']>;

const anActiveCampaign = async (api: Api) =>
  (await api.createCampaign({ body: { name: 'Spring', status: 'active' } })).data.id as string;

const sql = (api: Api, text: string, values: unknown[]) => reporting.service.sqlWithin(api.caller, text, values);

/** Ends the wait of an execution. */
async function hurry(api: Api, executionId: string): Promise<void> {
  await sql(api, 'UPDATE execution SET due_at = now() WHERE id = $1', [executionId]);
  await sql(
    api,
    `UPDATE platform.job SET due_at = now() WHERE name = 'advance-executions' AND payload ->> 'executionId' = $1
       AND state = 'waiting'`,
    [executionId],
  );
}

/** Adds messages of a campaign that were sent before, of which some bounced. */
const sentBefore = (api: Api, campaignId: string, { sent = 0, bounced = 0 }) =>
  reporting.service.sqlWithin(
    api.caller,
    `INSERT INTO message (campaign_id, lead_id, channel, status, sent_at, bounced_at)
     SELECT $1, 900000 + number, 'email', CASE WHEN number <= $3 THEN 'bounced' ELSE 'sent' END, now(),
       CASE WHEN number <= $3 THEN now() END
     FROM generate_series(1, $2::int) AS number`,
    [campaignId, sent, bounced],
  );

const statusOf = async (api: Api, id: string) => (await api.getCampaign({ params: { id } })).data.status;
const pausesOf = (api: Api) =>
  reporting.service.events.filter(
    ({ name, tenantId }) => name === 'campaign.auto_paused' && tenantId === api.caller.tenantId,
  );

describe('a campaign whose messages bounce', () => {
  it('is paused above 5 %, once, with the figures, and its executions are parked', async () => {
    const api = reporting.service.as();
    const campaignId = await anActiveCampaign(api);
    const [first, second] = [await reporting.sentTo(api, { campaignId }), await reporting.sentTo(api, { campaignId })];
    await sentBefore(api, campaignId, { sent: 48, bounced: 2 });
    for (const sent of [first, second]) await reporting.ses(sesBounce(sent));
    expect(await statusOf(api, campaignId)).toBe('paused');
    const [event] = await until('the event arrives', () => {
      const events = pausesOf(api);
      return events.length > 0 && events;
    });
    expect(event?.data).toEqual({
      campaignId,
      reason: 'bounces',
      sent: 50,
      bounced: 3,
      complained: 0,
      bounceRate: 0.06,
      complaintRate: 0,
    });
    expect(pausesOf(api)).toHaveLength(1);
    await hurry(api, second.executionId);
    await until('the execution is parked', async () => {
      const [row] = await sql(api, 'SELECT parked FROM execution WHERE id = $1', [second.executionId]);
      return row?.['parked'] === true;
    });
  });

  it('continues at 5 %, and with fewer than 50 messages', async () => {
    const api = reporting.service.as();
    const [healthy, small] = [await anActiveCampaign(api), await anActiveCampaign(api)];
    const inHealthy = await reporting.sentTo(api, { campaignId: healthy });
    const inSmall = await reporting.sentTo(api, { campaignId: small });
    await sentBefore(api, healthy, { sent: 99, bounced: 4 });
    await sentBefore(api, small, { sent: 48, bounced: 20 });
    for (const sent of [inHealthy, inSmall]) await reporting.ses(sesBounce(sent));
    expect([await statusOf(api, healthy), await statusOf(api, small)]).toEqual(['active', 'active']);
  });

  it('gets a fair chance after it was resumed', async () => {
    const api = reporting.service.as();
    const campaignId = await anActiveCampaign(api);
    const [first, second] = [await reporting.sentTo(api, { campaignId }), await reporting.sentTo(api, { campaignId })];
    await sentBefore(api, campaignId, { sent: 60, bounced: 20 });
    await reporting.ses(sesBounce(first));
    expect(await statusOf(api, campaignId)).toBe('paused');
    await reporting.service.sqlWithin(api.caller, `UPDATE campaign SET status = 'active' WHERE id = $1`, [campaignId]);
    await reporting.ses(sesBounce(second));
    expect(await statusOf(api, campaignId)).toBe('active');
  });
});

it('a campaign is paused when at least two and more than 0.3 % of its messages are reported as spam', async () => {
  const api = reporting.service.as();
  const campaignId = await anActiveCampaign(api);
  const [first, second] = [await reporting.sentTo(api, { campaignId }), await reporting.sentTo(api, { campaignId })];
  await sentBefore(api, campaignId, { sent: 298 });
  await reporting.ses(sesComplaint(first));
  expect(await statusOf(api, campaignId)).toBe('active');
  await reporting.ses(sesComplaint(second));
  expect(await statusOf(api, campaignId)).toBe('paused');
  const event = await until('the event arrives', () => pausesOf(api)[0]);
  expect(event?.data).toMatchObject({ reason: 'complaints', sent: 300, complained: 2 });
});

it('a report and a batch that parks the same execution do not wait for each other', async () => {
  const api = reporting.service.as();
  const campaignId = await anActiveCampaign(api);
  const sent = await reporting.sentTo(api, { campaignId });
  const { data } = await api.getWorkflowExecution({ params: { id: sent.executionId } });
  await api.pauseWorkflow({ params: { id: data.workflowId } });
  const waiting = `SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted
    AND (locktype = 'transactionid' OR relation = 'execution'::regclass)`;
  // The report waits for the execution first, and then the batch for what the report has.
  const held = sql(
    api,
    `DO $$ BEGIN PERFORM FROM execution WHERE id = ${Number(sent.executionId)} FOR UPDATE;
      WHILE (${waiting}) < 2 LOOP PERFORM pg_sleep(0.02); END LOOP; END $$`,
    [],
  );
  await until('the execution is locked', async () => {
    const text = `SELECT FROM pg_locks WHERE relation = 'execution'::regclass AND mode = 'RowShareLock'`;
    return (await sql(api, text, [])).length > 0;
  });
  const report = reporting.ses(sesBounce(sent));
  await until('the report waits', async () => ((await sql(api, waiting, []))[0]?.['count'] as number) > 0);
  await sql(
    api,
    `UPDATE platform.job SET due_at = now() WHERE name = 'advance-executions' AND payload ->> 'executionId' = $1`,
    [sent.executionId],
  );
  await held;
  expect((await report).status).toBe(200);
  const ended = await until('the batch ends', async () => {
    const [row] = await sql(
      api,
      `SELECT parked, (SELECT max(error) FROM platform.job WHERE payload ->> 'executionId' = $1::text) AS error
       FROM execution WHERE id = $1::bigint`,
      [sent.executionId],
    );
    return (row?.['parked'] === true || row?.['error']) && row;
  });
  expect(ended).toEqual({ parked: true, error: null });
});
