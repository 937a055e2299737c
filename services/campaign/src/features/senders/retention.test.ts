import type { campaign } from '@tandem/campaign-contract';
import type { TestService } from '@tandem/testing';
import { startCampaign } from '../../campaign.test-service.ts';

let service: TestService<typeof campaign>;
beforeAll(async () => {
  service = await startCampaign();
});
afterAll(() => service?.close());

it('removes counts, temporary bounces and numbers after their time, and keeps those within it', async () => {
  const api = service.as();
  const { data: domain } = await api.createSendingDomain({ body: { domain: 'kept.example' } });
  await api.createSender({ body: { name: 'Ada', fromEmail: `ada@${domain.domain}` } });
  const age = (days: number) => `now() - interval '${days} days'`;
  for (const [days, name] of [
    [0, 'new'],
    [401, 'old'],
  ] as const)
    for (const text of [
      `INSERT INTO domain_pace (domain, minute, messages, granted) VALUES ('${name}.example', ${age(days)}, 1, 1)`,
      `INSERT INTO soft_bounce (digest, source_id, at) VALUES ('d', '${name}', ${age(days)})`,
      `INSERT INTO sender_count (sender_id, day, messages, granted) SELECT id, ${age(days)}, 1, 1 FROM sender`,
      `INSERT INTO sms_recipient_lookup (digest, owner_tenant_id, owner_environment, seen_at)
        VALUES ('${name}', 1, 'live', ${age(days)})`,
    ])
      await service.sqlWithin(api.caller, text);
  await service.housekeep();
  for (const table of ['domain_pace', 'soft_bounce', 'sender_count', 'sms_recipient_lookup']) {
    const [row] = await service.sqlWithin(api.caller, `SELECT count(*)::int AS count FROM ${table}`);
    expect([table, row?.['count']]).toEqual([table, 1]);
  }
});

it('lets keys of sending domains be sealed again', async () => {
  const api = service.as();
  await api.createSendingDomain({ body: { domain: 'sealed.example' } });
  await service.reencrypt();
  expect(await service.metrics()).toMatch(/tandem_sealed_values\{[^}]*table="sending_domain"[^}]*\} \d/);
});
