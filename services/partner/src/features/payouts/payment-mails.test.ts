import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { aPeer, type Peer, type Service, startPartner } from '../../partner.test-service.ts';
import { mailTo } from '../../portal.test-service.ts';
import { aPayee, aPayout, becomes, ibans } from './payouts.test-service.ts';

let mailbox: Mailbox;
let peer: Peer;
let service: Service;
beforeAll(async () => {
  [mailbox, peer] = await Promise.all([startMailbox(), aPeer()]);
  service = await startPartner(peer, { SMTP_URL: mailbox.smtpUrl, PORTAL_URL: 'https://partners.example.com' });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([peer?.close(), mailbox?.close()]);
});

const paid = /^Analytical Engines paid you/;
const missing = /your payout account is missing/;
const mailsTo = (email: string, subject: RegExp) => mailbox.to(email).filter((mail) => subject.test(mail.subject));

it('owners are mailed their payment once, and a missing account once however often the payout is retried', async () => {
  const api = service.as();
  const [payee, without] = [await aPayee(service, api, ibans[0]), await aPayee(service, api)];
  await payee.earn(240);
  await without.earn(120.5);
  const { id } = await aPayout(api);
  const params = { id };
  await api.approvePayout({ params });
  expect((await api.processPayout({ params, body: { method: 'file' } })).status).toBe(200);
  const failed = await mailTo(mailbox, without.user.email, missing);
  expect(failed.text).toContain('€120.50');
  expect(failed.text).toContain('Enter the account in the partner portal');
  await api.markPayoutPaid({ params, body: {} });
  await becomes(api, id, 'failed');
  const mail = await mailTo(mailbox, payee.user.email, paid);
  expect([mail.subject, mail.text]).toEqual([
    'Analytical Engines paid you €240.00',
    expect.stringContaining('https://partners.example.com'),
  ]);
  await api.retryPayout({ params });
  await becomes(api, id, 'failed');
  expect((await without.setAccount(ibans[1])).status).toBe(200);
  await api.retryPayout({ params });
  expect((await api.markPayoutPaid({ params, body: {} })).status).toBe(200);
  await becomes(api, id, 'completed');
  expect((await api.markPayoutPaid({ params, body: {} })).status).toBe(409);
  await mailTo(mailbox, without.user.email, paid);
  expect([mailsTo(without.user.email, missing), mailsTo(payee.user.email, paid)].map(({ length }) => length)).toEqual([
    1, 1,
  ]);
});
