import { until } from '@tandem/testing';
import {
  anApprovedPartner,
  aPeer,
  leadCreatedWith,
  type Peer,
  publish,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { aPayee, ibans } from '../payouts/payouts.test-service.ts';

let peer: Peer;
let service: Service;
beforeAll(async () => {
  peer = await aPeer();
  service = await startPartner(peer);
});
afterAll(async () => {
  await service?.close();
  await peer?.close();
});

it('flags a referral of another registration of the same person, which is paid to the same account', async () => {
  const api = service.as();
  const payee = await aPayee(service, api, ibans[0]);
  const same = await aPayee(service, api, ibans[0]);
  const other = await aPayee(service, api, ibans[1]);
  const without = await anApprovedPartner(api);
  const { data: detail } = await api.getPartner({ params: { id: payee.id } });
  const code = detail.referralCodes[0].code as string;
  const emails = [same.email, same.user.email, other.email, without.email];
  for (const [index, email] of emails.entries())
    await publish(
      service,
      api,
      leadCreatedWith(code, `${700 + index}`, { email, firstName: 'Joan', lastName: 'Clarke' }),
    );
  const statuses = await until('all are handled', async () => {
    const { data } = await api.listPartnerReferrals({ params: { id: payee.id } });
    return data.length === 4 && data.map(({ leadId, status }: Record<string, string>) => `${leadId} ${status}`).sort();
  });
  expect(statuses).toEqual(['700 flagged', '701 flagged', '702 attributed', '703 attributed']);
});
