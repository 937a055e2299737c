import { type campaign, sendersMax, sendingDomainsMax, topicsMax } from '@tandem/campaign-contract';
import type { TestService } from '@tandem/testing';
import { startCampaign } from '../../campaign.test-service.ts';

let service: TestService<typeof campaign>;
beforeAll(async () => {
  service = await startCampaign();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;

it.each<[string, number, string, (api: Api, name: string) => ReturnType<Api['createTopic']>]>([
  [
    'topics',
    topicsMax,
    `INSERT INTO topic (name) SELECT 't' || number FROM generate_series(1, $1::int) AS number`,
    (api, name) => api.createTopic({ body: { name } }),
  ],
  [
    'sending_domains',
    sendingDomainsMax,
    `INSERT INTO sending_domain (domain, token, selector, public_key, private_key, seal_ref)
      SELECT 'd' || number || '.example', '', '', '', '', gen_random_uuid() FROM generate_series(1, $1::int) AS number`,
    (api, name) => api.createSendingDomain({ body: { domain: `${name}.example` } }),
  ],
  [
    'senders',
    sendersMax,
    `WITH domain AS (INSERT INTO sending_domain (domain, token, selector, public_key, private_key, seal_ref)
        VALUES ('example.org', '', '', '', '', gen_random_uuid()) RETURNING id)
      INSERT INTO sender (domain_id, name, from_email)
      SELECT id, 'Ada', number || '@example.org' FROM domain, generate_series(1, $1::int) AS number`,
    (api, name) => api.createSender({ body: { name, fromEmail: `${name}@example.org` } }),
  ],
])('a tenant has a limited number of %s, also with concurrent requests', async (kind, max, others, create) => {
  const api = service.as();
  await service.sqlWithin(api.caller, others, [max - 1]);
  const replies = await Promise.all(['one', 'two', 'three', 'four'].map((name) => create(api, name)));
  const results = replies.map(({ status, body }) => `${status} ${body.code ?? ''}`);
  const code = `too_many_${kind.replace('sending_', '')}`;
  expect(results.toSorted()).toEqual(['201 ', ...Array(3).fill(`409 ${code}`)]);
});
