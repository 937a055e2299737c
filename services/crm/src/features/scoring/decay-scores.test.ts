import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

it('the points of a lead fade that comes after more leads with old events than one step reads', async () => {
  const api = service.as();
  const sql = (text: string) => service.sqlWithin(api.caller, text);
  const engagement = 'INSERT INTO lead_engagement (lead_id, type, day, count)';
  await sql(`INSERT INTO lead (email, first_name, last_name, updated_at)
    SELECT 'lead' || n || '@example.com', 'Ada', 'Lovelace', now() FROM generate_series(1, 1100) AS n`);
  await sql(
    `${engagement} SELECT id, 'email_reply', current_date - age, 1 FROM lead, generate_series(400, 402) AS age`,
  );
  const { data: lead } = await api.createLead({ body: aLead() });
  await sql(`${engagement} VALUES (${lead.id}, 'email_reply', (now() AT TIME ZONE 'UTC')::date - 5, 1)`);
  await api.createScoringRule({ body: { name: 'Replied', eventType: 'email_reply', points: 40, decayDays: 20 } });
  const scored = (score: number) =>
    until(`the score is ${score}`, async () => {
      const { data } = await api.getLeadScore({ params: { id: lead.id } });
      return data.score === score;
    });
  await scored(30);
  await sql(`UPDATE lead_engagement SET day = day - 10 WHERE lead_id = ${lead.id}`);
  await sql(`UPDATE platform.job SET due_at = now() WHERE name = 'decay-scores'`);
  await scored(10);
});
