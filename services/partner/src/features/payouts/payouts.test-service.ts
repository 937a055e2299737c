import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@tandem/testing';
import { type Api, anApprovedPartner, aPartner, type Service } from '../../partner.test-service.ts';

/** A payment that the provider received. */
interface Received {
  key: string;
  authorization: string;
  body: { amount: number; currency: string; account: { iban: string; holder: string } };
}

/** Stands in for a payment provider on loopback. It makes one payment for a key. */
export async function aProvider() {
  const requests: Received[] = [];
  const payments = new Map<string, string>();
  /** How to answer a payment to an IBAN: a status, or `lost` to make it and break the connection. */
  const answers = new Map<string, (number | 'lost')[]>();
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const key = request.headers['idempotency-key'] as string;
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Received['body'];
    requests.push({ key, authorization: request.headers.authorization ?? '', body });
    const answer = answers.get(body.account.iban)?.shift();
    if (typeof answer === 'number') {
      response.writeHead(answer, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message: 'Account closed' }));
      return;
    }
    const id = payments.get(key) ?? `pay_${payments.size + 1}`;
    payments.set(key, id);
    if (answer === 'lost') return void request.socket.destroy();
    response.writeHead(201, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    payments,
    answers,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export const password = 'a long phrase is best';
export const ibans = ['DE89370400440532013000', 'FR1420041010050500013M02606', 'ES9121000418450200051332'] as const;

/** An approved partner with a portal user, and with a payout account if there is an IBAN. */
export async function aPayee(service: Service, api: Api, iban?: string) {
  const partner = await anApprovedPartner(api);
  const body = { email: aPartner().email, password, role: 'owner' };
  const { data: user } = await api.createPortalUser({ params: { id: partner.id }, body });
  const portal = service.as({
    type: 'portal',
    tenantId: api.caller.tenantId as number,
    environment: api.caller.environment,
    sessionId: 3,
    can: [],
    partnerId: Number(partner.id),
    portalUserId: Number(user.id),
  });
  const setAccount = (next: string, more: object = {}) =>
    portal.setPortalPayoutAccount({ body: { holder: 'Jürgen Größe & Søn', iban: next, password, ...more } });
  if (iban) expect((await setAccount(iban)).status).toBe(200);
  const earn = async (amount: number, currency = 'EUR') => {
    const { data } = await api.createCommission({
      params: { id: partner.id },
      body: { amount, currency, description: 'Earned' },
    });
    await api.approveCommission({ params: { cid: data.id }, body: {} });
    return data.id as string;
  };
  return { ...partner, portal, user, setAccount, earn };
}

/** Creates a payout and waits until it is prepared. */
export async function aPayout(api: Api, fields: object = {}) {
  const body = { periodEnd: new Date().toISOString(), currency: 'EUR', ...fields };
  const { status, data } = await api.createPayout({ body });
  expect(status).toBe(201);
  return until('the payout is prepared', async () => {
    const { data: payout } = await api.getPayout({ params: { id: data.id } });
    return payout.preparedAt && payout;
  });
}

/** Waits until a payout has a status. */
export const becomes = (api: Api, id: string, status: string) =>
  until(`the payout is ${status}`, async () => {
    const { data } = await api.getPayout({ params: { id } });
    return data.status === status && data;
  });

export const balanceOf = async (api: Api, id: string) =>
  (await api.getPartner({ params: { id } })).data.balances.map(({ amount }: { amount: number }) => amount);

export const paidEventsOf = (service: Service, api: Api) =>
  service.events.filter(({ name, tenantId }) => name === 'commission.paid' && tenantId === api.caller.tenantId);
