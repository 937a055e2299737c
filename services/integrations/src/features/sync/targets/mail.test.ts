import type { ExternalRecord } from '../../../connectors/sync.ts';
import { mailTarget } from './mail.ts';
import { type Peers, startPeers } from './peers.test-service.ts';

let peers: Peers;
beforeAll(async () => {
  peers = await startPeers();
});
afterAll(() => peers?.close());
beforeEach(() => {
  peers.calls.length = 0;
});

const path = '/internal/mail/received';
const receivedAt = '2026-03-02T09:30:00.000Z';
const record = (
  header = 'Message-ID: <a@example.com>',
  at = receivedAt,
): Extract<ExternalRecord, { kind: 'mail' }> => ({
  ...{ kind: 'mail', id: 'm1', version: '1', source: {} },
  fields: { header, receivedAt: at },
});

it.each([
  ['replied', { action: 'updated', reason: 'replied' }],
  ['auto_replied', { action: 'updated', reason: 'auto_replied' }],
  ['bounced', { action: 'updated', reason: 'bounced' }],
  ['unrelated', { action: 'unchanged' }],
])('hands a message to campaign, which finds it %s', async (result, outcome) => {
  peers.answer(path, () => ({ data: { results: [result] } }));
  expect(await mailTarget.write(peers.context(['campaigns:write']), record(), undefined)).toEqual(outcome);
  const [call] = peers.calls;
  expect(call?.body).toEqual({ messages: [{ header: 'Message-ID: <a@example.com>', receivedAt }] });
  expect(call?.caller).toMatchObject({ type: 'system', tenantId: 7, environment: 'live' });
});

it('reports an outage, so that the run waits', async () => {
  peers.answer(path, () => ({ status: 503, code: 'unavailable' }));
  const writing = mailTarget.write(peers.context(['campaigns:write']), record(), undefined);
  await expect(writing).rejects.toMatchObject({ status: 503 });
});

it('checks what campaign would refuse', () => {
  expect(mailTarget.check(record())).toEqual([]);
  const fieldsOf = (one: ReturnType<typeof record>) => mailTarget.check(one).map(({ field }) => field);
  expect(fieldsOf(record('x'.repeat(65_537)))).toEqual(['header']);
  expect(fieldsOf(record('Subject: \0', 'yesterday'))).toEqual(['header', 'receivedAt']);
});
